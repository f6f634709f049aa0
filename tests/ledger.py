"""Two modules: a payment under jit, and the ledger that it writes to by a function elsewhere."""

from collections.abc import Mapping
from pathlib import Path

LEDGER = "def record(account, amount):\n    account.total = account.total + amount\n"
MAIN = """\
import jax
from {module} import record


@jax.jit
def pay(account, amount):
    record(account, amount)
    return amount
"""


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
