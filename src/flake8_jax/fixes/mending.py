"""The fixes of what was found, from what the verdicts know of it."""

import libcst as cst

from flake8_jax.classes.caches import PytreeCache
from flake8_jax.classes.frozen import library_kind
from flake8_jax.classes.registration import registration
from flake8_jax.effects.callees import External, trace_of
from flake8_jax.effects.paths import Field, Owner
from flake8_jax.effects.project import ProjectWorld, position
from flake8_jax.effects.roles import Role, roles
from flake8_jax.effects.summaries import Form, Site, Trace, Write
from flake8_jax.effects.values import Type
from flake8_jax.fixes import arrays, caches, frozen, results, returning
from flake8_jax.fixes.declining import DeclinedError
from flake8_jax.fixes.edits import Fix
from flake8_jax.fixes.nodes import expression_at, extent_of, piece_of, statement_at
from flake8_jax.resolution.modules import Module
from flake8_jax.verdicts.arrays import Eager
from flake8_jax.verdicts.frozen import Raised
from flake8_jax.verdicts.judge import Verdict
from flake8_jax.verdicts.reached import reached
from flake8_jax.verdicts.writes import verdicts


def plain_property(_module: Module, found: PytreeCache) -> Fix | None:
    """The fix of a cached property on a pytree."""
    return caches.plain_property(found)


def plain_method(_module: Module, found: PytreeCache) -> Fix | None:
    """The fix of a function cache on a pytree's method."""
    return caches.plain_method(found)


def bind_copy(module: Module, found: Raised) -> Fix | None:
    """The fix of an assignment to a frozen pytree, if its object is one whoever calls."""
    start = reached(module)
    site, refusal = found.site, found.refusal
    by_itself = (item for root in start.roots for item in start.outcomes[root].refusals)
    node = statement_at(module, (site.statement, site.span))
    if node is None or site != refusal.site:
        there = refusal.site
        line = position(start.world, there)[0]
        where = "" if there.module == start.key else f" of {_path(module, there)}"
        raise DeclinedError(f"the assignment stands on line {line}{where}; bind its copy there")
    piece = piece_of(module, site.statement)
    refused = _refused(start.world, refusal.types, refusal.attribute)
    if refused is None or refusal not in by_itself:
        line = piece.position(node)[0]
        raise DeclinedError(
            f"only some callers give line {line} an object that is frozen; annotate it"
        )
    return frozen.bind_copy(module, piece, node, refused)


def _refused(world: ProjectWorld, types: frozenset[Type], attribute: str) -> frozen.Refused | None:
    """An attribute of an object of one class."""
    for item in types if len(types) == 1 else ():
        view = world.class_view(item)
        if view is not None:
            made = registration(view.info)
            return frozen.Refused(attribute, made.kind, view.info) if made is not None else None
        kind = library_kind(item.dotted) if isinstance(item, External) else None
        return frozen.Refused(attribute, kind, None) if kind is not None else None
    return None


def bind_array(module: Module, found: Verdict | Eager) -> Fix | None:
    """The fix of an item assignment to an array."""
    if isinstance(found, Eager):
        node = statement_at(module, found.position)
        if node is None:
            raise DeclinedError("the assignment cannot be read")
        element = arrays.Element(is_known=True, traced=None, is_certain=True)
        return arrays.bind_array(module, piece_of(module, found.position[0]), node, element)
    site, defined = found.write.site, found.trace.defined
    node = _statement(module, site)
    if node is None:
        line = position(reached(module).world, site)[0]
        raise DeclinedError(f"the assignment stands on line {line} of {_path(module, site)}")
    is_here = defined[:2] == site[:2]
    traced = extent_of(module, (defined.statement, defined.span))[:2] if is_here else None
    element = arrays.Element(bool(found.write.types), traced, _same(module, found.trace))
    return arrays.bind_array(module, piece_of(module, site.statement), node, element)


def _same(module: Module, trace: Trace) -> frozenset[str]:
    """The parameters that a traced function gets as they are."""
    runs = (run for found in reached(module).runs.values() for run in found)
    return frozenset(
        name
        for run in runs
        if trace_of(run.traced, run.function) == trace
        for name, role in roles(run.traced).items()
        if role is not Role.REBUILT
    )


def bind_result(module: Module, site: Site) -> Fix | None:
    """The fix of an update that is thrown away."""
    node = expression_at(module, (site.statement, site.span))
    return results.bind_result(module, piece_of(module, site.statement), node) if node else None


def hand_back(module: Module, found: Verdict) -> Fix | None:
    """The fix of a write that is lost."""
    defined, write = found.trace.defined, found.write
    function = _statement(module, defined)
    piece = piece_of(module, defined.statement) if function is not None else None
    said = f"{found.trace.function!r}"
    if piece is None or not isinstance(function, cst.FunctionDef):
        raise DeclinedError(f"{said}, which is traced, stands in another module or has no name")
    line = piece.position(function)[0]
    if not found.trace.transform.is_jit:
        name = found.trace.transform.name
        raise DeclinedError(f"{said} on line {line} is traced by {name}, whose results are its own")
    if write.path.root.owner is not Owner.PARAMETER:
        raise DeclinedError(f"what is changed is no parameter of {said} on line {line}")
    if piece.tree is None or function not in piece.tree.body:
        raise DeclinedError(f"{said} on line {line} is no function of the module itself")
    changes: dict[cst.CSTNode, returning.Change] = {}
    world = reached(module).world
    for item in verdicts(reached(module)):
        node = _statement(module, item.write.site)
        if item.trace == found.trace and node is not None:
            name = item.write.path.root.name
            changes[node] = returning.Change(name, _changed(world, item.write))
    return returning.hand_back(
        module, returning.Lost(piece, function, write.path.root.name, changes)
    )


def _changed(world: ProjectWorld, write: Write) -> frozen.Refused | None:
    """The attribute of an argument itself that a statement of its function sets."""
    match write.path.selectors:
        case [Field(name=name)] if write.form is Form.ATTRIBUTE and not write.via:
            return _refused(world, write.types, name)
    return None


def _path(module: Module, site: Site) -> str:
    return reached(module).world.modules[site.module].file.label


def _statement(module: Module, site: Site) -> cst.CSTNode | None:
    """The statement of a module at a site; None where that is in another module."""
    if site.module != module.file.path:
        return None
    return statement_at(module, (site.statement, site.span))
