"""Which classes a call may make objects of: one that a table gives, as in ``CLASSES[name]()``."""

from collections.abc import Iterator

from flake8_jax.classes.walks import is_var
from flake8_jax.knowledge.objects import CONTAINER_MUTATORS
from flake8_jax.lowering.program import Attr, Expr, Item, NewDict, Store
from flake8_jax.lowering.walk import walk
from flake8_jax.resolution.resolve import Expression, Referent, resolve
from flake8_jax.resolution.scopes import END, Position, Scope


def chosen(scope: Scope, callee: Expr) -> Iterator[Referent]:
    """All that a callable may be; of a table of them, each one in it."""
    for found in resolve(scope, callee):
        match found:
            case Expression(expr=Item(base=base)):
                yield from _in_table(found.scope, base, found.position)
            case _:
                yield found


def _in_table(scope: Scope, base: Expr, position: Position = END) -> Iterator[Referent]:
    """What the tables hold that an expression may be; None for what nobody knows."""
    for found in resolve(scope, base, position):
        match found:
            case Expression(expr=NewDict(keys=keys, values=values)):
                if not values or None in keys or is_changed(found):
                    yield None
                for value in values:
                    yield from resolve(found.scope, value, found.position)
            case _:
                yield None


def is_changed(table: Expression) -> bool:
    """Whether something is put into a table once it is made, as far as its scope shows."""
    name = table.name
    if name is None:
        return False
    return table.module.once(
        (is_changed, table.scope.made, name),
        lambda: any(_changes(node, name) for node in _around(table, name)),
    )


def _around(table: Expression, name: str) -> Iterator[object]:
    """All nodes of the scope in which a table has a name."""
    made, module = table.scope.made, table.module
    if made is not None:
        yield from walk(made.body)
        return
    for block in module.blocks:
        program = module.program(block) if block.has(name) else None
        if program is not None:
            yield from walk(program.body)


def _changes(node: object, name: str) -> bool:
    match node:
        case Store(targets=targets):
            return any(isinstance(item, Item) and is_var(item.base, name) for item in targets)
        case Attr(base=base, name=method):
            return method in CONTAINER_MUTATORS and is_var(base, name)
    return False
