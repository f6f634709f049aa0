"""How the tests are shared among processes, and what keeps each of them small and cheap."""

import gc
import os
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from flake8_jax.workspace import collector

MEMORY = 1.5
"""Gigabytes that a worker may hold."""
LETTING_GO = 25
"""After how many tests under jax what jax has compiled for them is let go."""
LOOKING = 400
"""After how many other tests the collector looks at everything."""
SETTINGS = {
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true",
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}
"""Most of the time goes into compiling: fast code is of no use to programs that run once, and what
was compiled for one test, in whatever process, serves the others. Neither changes what is traced,
when, or what becomes of objects, which is what is measured."""
COMPILED = "JAX_COMPILATION_CACHE_DIR"
_REPOSITORY = Path(__file__).parent.parent
_FIXTURE = re.compile(r"\[(?P<code>JAX\d{3})[-/](?:hazard|fixed|lookalike)_(?P<name>\w+)\]$")
_HEAVY = re.compile(r"^\s*(?:import|from) (?:brax|mujoco|netket)\b", re.M)
FIRST = (
    "test_precommit.py",
    "test_fixed_fixtures.py",
    "test_generated_programs.py",
    "test_kept_values.py",
)
"""What takes longest begins first, so that no worker is alone with it at the end."""
SINGLE = frozenset(
    {"test_precommit.py", "test_hostile.py", "test_plugin.py", "test_modules.py", "test_growth.py"}
)
"""Modules of many slow tests that share nothing."""


UNDER_JAX = frozenset(
    {
        "test_counted_computations.py",
        "test_fixed_fixtures.py",
        "test_fixtures.py",
        "test_generated_programs.py",
        "test_harness.py",
        "test_kept_values.py",
        "test_tables_under_jax.py",
        "test_transforms_and_writes.py",
    }
)
"""Modules of tests that run programs under jax in the process of the tests."""


def fits() -> int:
    """The number of workers for which there are cores and memory."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(cores or 1, int(available_gigabytes() / MEMORY)))


def available_gigabytes() -> float:
    """The memory that is free, or that of the container, if that is less; plenty if none tells."""
    found = [1024.0]
    for path, pattern in _MEMORY.items():
        text = path.read_text() if path.exists() else ""
        if match := re.search(pattern, text, re.M):
            found.append(int(match[1]) / (2**20 if path.name == "meminfo" else 2**30))
    return min(found)


_MEMORY = {
    Path("/proc/meminfo"): r"^MemAvailable:\s*(\d+) kB",
    Path("/sys/fs/cgroup/memory.max"): r"^(\d+)$",
}


def together(nodeid: str) -> str:
    """What a test shares with others that are to run in the same process.

    Fixtures go with their twins, whose runs they share; those that import the largest libraries
    go together; other tests go by module, unless theirs share nothing.
    """
    module, _, name = nodeid.partition("::")
    if match := _FIXTURE.search(name):
        pair = f"{match['code']}/{match['name']}"
        return "the largest libraries" if pair in _with_heavy_imports() else pair
    return nodeid if Path(module).name in SINGLE else module


@cache
def _with_heavy_imports() -> frozenset[str]:
    found = set()
    root = _REPOSITORY / "fixtures"
    for path in root.glob("JAX*/**/*.py"):
        if _HEAVY.search(path.read_text(encoding="utf-8")):
            code, name = path.relative_to(root).parts[:2]
            found.add(f"{code}/{name.removesuffix('.py').partition('_')[2]}")
    return frozenset(found)


def order(item: pytest.Item) -> int:
    """The place of a test among those of other modules."""
    name = item.path.name
    return FIRST.index(name) if name in FIRST else len(FIRST)


class LettingGo:
    """Takes from jax what it keeps of tests that are over, and spares the collector the rest.

    jax and the libraries are a million objects, which the collector would look at again and again.
    They are set aside, as the plugin sets aside what it remembers; what the plugin wants to be
    looked at again waits until here.
    """

    def __init__(self) -> None:
        self.under_jax = self.others = 0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self) -> None:
        collector.unfreeze = _nothing
        _look_at_everything()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        if item.path.name in UNDER_JAX:
            self.under_jax += 1
            if self.under_jax % LETTING_GO == 0:
                for name in [name for name in sys.modules if name.startswith("fixture_")]:
                    del sys.modules[name]
                sys.modules["jax"].clear_caches()
                _look_at_everything()
        else:
            self.others += 1
            if self.others % LOOKING == 0:
                _look_at_everything()


def _look_at_everything() -> None:
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _nothing() -> None:
    pass
