"""The fixes that the rules offer, imported when one is asked for: linting needs none of them."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flake8_jax.fixes.edits import Fix
    from flake8_jax.resolution.modules import Module


def mend(how: str, module: "Module", found: Any) -> "Fix | None":
    """The fix of what was found in a module, by the name of the function that makes it."""
    from flake8_jax.fixes import mending

    fix: Fix | None = getattr(mending, how)(module, found)
    return fix
