"""libcst nodes: made of flake8's own tree, parsed with layout where code is changed, and walked."""

from flake8_jax.syntax.walks import (
    Function,
    children,
    first_parameter,
    flat,
    integer_value,
    is_name,
    last_part,
    parameter_names,
    positional,
    statements,
    string_value,
    walk,
)

__all__ = [
    "Function",
    "children",
    "first_parameter",
    "flat",
    "integer_value",
    "is_name",
    "last_part",
    "parameter_names",
    "positional",
    "statements",
    "string_value",
    "walk",
]
