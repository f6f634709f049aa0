"""What is told of a verdict: the facts that a message is made of."""

from flake8_jax.classes.caches import PytreeCache, hashes_by_identity
from flake8_jax.classes.frozen import library_kind
from flake8_jax.classes.layout import filling
from flake8_jax.classes.registration import registration
from flake8_jax.classes.table import ClassInfo, decorations
from flake8_jax.effects.callees import External
from flake8_jax.effects.paths import Owner
from flake8_jax.effects.project import ProjectWorld, position
from flake8_jax.effects.summaries import Form, Refusal, Site, Trace, Write
from flake8_jax.effects.values import Type
from flake8_jax.knowledge.pytrees import REGISTERED, REGISTERED_STATIC, Filling, Kind
from flake8_jax.knowledge.transforms import TRANSFORMS
from flake8_jax.lowering.spans import unpack
from flake8_jax.resolution.imports import External as Dotted
from flake8_jax.verdicts.contents import Holds, cached_contents
from flake8_jax.verdicts.quotes import (
    assigned,
    called,
    done,
    element_method,
    receiver,
    spelled,
    written,
)
from flake8_jax.wording import Cause, Told, ToldCache, ToldFrozen, customary

_AS_DATACLASS = frozenset({REGISTERED.label, REGISTERED_STATIC.label})
"""Kinds whose objects can be copied with ``dataclasses.replace`` if they are dataclasses."""
_DATACLASS = "dataclasses.dataclass"
_LAMBDA = "<lambda>"
_SELF = "self"


def told(
    world: ProjectWorld, key: str, write: Write, trace: Trace, shown: Site, others: int = 0
) -> Told:
    """What a message about a module says of a write that is shown at a site.

    ``others`` is at how many other places of the module the same happens.
    """
    info = _class_of(world, write)
    kind = _kind(info)
    module = world.modules[write.site.module]
    text, by, cause = "", "", None
    if write.site.module == key:
        text = written(module, write)
    else:
        text = _spelled(world, key, write, trace, shown)
        line, _ = position(world, write.site)
        by = _doing(write.via[-1] if write.via else trace.function, module.file.label, line)
        cause = Cause(module.file.path, line)
    return Told(
        text,
        done(module, write.site, write.form),
        _traced(world, key, trace, shown, others),
        by,
        update(kind, info),
        _keeping(kind, trace),
        write.form is Form.ITEM,
        element_method(module, write.site) if write.form is Form.ELEMENT else "set",
        cause=cause,
    )


def _spelled(world: ProjectWorld, key: str, write: Write, trace: Trace, shown: Site) -> str:
    """What another module writes, in terms of the module that leads to it, where it has a name."""
    root, owner = write.path.root, None
    is_of_traced = root.owner is Owner.PARAMETER and write.trace is None
    is_elsewhere = is_of_traced and trace.defined.module != key
    if root.owner is Owner.FRESH or (is_elsewhere and root.name == _SELF):
        owner = receiver(world.modules[key], shown)
        if owner is None and root.name == _SELF:
            info = _class_of(world, write) if len(write.path.selectors) == 1 else None
            owner = info.name if info is not None else ""
    return spelled(world.modules[write.site.module], write, owner)


def _doing(function: str, label: str, line: int) -> str:
    name = "a lambda" if function == _LAMBDA else f"{function}()"
    return f"{name} ({label}:{line})"


def _traced(world: ProjectWorld, key: str, trace: Trace, shown: Site, others: int) -> str:
    """The traced function, and by which transform; the line only if it is not the one around."""
    name = "a lambda" if trace.function == _LAMBDA else f"'{trace.function}'"
    begun, _ = position(world, trace.site)
    facts = [customary(trace.transform.name)]
    is_decorated = begun == position(world, trace.defined)[0]
    if trace.site.module != key:
        facts.append(f"{world.modules[trace.site.module].file.label}:{begun}")
    elif begun != position(world, shown)[0] and not (
        is_decorated and _is_within(shown, trace.defined)
    ):
        facts.append(f"line {begun}")
    if others:
        facts.append(f"and {others} more place{'s'[: others - 1]}")
    return f"{name} ({', '.join(facts)})"


def _is_within(site: Site, around: Site) -> bool:
    inner, outer = unpack(site.span), unpack(around.span)
    return site[:2] == around[:2] and outer.line <= inner.line <= outer.last_line


def _class_of(world: ProjectWorld, write: Write) -> ClassInfo | None:
    """The class of the object that is written, where there is one."""
    views = [world.class_view(item) for item in write.types]
    return views[0].info if len(views) == 1 and views[0] is not None else None


def _kind(info: ClassInfo | None) -> Kind | None:
    made = registration(info) if info is not None else None
    return made.kind if made is not None else None


def update(kind: Kind | None, info: ClassInfo | None) -> str | None:
    """How to make a changed copy of an object of a kind; None where there is no call for that."""
    if kind is not None and kind.update and (kind.label not in _AS_DATACLASS or info is None):
        return kind.update
    if info is not None and _is_dataclass(info):
        return REGISTERED.update
    return ".replace(...)" if info is not None and info.method("replace") is not None else None


def _is_dataclass(info: ClassInfo) -> bool:
    made = registration(info)
    if made is not None and made.frozen is not None:
        return True  # the project's own marker makes one
    return any(
        isinstance(callee.target, Dotted) and callee.target.dotted == _DATACLASS
        for item in info.mro
        for found in decorations(item.definition)
        for callee in found[:1]
    )


def _keeping(kind: Kind | None, trace: Trace) -> str | None:
    """The transform that carries a write back to the caller, where the library has one."""
    if kind is None or not kind.keeps_writes:
        return None
    own = f"flax.nnx.{trace.transform.name.rpartition('.')[2]}"
    return own if own in TRANSFORMS else None


def told_frozen(world: ProjectWorld, key: str, refusal: Refusal, shown: Site) -> ToldFrozen:
    """What a message about a module says of a write to a frozen object, shown at a site."""
    site, module = refusal.site, world.modules[refusal.site.module]
    by, cause = "", None
    if shown != site:
        line, _ = position(world, site)
        name = called(world.modules[key], shown)
        by = _doing(name.rpartition(".")[2], module.file.label, line)
        cause = Cause(module.file.path, line)
    names, markers, updates = zip(*(_refusing(world, item) for item in refusal.types), strict=True)
    return ToldFrozen(
        assigned(module, site, refusal.attribute),
        done(module, site),
        tuple(sorted({*names})),
        tuple(sorted({*markers} - {""})),
        updates[0] if len({*updates}) == 1 else None,
        by,
        cause,
    )


def _refusing(world: ProjectWorld, type_: Type) -> tuple[str, str, str | None]:
    """A frozen class, what makes it a pytree, and how to make a changed copy of its objects."""
    view = world.class_view(type_)
    if view is not None:
        made = registration(view.info)
        marker = made.marker if made is not None else ""
        return view.info.name, marker, update(_kind(view.info), view.info)
    dotted = type_.dotted if isinstance(type_, External) else ""
    kind = library_kind(dotted) if dotted else None
    if kind is None:
        return str(type_), "", None
    name = dotted.removesuffix("(...)").rpartition(".")[2]
    return name, kind.label, update(kind, None)


def told_cache(found: PytreeCache) -> ToldCache:
    """What a message says of a cache of a pytree class."""
    info, made, cache = found
    fills = filling(info, made)
    may_leak = cache.is_jitted or cached_contents(found) is Holds.ANYTHING
    return ToldCache(
        info.name,
        cache.attribute,
        made.marker,
        fills,
        inherited=cache.owner.name if found.is_inherited else "",
        is_leaked_by_nnx=made.kind.keeps_writes and may_leak,
        is_hashed=hashes_by_identity(info, made) or fills is Filling.KEPT,
        by=cache.by,
    )
