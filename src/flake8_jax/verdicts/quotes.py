"""Words of the source: what is written, and by which statement."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from flake8_jax.effects.paths import Field, Index, Owner, Selector
from flake8_jax.effects.summaries import Form, Site, Write
from flake8_jax.knowledge.objects import ELEMENT_UPDATES
from flake8_jax.lowering.spans import unpack
from flake8_jax.lowering.stores import DICTIONARY, FUNCTIONS, OUT_BY_POSITION, SELF, by_method
from flake8_jax.resolution.modules import Module
from flake8_jax.workspace.outline import Block, first_line

Node: TypeAlias = ast.expr | ast.stmt
_CLASSES = frozenset({"object", "list", "dict", "set"})
"""Builtins whose methods are called with the object as their first argument."""
_FUNCTIONS = frozenset(dotted.rpartition(".")[2] for dotted in FUNCTIONS)
_DELETING = frozenset({"__delattr__", "delattr", "pop"})
_SYMBOLS: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Div: "/",
    ast.Mult: "*",
    ast.Pow: "**",
    ast.Sub: "-",
}
SET, CHANGED, DELETED = "set", "changed", "deleted"
"""What may be done to something."""


class Quoted(NamedTuple):
    """What stands at a place, and the statement around it."""

    block: Block
    above: int
    """The first line of the block, as its nodes count."""
    node: Node
    statement: ast.stmt

    def text(self, node: Node) -> str:
        """A node in the words of the source."""
        lines = self.block.lines
        first, last = node.lineno - self.above, (node.end_lineno or node.lineno) - self.above
        whole = [*lines[first:last], _cut(lines[last], node.end_col_offset or 0)]
        return "\n".join(whole)[len(_cut(lines[first], node.col_offset)) :]


def _cut(line: str, column: int) -> str:
    """A line up to a column that is counted in bytes."""
    return line.encode()[:column].decode()


def quoted(module: Module, site: Site) -> Quoted | None:
    """What stands at a site."""
    block = module.blocks[site.statement]
    found = module.once((quoted, block.index), lambda: _by_extent(block))
    return found.get(tuple(unpack(site.span)))


def _by_extent(block: Block) -> dict[tuple[int, ...], Quoted]:
    """What stands from where to where, the outermost of several.

    The lines of its nodes are counted from the top of the file while that is linted, and else
    from the top of the block.
    """
    above = min(map(first_line, block.nodes))
    found: dict[tuple[int, ...], Quoted] = {}
    for node, statement in _placed(block.nodes):
        last = (node.end_lineno or node.lineno) - above
        extent = node.lineno - above, node.col_offset, last, node.end_col_offset or 0
        found.setdefault(extent, Quoted(block, above, node, statement))
    return found


def _placed(nodes: tuple[ast.stmt, ...]) -> Iterator[tuple[Node, ast.stmt]]:
    """All expressions and statements, outermost first, each with the statement around it."""
    stack: list[tuple[ast.AST, ast.stmt]] = [(node, node) for node in reversed(nodes)]
    while stack:
        node, statement = stack.pop()
        if isinstance(node, ast.stmt):
            statement = node
        if isinstance(node, ast.expr | ast.stmt):
            yield node, statement
        stack += [(child, statement) for child in reversed([*ast.iter_child_nodes(node)])]


def _expression(found: Quoted | None) -> ast.expr | None:
    """The expression that stands at a place, also as a statement of its own."""
    node = found.node if found is not None else None
    if isinstance(node, ast.Expr):
        node = node.value
    return node if isinstance(node, ast.expr) else None


def _targets(statement: Node) -> Iterator[ast.expr]:
    """What a statement assigns or deletes, in order."""
    stack: list[ast.expr] = []
    match statement:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            stack = targets[::-1]
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target) | ast.For(target=target):
            stack = [target]
    while stack:
        target = stack.pop()
        match target:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                stack += parts[::-1]
            case ast.Starred(value=part):
                stack.append(part)
            case _:
                yield target


def called(module: Module, site: Site) -> str:
    """What is called at a site, in the words of the source; nothing where no call stands."""
    found = quoted(module, site)
    node = _expression(found)
    return found.text(node.func) if found is not None and isinstance(node, ast.Call) else ""


def written(module: Module, write: Write) -> str:
    """What a write of a module changes, in the words of the source."""
    found = quoted(module, write.site)
    if found is None or write.form is Form.NAME:
        return spelled(module, write)
    node = _expression(found)
    if isinstance(node, ast.Call) and write.form is Form.CACHED_FUNCTION:
        return found.text(node.func)
    if isinstance(node, ast.Call) and write.form is not Form.CACHED_PROPERTY:
        return _object(found, node, write) + _member(write)
    if node is not None:
        return found.text(node)
    last = write.path.selectors[-1] if write.form is Form.ATTRIBUTE else None
    name = last.name if isinstance(last, Field) else None
    target = _assigned(found, name, write.path.root.name)
    return found.text(target) if target is not None else spelled(module, write)


def assigned(module: Module, site: Site, attribute: str) -> str:
    """An attribute that is assigned or deleted at a site, in the words of the source."""
    found = quoted(module, site)
    node = _expression(found)
    if found is None:
        return f".{attribute}"
    if isinstance(node, ast.Call):
        return f"{found.text(_target(node))}.{attribute}"
    target = node if node is not None else _assigned(found, attribute)
    return found.text(target) if target is not None else f".{attribute}"


def _assigned(found: Quoted, attribute: str | None, name: str = "") -> ast.expr | None:
    """The target of the statement at a place: an attribute, or an element of something.

    Of several elements it is that of the variable of a name, if there is one.
    """
    targets = [*_targets(found.node)]
    fitting = [item for item in targets if _fits(item, attribute, len(targets) == 1)]
    own = [item for item in fitting if attribute is None and _variable(item) == name]
    return next(iter(own or fitting), None)


def _fits(target: ast.expr, attribute: str | None, is_alone: bool) -> bool:
    match target:
        case ast.Attribute(attr=name):
            return attribute == name or (attribute is None and is_alone)
        case ast.Subscript():
            return attribute is None or _is_key(target, attribute)
    return attribute is None and isinstance(target, ast.Name)


def _variable(target: ast.expr) -> str:
    """The variable that a target begins with."""
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def _is_key(target: ast.Subscript, attribute: str) -> bool:
    """Whether a target is ``vars(x)["attribute"]``."""
    return isinstance(target.slice, ast.Constant) and target.slice.value == attribute


def receiver(module: Module, site: Site) -> str | None:
    """The object whose method is called or compiled at a site; None where there is none."""
    found = quoted(module, site)
    node = _expression(found)
    if found is None or not isinstance(node, ast.Call):
        return None
    for method in (*node.args[:1], node.func):
        if isinstance(method, ast.Attribute):
            owner = method.value
            while isinstance(owner, ast.Attribute):
                owner = owner.value
            if isinstance(owner, ast.Name) and not _is_imported(module, owner.id):
                return found.text(method.value)
    return None


def _is_imported(module: Module, name: str) -> bool:
    return any(block.is_import and name in block.names for block in module.blocks)


def updated(module: Module, site: Site) -> str:
    """What makes an updated copy at a site: ``x.at[...].set`` whatever the index is."""
    found = quoted(module, site)
    node = _expression(found)
    if found is None or not isinstance(node, ast.Call):
        return "the update"
    match node.func:
        case ast.Attribute(
            value=ast.Subscript(value=ast.Attribute(value=array, attr="at")), attr=name
        ):
            return f"{found.text(array)}.at[...].{name}"
    return found.text(node.func)


def _object(found: Quoted, call: ast.Call, write: Write) -> str:
    """The object that a call changes; by its path where the call does not name it: ``push(x)``."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    name = call.func.id if isinstance(call.func, ast.Name) else name
    is_named = by_method(name) is not None or name in _FUNCTIONS
    is_named = is_named or any(keyword.arg == "out" for keyword in call.keywords)
    if is_named or write.form is not Form.ITEM:
        target = _target(call)
        return found.text(_holder(target) if write.form is Form.ATTRIBUTE else target)
    path = write.path.owner
    return path.root.name + "".join(map(_step, path.selectors))


def _target(call: ast.Call) -> ast.expr:
    """The object that a call changes: ``np.add`` is not told from the method of a set."""
    for keyword in call.keywords:
        if keyword.arg == "out":
            return keyword.value
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    out = OUT_BY_POSITION.get(f"numpy.{name}")
    if out is not None and out.target.position < len(call.args):  # which no method takes
        return call.args[out.target.position]
    way = by_method(name)
    is_method = way is not None and way.target == SELF
    if is_method and isinstance(call.func, ast.Attribute):
        owner = call.func.value
        is_class = isinstance(owner, ast.Name) and owner.id in _CLASSES
        return call.args[0] if is_class and call.args else owner
    return call.args[0] if call.args else call.func


def _holder(target: ast.expr) -> ast.expr:
    """The object whose attributes a dictionary holds: ``x`` of ``vars(x)`` and ``x.__dict__``."""
    match target:
        case ast.Call(func=ast.Name(id="vars"), args=[owner]):
            return owner
        case ast.Attribute(value=owner, attr=attribute) if attribute == DICTIONARY:
            return owner
    return target


def _member(write: Write) -> str:
    if write.form is not Form.ATTRIBUTE:
        return ""
    last = write.path.selectors[-1]
    return f".{last.name}" if isinstance(last, Field) else ".*"


def spelled(module: Module, write: Write, owner: str | None = None) -> str:
    """What a write of a module changes, from the variable on.

    ``owner`` is what to call its object, where the variable says nothing.
    """
    path = write.target if write.form is Form.ELEMENT else write.path
    if path.root.owner is Owner.MEMO:
        return path.root.name  # the rest is what it was called with
    steps = [*map(_step, path.selectors)]
    if write.form is Form.ELEMENT:
        steps.append("[...]")
    elif write.form is Form.ATTRIBUTE and steps:
        steps[-1] = _member(write)
    elif write.form is Form.ITEM and called(module, write.site):
        steps.pop()
    name = path.root.name if owner is None else owner
    return name + "".join(steps)


def _step(selector: Selector) -> str:
    match selector:
        case Field(name=name):
            return f".{name}"
        case Index(key=key):
            return f'["{key}"]' if isinstance(key, str) else f"[{key}]"
    return "[...]"


def done(module: Module, site: Site, form: Form = Form.ATTRIBUTE) -> str:
    """What a statement does to what it names: set, changed or deleted."""
    found = quoted(module, site)
    if found is None:
        return SET
    node = _expression(found)
    if isinstance(node, ast.Call):
        if form is Form.ITEM:
            return CHANGED
        return DELETED if _last(node.func) in _DELETING else SET
    if isinstance(found.statement, ast.Delete):
        return DELETED
    return CHANGED if _augments(found) else SET


def _augments(found: Quoted) -> bool:
    """Whether what stands at a place is changed by an operator: ``x.total += 1``."""
    statement = found.statement
    return isinstance(statement, ast.AugAssign) and (
        statement is found.node or statement.target is _expression(found)
    )


def element_method(module: Module, site: Site) -> str:
    """The method of ``x.at[...]`` that does what a statement does to an element."""
    found = quoted(module, site)
    if found is None or not isinstance(found.statement, ast.AugAssign) or not _augments(found):
        return "set"
    return ELEMENT_UPDATES.get(_SYMBOLS.get(type(found.statement.op), ""), "set")


def _last(node: ast.expr) -> str:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""
