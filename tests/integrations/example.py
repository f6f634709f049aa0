"""What the tests show to tools: the file of docs/integrations.md, and a package of two modules."""

import re
from pathlib import Path
from typing import NamedTuple

from integrations.snippets import sections
from ledger import LEDGER, MAIN

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
HARMLESS = "def record(account, amount):\n    return account.total + amount\n"
"""A ledger that changes nothing."""
CALL = (7, 5, "JAX203")
"""Where the payment is reported, as long as the ledger is not the harmless one."""


def write(folder: Path) -> Path:
    """Write all of it into a folder, and return that."""
    PAGE[""].write(folder)
    (folder / "bank").mkdir()
    pay = MAIN.format(module=".ledger")
    for name, text in {"__init__": "", "ledger": LEDGER, "pay": pay}.items():
        (folder / f"bank/{name}.py").write_text(text)
    return folder
