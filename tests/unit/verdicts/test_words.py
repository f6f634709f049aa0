"""What messages quote, and what they say to do."""

import ast

import pytest

from flake8_jax.knowledge.pytrees import Kind
from flake8_jax.verdicts.quotes import _target
from flake8_jax.verdicts.telling import update


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("x.append(1)", "x"),
        ("list.append(x, 1)", "x"),
        ("np.add(a, b, out=s.x)", "s.x"),
        ("np.add(a, b, s.x)", "s.x"),
        ("np.clip(a, 0, 1, c)", "c"),
        ("np.sin(a, where=w)", "a"),
        ("np.add(a, b, where=w, out=c)", "c"),
        ("f()", "f"),
    ],
)
def test_the_object_that_a_call_changes(call: str, expected: str) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    assert ast.unparse(_target(node)) == expected


def test_a_kind_may_have_no_call_for_a_changed_copy() -> None:
    assert update(Kind("a.b"), None) == ".replace(...)"
    assert update(Kind("a.b", update=""), None) is None
    assert update(None, None) is None
