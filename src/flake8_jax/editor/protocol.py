"""What the language server protocol calls findings, changes and pages, as plain data."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from flake8_jax.applying.changes import Change
from flake8_jax.applying.remedies import Remedy
from flake8_jax.applying.texts import lines_of, usual_end
from flake8_jax.editor.workbench import Workbench, silencing
from flake8_jax.findings import Placed
from flake8_jax.fixes.safety import Safety
from flake8_jax.pages import page
from flake8_jax.rules import RULES

SOURCE = "flake8-jax"
QUICK_FIX = "quickfix"
FIX_ALL = "source.fixAll.flake8-jax"
UTF_16 = "utf-16"
_WARNING = 2
_CODE = re.compile(r"\bJAX\d{3}\b")
_BY_CODE = {rule.code: rule for rule in RULES}
_UNITS: Mapping[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode(errors="surrogatepass")),
    UTF_16: lambda text: len(text.encode("utf-16-le", errors="surrogatepass")) // 2,
    "utf-32": len,
}
"""How long a text is, by what columns are counted in."""

Data: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Document:
    """A text that is open in an editor."""

    workbench: Workbench
    path: str
    uri: str
    text: str
    encoding: str = UTF_16

    def diagnostics(self) -> list[Data] | None:
        """What is found; None while the text is not Python."""
        found = self.workbench.findings(self.path, self.text)
        return None if found is None else [self._diagnostic(item) for item in found]

    def actions(self, place: Mapping[str, Any], context: Mapping[str, Any]) -> list[Data]:
        """What can be done about the findings in a range: fix, silence, fix all."""
        first, last = place["start"]["line"] + 1, place["end"]["line"] + 1
        kinds = context.get("only") or ["", FIX_ALL]
        found: list[Data] = []
        if any(_covers(kind, QUICK_FIX) for kind in kinds):
            for item in self._found(lambda placed: first <= placed.line <= last):
                found += self._quick_fixes(item)
        if any(_covers(kind, FIX_ALL) for kind in kinds):
            changes = self.workbench.fixed(self.path, self.text)
            if changes:
                title = "Fix all that flake8-jax can fix safely"
                found.append(self._action(title, FIX_ALL, changes))
        return found

    def hover(self, place: Mapping[str, int]) -> Data | None:
        """The page of the rule whose code, or whose finding, is at a place."""
        lines = self._lines
        if not 0 <= place["line"] < len(lines):
            return None
        line = lines[place["line"]]
        at = self._column(line, place["character"])
        named = [match for match in _CODE.finditer(line) if match.start() <= at <= match.end()]
        texts = [page(_BY_CODE[match[0]]) for match in named if match[0] in _BY_CODE]
        if not texts:
            number = place["line"] + 1
            is_there = lambda item: item.line == number and item.column <= at  # noqa: E731
            texts = [
                f"{item.code} {item.message}\n\n{_can_be_done(item)}\n\n{page(_BY_CODE[item.code])}"
                for item in self._found(is_there)
            ]
        if not texts:
            return None
        return {"contents": {"kind": "markdown", "value": "\n\n---\n\n".join(texts)}}

    @property
    def _lines(self) -> Sequence[str]:
        return lines_of(self.text)

    def _found(self, wanted: Callable[[Placed], bool]) -> list[Remedy]:
        return self.workbench.remedies(self.path, self.text, wanted) or []

    def _quick_fixes(self, item: Remedy) -> Iterator[Data]:
        if item.changes:
            how = f" ({item.mark})" if item.alters else ""
            made = self._action(f"Fix {item.code}{how}", QUICK_FIX, item.changes)
            made["isPreferred"] = item.safety is Safety.SAFE
            yield made | {"diagnostics": [self._diagnostic(item)]}
        changes = silencing(self.text, item)
        if changes:
            made = self._action(f"Silence {item.code} with noqa", QUICK_FIX, changes)
            yield made | {"diagnostics": [self._diagnostic(item)]}

    def _action(self, title: str, kind: str, changes: Sequence[Change]) -> Data:
        edits = [self._edit(change) for change in changes]
        return {"title": title, "kind": kind, "edit": {"changes": {self.uri: edits}}}

    def _edit(self, change: Change) -> Data:
        places = [self._position(point.line, point.column) for point in (change.start, change.end)]
        text = change.text.replace("\n", usual_end(self.text))
        return {"range": dict(zip(("start", "end"), places, strict=True)), "newText": text}

    def _diagnostic(self, item: Placed | Remedy) -> Data:
        line = self._lines[item.line - 1].rstrip("\n")
        start = self._position(item.line, item.column)
        return {
            "range": {"start": start, "end": self._position(item.line, len(line))},
            "severity": _WARNING,
            "code": item.code,
            "source": SOURCE,
            "message": item.message,
        }

    def _position(self, line: int, column: int) -> dict[str, int]:
        lines = self._lines
        before = lines[line - 1][:column] if line <= len(lines) else ""
        return {"line": line - 1, "character": _UNITS[self.encoding](before)}

    def _column(self, line: str, character: int) -> int:
        """How many characters of a line stand before a position."""
        length = _UNITS[self.encoding]
        ends = (index for index in range(len(line)) if length(line[:index]) >= character)
        return next(ends, len(line))


def _covers(kind: str, other: str) -> bool:
    """Whether a kind of actions is, or contains, another one."""
    return not kind or other == kind or other.startswith(f"{kind}.")


def _can_be_done(item: Remedy) -> str:
    return f"It can be fixed ({item.mark})." if item.safety is not None else f"{item.mark}."
