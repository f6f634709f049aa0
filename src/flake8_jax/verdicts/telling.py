"""What is told of a verdict: the facts that a message is made of."""

from flake8_jax.classes.caches import PytreeCache
from flake8_jax.classes.frozen import library_kind
from flake8_jax.classes.layout import filling
from flake8_jax.classes.registration import registration
from flake8_jax.classes.table import ClassInfo, decorations
from flake8_jax.effects.callees import External
from flake8_jax.effects.project import ProjectWorld, position
from flake8_jax.effects.summaries import Form, Refusal, Site, Trace, Write
from flake8_jax.effects.values import Type
from flake8_jax.knowledge.pytrees import REGISTERED, REGISTERED_STATIC, Kind
from flake8_jax.knowledge.transforms import TRANSFORMS
from flake8_jax.resolution.imports import External as Dotted
from flake8_jax.verdicts.contents import Holds, cached_contents
from flake8_jax.verdicts.quotes import assigned, called, done, receiver, spelled, written
from flake8_jax.wording import Told, ToldCache, ToldFrozen

_AS_DATACLASS = frozenset({REGISTERED.label, REGISTERED_STATIC.label})
"""Kinds whose objects can be copied with ``dataclasses.replace`` if they are dataclasses."""
_DATACLASS = "dataclasses.dataclass"


def told(
    world: ProjectWorld, key: str, write: Write, trace: Trace, shown: Site, others: int = 0
) -> Told:
    """What a message about a module says of a write that is shown at a site.

    ``others`` is at how many other places of the module the same happens.
    """
    info = _class_of(world, write)
    kind = _kind(info)
    module = world.modules[write.site.module]
    if write.site.module == key:
        text = written(module, write)
    else:
        text = spelled(module, write, receiver(world.modules[key], shown))
    return Told(
        text,
        done(module, write),
        _reason(world, key, write, trace, shown, others),
        update(kind, info),
        _keeping(kind, trace),
        write.form is Form.ITEM,
    )


def _reason(
    world: ProjectWorld, key: str, write: Write, trace: Trace, shown: Site, others: int
) -> str:
    """The traced callable and the way to the write."""
    name = trace.function
    innermost = write.via[-1] if write.via else name
    through = f", through '{innermost}'" if innermost != name else ""
    if write.site.module != key:
        line, _ = position(world, write.site)
        label = world.modules[write.site.module].file.label
        through = f", by '{innermost}' in {label} on line {line}"
    defined = _line(world, key, trace.defined)
    begun = _line(world, key, trace.site)
    is_told = begun in (defined, _line(world, key, shown)) or trace.site == write.site
    by = trace.transform.name + ("" if is_told else f" on {begun}")
    more = f" and in {others} more place{'s'[: others - 1]}" if others else ""
    return f"under {by} ('{name}', {defined}{through}){more}"


def _line(world: ProjectWorld, key: str, site: Site) -> str:
    line = f"line {position(world, site)[0]}"
    return line if site.module == key else f"{line} of {world.modules[site.module].file.label}"


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
    by = ""
    if shown != site:
        name = called(world.modules[key], shown)
        by = f"'{name}' in {module.file.label} on line {position(world, site)[0]}"
    labels, copies = zip(*(_refusing(world, item) for item in refusal.types), strict=True)
    copied = copies[0] if len({*copies}) == 1 else None
    text = assigned(module, site, refusal.attribute)
    return ToldFrozen(text, " or ".join(sorted({*labels})), copied, by)


def _refusing(world: ProjectWorld, type_: Type) -> tuple[str, str | None]:
    """A frozen class, and how to make a changed copy of its objects."""
    view = world.class_view(type_)
    if view is not None:
        made = registration(view.info)
        marker = f", {made.marker}" if made is not None else ""
        return f"{view.info.name}{marker}", update(_kind(view.info), view.info)
    kind = library_kind(type_.dotted) if isinstance(type_, External) else None
    return (kind.label, update(kind, None)) if kind is not None else (str(type_), None)


def told_cache(found: PytreeCache, label: str) -> ToldCache:
    """What a message says of a cache of a pytree class."""
    made, cache = found.registration, found.cache
    may_leak = cache.is_jitted or cached_contents(found) is Holds.ANYTHING
    is_leaked = made.kind.keeps_writes and may_leak
    return ToldCache(label, filling(found.info, made), is_leaked, cache.by)
