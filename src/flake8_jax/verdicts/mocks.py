"""Mocks: objects that pass for one of a class, and can be assigned whatever that class says."""

from collections.abc import Iterator

from flake8_jax.classes.table import ClassInfo, class_of
from flake8_jax.classes.walks import called_name, placed
from flake8_jax.effects.project import ProjectWorld
from flake8_jax.effects.summaries import Refusal
from flake8_jax.lowering.program import Call, Expr
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.resolve import resolve
from flake8_jax.resolution.scopes import module_scope

_MAKERS = frozenset(
    """AsyncMock MagicMock Mock NonCallableMagicMock NonCallableMock create_autospec""".split()
)
"""What makes mocks, in unittest and in plugins that hand it on."""
_CLASSES = ("spec", "spec_set")


def may_be_mocked(world: ProjectWorld, refusal: Refusal) -> bool:
    """Whether the module of an assignment mocks a class that an argument is said to be of.

    What the module itself has made, and the self of a method, is no mock.
    """
    if not refusal.is_given:
        return False
    mocked = _mocked(world.modules[refusal.site.module])
    views = [world.class_view(item) for item in refusal.types] if mocked else []
    return any(view is not None and view.info in mocked for view in views)


def _mocked(module: Module) -> frozenset[ClassInfo]:
    """The classes of which a module makes mocks, with their ancestors."""
    return module.once(
        _mocked, lambda: frozenset(item for info in _given(module) for item in info.mro)
    )


def _given(module: Module) -> Iterator[ClassInfo]:
    scope = module_scope(module)
    for block in module.blocks:
        program = module.program(block) if any(map(block.has, _MAKERS)) else None
        for node, inside, position in placed(program.body, scope, block.index) if program else ():
            if isinstance(node, Call) and called_name(node) in _MAKERS:
                for found in _specified(node):
                    infos = map(class_of, resolve(inside, found, position))
                    yield from (info for info in infos if info is not None)


def _specified(call: Call) -> Iterator[Expr]:
    """What a mock is to pass for."""
    yield from call.args[:1]
    yield from (value for name, value in call.keywords if name in _CLASSES)
