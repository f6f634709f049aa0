"""Whether a module, or one that it imports, has to do with JAX."""

import re
from collections.abc import Iterator

from flake8_jax.gates.text import may_matter
from flake8_jax.workspace.files import File, Project, longest_prefix
from flake8_jax.workspace.outline import outline

_ALL = "*"
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")


def leads_to_jax(project: Project, file: File) -> bool:
    """Whether a file, or a module of the project that it imports, names a library of JAX."""
    seen: set[File] = set()
    stack = [file]
    while stack:
        here = stack.pop()
        if here not in seen:
            seen.add(here)
            known = here.memo.get(leads_to_jax)
            if known is True or (known is None and may_matter(here.text)):
                file.memo[leads_to_jax] = True
                return True
            stack += _imported(project, here) if known is None else ()
    for here in seen:
        here.memo[leads_to_jax] = False
    return False


def _imported(project: Project, file: File) -> Iterator[File]:
    """The modules of the project that a file may import, at whatever depth."""
    for block in outline(file):
        names = [dotted for _, dotted in block.imported]
        if names:  # ``import package.module`` binds the package alone
            names += _DOTTED.findall(block.text)
        for dotted in dict.fromkeys(names):
            module = dotted.removesuffix(_ALL).rstrip(".") or dotted.removesuffix(_ALL)
            if project.may_have(file, module):
                split = longest_prefix(project, file, module)
                for found in (project.find(file, module), split and split[0]):
                    if found is not None:
                        yield found
