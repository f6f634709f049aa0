"""The fixes that the rules offer, imported when one is asked for: linting needs none of them."""

from typing import TYPE_CHECKING, Any

import libcst as cst

if TYPE_CHECKING:
    from flake8_jax.caches import PytreeCache
    from flake8_jax.fixes.edits import Fix
    from flake8_jax.flow.values import FrozenWrite
    from flake8_jax.model import Model
    from flake8_jax.resolution.modules import Module
    from flake8_jax.source import Piece
    from flake8_jax.writes import Verdict


def plain_property(found: "PytreeCache") -> "Fix | None":
    """The fix of a cached property on a pytree."""
    from flake8_jax.fixes import first

    return first.plain_property(found)


def plain_method(found: "PytreeCache") -> "Fix | None":
    """The fix of a function cache on a pytree's method."""
    from flake8_jax.fixes import first

    return first.plain_method(found)


def hand_back(model: "Model", found: "Verdict") -> "Fix | None":
    """The fix of a write that is lost."""
    from flake8_jax.fixes import first

    return first.hand_back(model, found)


def bind_copy(model: "Model", node: cst.CSTNode, write: "FrozenWrite") -> "Fix | None":
    """The fix of an assignment to a frozen pytree."""
    from flake8_jax.fixes import first

    return first.bind_copy(model, node, write)


def bind_array(model: "Model", found: "Verdict") -> "Fix | None":
    """The fix of an item assignment to an array."""
    from flake8_jax.fixes import first

    return first.bind_array(model, found)


def bind_result(model: "Model", piece: "Piece", node: cst.CSTNode) -> "Fix | None":
    """The fix of an update that is thrown away."""
    from flake8_jax.fixes import first

    return first.bind_result(model, piece, node)


def mend(how: str, module: "Module", found: Any) -> "Fix | None":
    """The fix of what the second core found, by the name of the function that makes it."""
    from flake8_jax.fixes import mending

    fix: Fix | None = getattr(mending, how)(module, found)
    return fix
