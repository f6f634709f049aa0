"""Plain Python in the place of JAX's transforms: functions get the very objects of their caller.

This is the control of a write: what it would have changed had nothing been traced. Unlike under
``jax.disable_jit()``, no transform rebuilds its arguments, neither ``vmap`` nor the carries of
loops. Both branches of a ``cond`` run, as they do when they are traced, and loops run once.
"""

import contextlib
import functools
import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import mock

Function = Callable[..., Any]


def _wrapping(function: Function | None = None, **_: Any) -> Any:
    """Like jit, vmap, checkpoint: a function comes out that does the same."""
    if function is None:
        return _wrapping

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return _Method(run)


class _Method:
    """A wrapped function that binds as a method and has the parts of a jitted one."""

    def __init__(self, run: Function) -> None:
        functools.update_wrapper(self, run)
        self._run = run

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._run(*args, **kwargs)

    def __get__(self, owner: Any, _: Any = None) -> Any:
        return self if owner is None else functools.partial(self._run, owner)


def _grad(function: Function, argnums: int = 0, has_aux: bool = False, **_: Any) -> Function:
    def run(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        return (args[argnums], result[1]) if has_aux else args[argnums]

    return run


def _value_and_grad(function: Function, argnums: int = 0, **_: Any) -> Function:
    def run(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs), args[argnums]

    return run


def _scan(f: Function, init: Any, xs: Any = None, *_: Any, **__: Any) -> Any:
    return f(init, xs)


def _cond(pred: Any, true_fun: Function, false_fun: Function, *operands: Any, **_: Any) -> Any:
    results = [branch(*operands) for branch in (true_fun, false_fun)]
    return results[0 if pred else 1]


def _switch(index: Any, branches: Sequence[Function], *operands: Any, **_: Any) -> Any:
    results = [branch(*operands) for branch in branches]
    return results[int(index)]


def _while(cond_fun: Function, body_fun: Function, init_val: Any, **_: Any) -> Any:
    cond_fun(init_val)
    return body_fun(init_val)


def _fori(lower: Any, _: Any, body_fun: Function, init_val: Any, **__: Any) -> Any:
    return body_fun(lower, init_val)


def _map(f: Function, xs: Any, **_: Any) -> Any:
    return f(xs)


def _pullback(function: Function, *primals: Any, **_: Any) -> Any:
    return function(*primals), lambda cotangent: cotangent


PLAIN: dict[str, Function] = {
    "jax.jit": _wrapping,
    "jax.vmap": _wrapping,
    "jax.checkpoint": _wrapping,
    "jax.remat": _wrapping,
    "jax.grad": _grad,
    "jax.value_and_grad": _value_and_grad,
    "jax.vjp": _pullback,
    "jax.lax.scan": _scan,
    "jax.lax.cond": _cond,
    "jax.lax.switch": _switch,
    "jax.lax.while_loop": _while,
    "jax.lax.fori_loop": _fori,
    "jax.lax.map": _map,
    "equinox.filter_jit": _wrapping,
    "equinox.filter_vmap": _wrapping,
    "flax.nnx.jit": _wrapping,
}
"""What stands in for each transform."""


@contextlib.contextmanager
def transparent() -> Iterator[None]:
    """Replace the transforms, for programs that are loaded and run meanwhile."""
    with contextlib.ExitStack() as stack:
        for name, plain in PLAIN.items():
            module, _, attribute = name.rpartition(".")
            owner = importlib.import_module(module)
            stack.enter_context(mock.patch.object(owner, attribute, plain))
        yield
