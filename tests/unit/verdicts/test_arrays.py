"""Elements of jax arrays that are assigned outside of traced code."""

from pathlib import Path

import pytest

from flake8_jax.resolution.modules import module_of
from flake8_jax.verdicts import arrays
from flake8_jax.workspace.files import Project, Settings
from flake8_jax.workspace.outline import attach, parsed

IMPORTS = "import jax, numpy as np\nimport jax.numpy as jnp\n"


def found(tmp_path: Path, code: str) -> list[tuple[int, str]]:
    """The lines of the code that are reported, from 1, and the elements."""
    text = IMPORTS + code
    project = Project(Settings(), str(tmp_path))
    file = project.open("main.py", text, project)
    tree = parsed(text)
    assert tree is not None
    attach(file, text.splitlines(keepends=True), tree)
    return [
        (place.line - 2, getattr(place.told, "text", ""))
        for place in arrays.places(module_of(project, file))
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = jnp.zeros(3)\nx[0] = 1\n", [(2, "x[0]")]),
        ("def f():\n    x = jnp.ones(3) * 2\n    x[1:] += 1\n    return x\n", [(3, "x[1:]")]),
        (
            "def f(n):\n    x = jnp.zeros(n)\n    for i in range(n):\n        x[i] = i\n",
            [(4, "x[i]")],
        ),
        (
            "def f():\n    x = jnp.zeros(2)\n    x = x.at[0].set(1)\n    x[1], y = 1, 2\n",
            [(4, "x[1]")],
        ),
        (
            "class A:\n    def f(self, k):\n        x = jax.random.normal(k)\n        x[0] = 1\n",
            [(4, "x[0]")],
        ),
        (
            "def f():\n    def g():\n        x = jnp.zeros(2)\n        with open('a'):\n"
            "            x[0] = 1\n    return g\n",
            [(5, "x[0]")],
        ),
        ("x = jnp.zeros((2, 2))\nx[\n    0,\n    1,\n] = 1\n", [(2, "x[ 0, 1, ]")]),
    ],
)
def test_what_can_only_be_an_array_is_reported(
    tmp_path: Path, code: str, expected: list[tuple[int, str]]
) -> None:
    assert found(tmp_path, code) == expected


@pytest.mark.parametrize(
    "code",
    [
        "x = np.zeros(3)\nx[0] = 1\n",
        "def f(x):\n    x[0] = 1\n",
        "def f(x):\n    x = x or jnp.zeros(3)\n    x[0] = 1\n",
        "def f(on_device):\n    x = jnp.zeros(3)\n    if on_device:\n        x = np.zeros(3)\n"
        "    x[0] = 1\n",
        "def f(on_device):\n    xp = jnp if on_device else np\n    x = xp.zeros(3)\n    x[0] = 1\n",
        "def f(unit):\n    x = jnp.zeros(3) * unit\n    x[0] = 1\n",
        "def f():\n    x = {'a': jnp.zeros(3)}\n    x['a'] = 1\n",
        "def f():\n    x, y = jnp.zeros(3), []\n    y[0] = 1\n",
        "def f():\n    for x in [jnp.zeros(3), np.zeros(3)]:\n        x[0] = 1\n",
        "def f(tables):\n    for x in tables:\n        x[0] = 1\n",
        "def f():\n    x = jnp.zeros(3)\n    try:\n        x[0] = 1\n    except TypeError:\n"
        "        pass\n",
        "def f():\n    x = jnp.zeros(3)\n    with pytest.raises(TypeError):\n        x[0] = 1\n",
        "def f():\n    x = jnp.zeros(3)\n    x[0] = 1\n\ndef test():\n    assert_raises = 0\n"
        "    with pytest.raises(TypeError):\n        f()\n",
        "def f():\n    x = jnp.zeros(3)\n    def g():\n        nonlocal x\n        x = np.ones(3)\n"
        "    g()\n    x[0] = 1\n",
        "x = jnp.zeros(3)\ndef g():\n    global x\n    x = np.ones(3)\ng()\nx[0] = 1\n",
        "def f():\n    x = jnp.nonzero(1)\n    x[0] = 1\n",
        "try:\n    import jax.numpy as xp\nexcept ImportError:\n    import numpy as xp\n"
        "x = xp.zeros(3)\nx[0] = 1\n",
        "if jax:\n    import jax.numpy as xp\nelse:\n    import numpy as xp\n"
        "x = xp.zeros(3)\nx[0] = 1\n",
        "def f():\n    x = jnp.zeros(3)\n    if isinstance(x, np.ndarray):\n        x[0] = 1\n",
    ],
)
def test_what_may_be_something_else_is_silent(tmp_path: Path, code: str) -> None:
    assert found(tmp_path, code) == []
