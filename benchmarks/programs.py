"""Programs of any size, to see how the work grows with them."""

from collections.abc import Callable, Mapping

Files = Mapping[str, str]
"""Texts by their names; the one called main.py is linted."""

_START = "import functools\n\nimport flax.struct\nimport jax\n\nseen = []\n\n\n"


def _main(text: str) -> Files:
    return {"main.py": _START + text}


def _step(body: str, arguments: str = "x, s") -> Files:
    return _main(f"@jax.jit\ndef step({arguments}):\n{body}    return x\n")


def functions(size: int) -> Files:
    """Functions that write, each called by traced code."""
    texts = [f"def f{i}(s, x):\n    s.a{i} = x\n\n\n" for i in range(size)]
    calls = "".join(f"    f{i}(s, x)\n" for i in range(0, size, 10))
    return _main("".join(texts) + f"@jax.jit\ndef step(x, s):\n{calls}    return x\n")


def call_chain(size: int) -> Files:
    """Functions that call the next one; the last writes."""
    texts = [f"def f{i}(s, x):\n    return f{i + 1}(s, x)\n\n\n" for i in range(size)]
    last = f"def f{size}(s, x):\n    s.a = x\n    return x\n\n\n"
    return _main("".join(texts) + last + "step = jax.jit(f0)\n")


def mutual_recursion(size: int) -> Files:
    """Functions that write, and call each other in a ring and across it."""
    texts = [
        f"def f{i}(s, x):\n    s.a{i} = x\n    f{(i + 1) % size}(s, x)\n"
        f"    return f{(i * 7 + 3) % size}(s, x)\n\n\n"
        for i in range(size)
    ]
    return _main("".join(texts) + "step = jax.jit(f0)\n")


def ring(size: int) -> Files:
    """Functions that write, and call the next one or come back; the last calls the first."""
    texts = [
        f"def f{i}(s, x, n):\n    s.a{i} = x\n    if n == {i}:\n        return x\n"
        f"    return f{(i + 1) % size}(s, x, n)\n\n\n"
        for i in range(size)
    ]
    return _main("".join(texts) + "step = jax.jit(f0, static_argnums=2)\n")


def ring_of_properties(size: int) -> Files:
    """Properties that write, and read the next one or come back; the last reads the first."""
    properties = "".join(
        f"    @property\n    def p{i}(self):\n        self.a{i} = self.x + 1\n"
        f"        if self.n == {i}:\n            return self.x\n"
        f"        return self.p{(i + 1) % size}\n\n"
        for i in range(size)
    )
    step = "\n@jax.jit\ndef step(c: C):\n    return c.p0\n"
    return _main(f"@jax.tree_util.register_pytree_node_class\nclass C:\n{properties}{step}")


def class_chain(size: int) -> Files:
    """Classes that inherit from the one before; the first is a pytree with a cache."""
    first = "class C0(flax.struct.PyTreeNode):\n    x: int\n\n    @functools.cached_property\n"
    first += "    def y(self):\n        return expensive(self.x)\n\n\n"
    return _main(
        first + "".join(f"class C{i}(C{i - 1}):\n    x{i}: int\n\n\n" for i in range(1, size))
    )


def diamonds(size: int) -> Files:
    """Classes with two bases that have the same base."""
    first = "class A0(flax.struct.PyTreeNode):\n    x: int\n\n    @functools.cached_property\n"
    first += "    def y(self):\n        return expensive(self.x)\n\n\n"
    rest = [
        f"class B{i}(A{i - 1}):\n    pass\n\n\nclass C{i}(A{i - 1}):\n    pass\n\n\n"
        f"class A{i}(B{i}, C{i}):\n    pass\n\n\n"
        for i in range(1, size)
    ]
    return _main(first + "".join(rest))


def generated_lines(size: int) -> Files:
    """A generated file: a table, and functions that use rows of it."""
    rows = "".join(f"ROW_{i} = ({i}, {i} * 2, 'row {i}')\n" for i in range(size))
    uses = [f"def use{i}(s):\n    s.row = ROW_{i}\n\n\n" for i in range(0, size, 20)]
    return _main(rows + "".join(uses) + "step = jax.jit(use0)\n")


def statements(size: int) -> Files:
    """A traced function with many statements."""
    return _step("".join(f"    v{i} = x + s.a{i}\n    s.b{i} = v{i}\n" for i in range(size // 2)))


def nested_branches(size: int) -> Files:
    """Branches inside of branches, each with a write."""
    indents = ["    " * (i + 1) for i in range(size)]
    return _step("".join(f"{at}if x.a{i}:\n{at}    s.b{i} = x\n" for i, at in enumerate(indents)))


def branches(size: int) -> Files:
    """Branches one after the other, each with writes."""
    return _step(
        "".join(
            f"    if x.a{i}:\n        s.b{i} = x\n    else:\n        s.c{i} = x\n"
            for i in range(size)
        )
    )


def variables(size: int) -> Files:
    """Variables, and branches that bind them again."""
    bound = "".join(f"    v{i} = x\n" for i in range(size))
    branches = "".join(f"    if x:\n        v{i} = s\n" for i in range(size))
    return _step(bound + branches + "    v0.y = x\n")


def aliases(size: int) -> Files:
    """Names for the same objects, mixed in loops."""
    start = "".join(f"    a{i} = s.b if x else s.c\n" for i in range(size))
    loops = "".join(
        f"    for y in a{i}:\n        a{(i + 1) % size} = a{i}.n\n        a{i}.v = y\n"
        for i in range(size)
    )
    return _step(start + loops)


def transforms(size: int) -> Files:
    """One function, transformed again and again."""
    text = "def step(x, s):\n    s.y = x\n\n\n"
    return _main(text + "".join(f"step{i} = jax.jit(step)\n" for i in range(size)))


def result_tree(size: int) -> Files:
    """Functions whose results hold the results of the next one twice."""
    texts = [f"def f{i}(s):\n    return [f{i + 1}(s.a), f{i + 1}(s.b)]\n\n\n" for i in range(size)]
    last = f"def f{size}(s):\n    return s\n\n\n@jax.jit\ndef step(s):\n    f0(s)[0][1].v = 1\n"
    return _main("".join(texts) + last)


def module_chain(size: int) -> Files:
    """Modules that import the next one and call its function; the last writes."""
    files = {
        f"m{i}.py": f"import m{i + 1}\n\n\ndef f(s, x):\n    return m{i + 1}.f(s, x)\n"
        for i in range(size)
    }
    files[f"m{size}.py"] = "def f(s, x):\n    s.a = x\n    return x\n"
    return {**files, "main.py": "import jax\nimport m0\n\nstep = jax.jit(m0.f)\n"}


def module_star(size: int) -> Files:
    """A module that imports many, and calls a function of each."""
    files = {f"m{i}.py": f"def f(s, x):\n    s.a{i} = x\n" for i in range(size)}
    imports = "".join(f"import m{i}\n" for i in range(size))
    calls = "".join(f"    m{i}.f(s, x)\n" for i in range(size))
    return {**files, "main.py": f"import jax\n{imports}\n\n@jax.jit\ndef step(x, s):\n{calls}"}


_NESTS = (
    ("", ".at[0].set(x)"),
    ("", ".m(x).y"),
    ("", "[1:2].m()"),
    ("f(", ")[0]"),
    ("[", "][0]"),
    ("{0: ", "}[0]"),
    ("x[f(", ").a[0]]"),
    ("[y for y in ", "]"),
    ("sum(y for y in ", ")"),
    ("vars(", ")['a']"),
    ("map(f, ", ")"),
)
"""What an expression is put between, again and again."""


def nested_expressions(size: int) -> Files:
    """Expressions inside of expressions, in all the ways in which one may be looked at twice."""
    lines = [f"    y = {before * size}s{after * size}\n" for before, after in _NESTS]
    return _step("".join(lines))


PROGRAMS: Mapping[str, tuple[Callable[[int], Files], int]] = {
    "functions": (functions, 2_000),
    "call chain": (call_chain, 500),
    "mutual recursion": (mutual_recursion, 300),
    "ring": (ring, 400),
    "ring of properties": (ring_of_properties, 300),
    "class chain": (class_chain, 200),
    "diamonds": (diamonds, 60),
    "generated lines": (generated_lines, 20_000),
    "statements": (statements, 5_000),
    "nested branches": (nested_branches, 60),
    "nested expressions": (nested_expressions, 40),
    "branches": (branches, 1_000),
    "variables": (variables, 400),
    "aliases": (aliases, 200),
    "transforms": (transforms, 1_000),
    "result tree": (result_tree, 40),
    "module chain": (module_chain, 200),
    "module star": (module_star, 200),
}
"""The programs, and the sizes that they should bear."""
