"""What statements store in."""

from collections.abc import Iterator

import libcst as cst


def targets(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """What a statement itself stores in, or deletes; tuples and lists are taken apart."""
    found: list[cst.BaseExpression] = []
    match node:
        case cst.Assign():
            found += [item.target for item in node.targets]
        case cst.AnnAssign() | cst.AugAssign() | cst.Del() | cst.For():
            found.append(node.target)
        case cst.With():
            found += [item.asname.name for item in node.items if item.asname is not None]
    while found:
        match found.pop(0):
            case cst.Tuple(elements=elements) | cst.List(elements=elements):
                found[:0] = [element.value for element in elements]
            case target:
                yield target
