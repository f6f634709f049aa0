"""All that the code of a module does, found out once for everybody who asks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from flake8_jax.effects.interpreter import Application
from flake8_jax.effects.project import ProjectWorld
from flake8_jax.effects.summaries import Outcome, Run
from flake8_jax.effects.templates import templates
from flake8_jax.resolution.modules import Module
from flake8_jax.verdicts.starting import leading, starting
from flake8_jax.workspace.lifetime import owned


class Reached(NamedTuple):
    """What the code of a module does, and all that it calls."""

    world: ProjectWorld
    key: str
    """The module, as the world knows it."""
    roots: tuple[Application, ...]
    """All code of the module, each function by itself, and what its classes fill in."""
    outcomes: Mapping[Application, Outcome]
    runs: Mapping[Application, Sequence[Run]]
    """The traces that each of them starts with, if one does."""
    traced: Mapping[Application, Outcome]
    """Those of them that some trace reaches."""
    is_whole: bool
    """Whether that is all code of the module, and not just where traces start."""


def world_of(module: Module) -> ProjectWorld:
    """The project around a module: summaries are made once for all files that ask for them."""
    return owned(module.project, ProjectWorld, ProjectWorld)


T = TypeVar("T")


def settled(module: Module, find: Callable[[Reached], Iterable[T]]) -> list[T]:
    """What is found in a module: where traces start first, and if there is something, in all."""
    if not [*find(module.once(started, lambda: started(module)))]:
        return []
    return [*find(reached(module))]


def started(module: Module) -> Reached:
    """What the code of a module leads to in which traces may start."""
    wanted = starting(module)
    if wanted is None:
        return reached(module)
    world = world_of(module)
    key = world.enter(module)
    code = tuple(Application(ref) for ref in world.code_of(key, wanted))
    return _from(world, key, (*code, *templates(world, module, leading)), is_whole=False)


def reached(module: Module) -> Reached:
    """What the code of a module leads to."""
    return module.once(reached, lambda: _reached(module))


def _reached(module: Module) -> Reached:
    world = world_of(module)
    key = world.enter(module)
    code = tuple(Application(ref) for ref in world.code(key))
    return _from(world, key, (*code, *templates(world, module, leading)), is_whole=True)


def _from(
    world: ProjectWorld, key: str, roots: tuple[Application, ...], *, is_whole: bool
) -> Reached:
    interpreter = world.interpreter
    for root in roots:
        interpreter.summary(*root)
    outcomes = interpreter.reached(roots)
    runs = _runs(outcomes.values())
    return Reached(world, key, roots, outcomes, runs, interpreter.reached(runs), is_whole)


def _runs(outcomes: Iterable[Outcome]) -> dict[Application, list[Run]]:
    found: dict[Application, list[Run]] = {}
    for outcome in outcomes:
        for run in outcome.runs:
            if run.is_refused:
                continue
            found.setdefault(Application(run.function, run.given), []).append(run)
    return found
