"""Template methods: a base class traces what its subclasses write.

Such a method is called on an object of each subclass that fills it in. So the trace is followed
into the subclass, which is where its effects are to be reported.
"""

from collections.abc import Callable, Container, Iterator

from flake8_jax.classes.table import ClassInfo, classes
from flake8_jax.effects.interpreter import Application
from flake8_jax.effects.paths import AccessPath, Owner, Root
from flake8_jax.effects.project import ProjectWorld
from flake8_jax.effects.values import initial
from flake8_jax.resolution.modules import Module


def templates(
    world: ProjectWorld, module: Module, leads: Callable[[Module], Container[str]]
) -> tuple[Application, ...]:
    """Calls of what the classes of a module inherit, and what leads to traces, on their objects.

    ``leads`` tells which names of a module may lead there.
    """
    return tuple(
        _call(world, owner, name, info)
        for info in classes(module)
        for owner, name in _inherited(info)
        if name in leads(owner.module) and _leads_to_traces(world, owner, name)
    )


def _inherited(info: ClassInfo) -> Iterator[tuple[ClassInfo, str]]:
    """What a class inherits, and from which one, if it fills in anything for its ancestors.

    What is private is called by something else, or by nobody.
    """
    ancestors = info.mro[1:]
    own = {name for name in info.bound if name not in _MADE_ANEW}
    if not any(not own.isdisjoint(_words(item)) for item in ancestors):
        return
    seen = {*info.bound}
    for owner in ancestors:
        for name in sorted({*owner.bound} - seen):
            if not _is_private(name):
                yield owner, name
        seen |= {*owner.bound}


def _is_private(name: str) -> bool:
    """Whether nobody but a class and its subclasses is to use a name."""
    return name.startswith("_") and not name.endswith("__")


_MADE_ANEW = frozenset({"__init__", "__doc__", "__slots__", "__repr__", "__module__"})
"""What classes bind without filling in anything."""


def _words(info: ClassInfo) -> frozenset[str]:
    """All names that the statement of a class mentions."""
    return info.module.blocks[info.definition.position[0]].words


def _leads_to_traces(world: ProjectWorld, owner: ClassInfo, name: str) -> bool:
    """Whether a method starts a trace, or is traced, whoever has inherited it."""
    call = _call(world, owner, name, owner)
    world.interpreter.summary(*call)
    reached = world.interpreter.reached([call]).values()
    return any(outcome.runs or outcome.starts for outcome in reached)


def _call(world: ProjectWorld, owner: ClassInfo, name: str, info: ClassInfo) -> Application:
    """A call of what one class binds to a name, on an object of another that inherits it."""
    ref = world.call_on(owner, name)
    [itself, *_] = ref.function.parameters
    value = initial(AccessPath(Root(Owner.PARAMETER, itself.name)))
    types = frozenset({world.own_type(world.class_ref(info), name)})
    return Application(ref, ((itself.name, value.with_types(types)),))
