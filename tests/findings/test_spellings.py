"""Names that are JAX's under another name, and names that only look like it.

Each case is a module; ``# want`` comments mark what flake8 has to print, as in the fixtures.
"""

import pytest

from flake8_jax.evidence.fixtures import Fixture, Mark
from flake8_jax.evidence.verdicts import lint

BODY = """\
    x: jax.Array

    @{cache}  # want: JAX101:5
    def y(self):
        return jax.numpy.sin(self.x)
"""
NODE = "class Node(flax.struct.PyTreeNode):\n"


def hazard(imports: str, cache: str, header: str = NODE) -> str:
    return f"import flax.struct\nimport jax\n{imports}\n\n\n{header}{BODY.format(cache=cache)}"


def silent(text: str) -> str:
    return text.replace("  # want: JAX101:5", "")


CASES = {
    "module": hazard("import functools", "functools.cached_property"),
    "module alias": hazard("import functools as ft", "ft.cached_property"),
    "name": hazard("from functools import cached_property", "cached_property"),
    "name alias": hazard("from functools import cached_property as cp", "cp"),
    "assigned alias": hazard(
        "import functools\n\ncp = functools.cached_property\nagain = cp", "again"
    ),
    "star import": hazard("from functools import *", "cached_property"),
    "two star imports": hazard("from os import *\nfrom functools import *", "cached_property"),
    "try": hazard(
        "try:\n    from functools import cached_property\n"
        "except ImportError:\n    cached_property = property",
        "cached_property",
    ),
    "version": hazard(
        "import sys\nif sys.version_info >= (3, 8):\n    from functools import cached_property\n"
        "else:\n    from backports.cached_property import cached_property",
        "cached_property",
    ),
    "type checking": hazard(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
        "    from functools import cached_property\nelse:\n"
        "    from werkzeug.utils import cached_property",
        "cached_property",
    ),
    "type checking only": hazard(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
        "    from functools import cached_property",
        "cached_property",
    ),
    "own wrapper": hazard(
        "import functools\n\n\ndef keep(function):\n    return functools.cached_property(function)",
        "keep",
    ),
    "parenthesised": hazard("import functools", "(functools.cached_property)"),
    "base by alias": hazard(
        "import functools\nBase = flax.struct.PyTreeNode",
        "functools.cached_property",
        "class Node(Base):\n",
    ),
    "generic base": hazard(
        "import functools\nfrom typing import Generic, TypeVar\nT = TypeVar('T')",
        "functools.cached_property",
        "class Node(flax.struct.PyTreeNode, Generic[T]):\n",
    ),
    "rebound after registration": silent(
        hazard("import functools", "functools.cached_property", "class Node:\n")
    ).replace("@functools.cached_property", "@functools.cached_property  # want: JAX101:5")
    + "\n\nNode = flax.struct.dataclass(Node)\n",
    "own function of that name": silent(
        hazard("def cached_property(function):\n    return property(function)", "cached_property")
    ),
    "bound again later": silent(
        hazard(
            "from functools import cached_property\ncached_property = property", "cached_property"
        )
    ),
    "parameter shadows": silent(
        "import flax.struct\nimport jax\nfrom functools import cached_property\n\n\n"
        "def make(cached_property):\n    class Node(flax.struct.PyTreeNode):\n"
        "        x: jax.Array\n\n        @cached_property\n        def y(self):\n"
        "            return self.x\n\n    return Node\n"
    ),
    "own base of that name": silent(
        hazard(
            "import functools\n\n\nclass PyTreeNode:\n    pass",
            "functools.cached_property",
            "class Node(PyTreeNode):\n",
        )
    ),
    "another library": silent(hazard("from mylib import cached_property", "cached_property")),
    "relative import": silent(hazard("from .functools import cached_property", "cached_property")),
    "one branch is a plain property": silent(
        hazard(
            "import os\nif os.sep:\n    from functools import cached_property\n"
            "else:\n    cached_property = property",
            "cached_property",
        )
    ),
    "overwritten in the class": silent(hazard("import functools", "functools.cached_property"))
    + "\n    y = property(lambda self: self.x)\n",
    "deleted in the class": silent(hazard("import functools", "functools.cached_property"))
    + "\n    del y\n",
    "abstract": silent(
        hazard("import functools", "functools.cached_property").replace(
            "        return jax.numpy.sin(self.x)", "        raise NotImplementedError"
        )
    ),
    "own jit": "import jax\n\n\ndef jit(function):\n    return function\n\n\n"
    "state = []\n\n\n@jit\ndef step(x):\n    state.append(x)\n    return x\n",
    "jit of numba": "import jax\nfrom numba import jit\n\nstate = []\n\n\n"
    "@jit\ndef step(x):\n    state.append(x)\n    return x\n",
    "own wrapper of jit": "import jax\n\n\ndef fast(function):\n    return jax.jit(function)\n\n\n"
    "state = []\n\n\n@fast\ndef step(x):\n    state.append(x)  # want: JAX303:5\n    return x\n",
}


@pytest.fixture(scope="module")
def findings(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, tuple[Fixture, tuple[Mark, ...]]]:
    folder = tmp_path_factory.mktemp("JAX101")
    fixtures: dict[str, Fixture] = {}
    for index, (name, text) in enumerate(CASES.items()):
        path = folder / f"hazard_{index}.py"
        path.write_text(text)
        fixtures[name] = Fixture(path)
    found = lint(list(fixtures.values()))
    return {name: (fixture, found[fixture]) for name, fixture in fixtures.items()}


@pytest.mark.parametrize("name", CASES)
def test_spelling(name: str, findings: dict[str, tuple[Fixture, tuple[Mark, ...]]]) -> None:
    fixture, found = findings[name]
    assert found == fixture.marks()
