"""What the tests show to tools: the file of docs/integrations.md, and a package of two modules."""

import re
from pathlib import Path
from typing import NamedTuple

from snippets import sections

PAGE = sections("docs/integrations.md")
MODEL = PAGE[""].files["model.py"]
PRINTED = dict(PAGE[""].steps)["$ flake8 --select=JAX model.py"]
"""What flake8 prints for it."""


class Finding(NamedTuple):
    """A line that flake8 prints, taken apart."""

    line: int
    column: int
    code: str
    text: str


FINDINGS = [
    Finding(int(line), int(column), code, text)
    for line, column, code, text in re.findall(
        r"^model\.py:(\d+):(\d+): (JAX\d{3}) (.*)$", PRINTED, re.M
    )
]
LEDGER = "def record(account, amount):\n    account.total = account.total + amount\n"
HARMLESS = "def record(account, amount):\n    return account.total + amount\n"
PAY = """\
import jax

from .ledger import record


@jax.jit
def pay(account, amount):
    record(account, amount)
    return amount
"""
CALL = (8, 5, "JAX203")
"""Where the payment is reported, as long as the ledger does not change to the harmless one."""


def write(folder: Path) -> Path:
    """Write all of it into a folder, and return that."""
    PAGE[""].write(folder)
    (folder / "bank").mkdir()
    for name, text in {"__init__": "", "ledger": LEDGER, "pay": PAY}.items():
        (folder / f"bank/{name}.py").write_text(text)
    return folder
