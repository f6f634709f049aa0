"""Shows what a run says of findings: as text, as data for tools, and for a pull request."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from flake8_jax.confirming.judging import Standing, Verdict
from flake8_jax.printable import printable, printable_lines


@dataclass(frozen=True)
class Summary:
    """All that there is to say of a run."""

    verdicts: Sequence[Verdict]
    status: int
    ending: str
    """Which of the exit statuses it is, and why."""
    command: int
    """The exit status of the command."""
    versions: Mapping[str, str]
    slices: Mapping[int, str]
    """The least of a file that still gives a refuted finding."""
    notes: Sequence[str] = ()


def text(summary: Summary) -> str:
    """For a terminal."""
    rows = [_row(item) for item in summary.verdicts]
    widths = [max((len(row[index]) for row in rows), default=0) for index in range(3)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
        for row in rows
    ]
    parts = ["\n".join(line.rstrip() for line in lines)] if lines else []
    parts += [_report(item, summary) for item in summary.verdicts if _is_refuted(item)]
    parts += [*summary.notes, summary.ending]
    return "\n\n".join(parts)


def as_json(summary: Summary) -> str:
    """For tools."""
    data = {
        "status": summary.status,
        "ending": summary.ending,
        "command": summary.command,
        "versions": dict(summary.versions),
        "notes": list(summary.notes),
        "findings": [
            {
                "path": item.finding.path,
                "line": item.finding.line,
                "column": item.finding.column,
                "code": item.finding.code,
                "message": item.finding.words,
                "verdict": str(item.standing),
                "measure": item.measure or None,
                "detail": item.reason,
                "slice": summary.slices.get(item.finding.number),
            }
            for item in summary.verdicts
        ],
    }
    return json.dumps(data, indent=2)


def markdown(summary: Summary) -> str:
    """For a pull request."""
    lines = ["| place | rule | verdict | what was seen |", "|---|---|---|---|"]
    for item in summary.verdicts:
        place, code, standing, seen = _row(item)
        seen = seen.replace("|", "\\|")
        lines.append(f"| `{place}` | {code} | **{standing}** | {seen} |")
    parts = ["\n".join(lines)] if summary.verdicts else []
    for item in summary.verdicts:
        if _is_refuted(item):
            title = f"How to report {item.finding.code} at `{_place(item)}`"
            body = _slice_of(item, summary)
            parts.append(
                f"<details><summary>{title}</summary>\n\n{_asks(item, summary)}\n\n"
                f"```python\n{body}\n```\n\n</details>"
            )
    parts += [*summary.notes, summary.ending]
    return "\n\n".join(parts)


FORMATS = {"text": text, "json": as_json, "markdown": markdown}


def counted(verdicts: Iterable[Verdict]) -> str:
    """How many findings have which verdict."""
    counts = Counter(item.standing for item in verdicts)
    return ", ".join(f"{counts[standing]} {standing}" for standing in Standing if counts[standing])


def _is_refuted(item: Verdict) -> bool:
    return item.standing is Standing.REFUTED


def _place(item: Verdict) -> str:
    finding = item.finding
    return printable(f"{finding.path}:{finding.line}:{finding.column}")


def _row(item: Verdict) -> tuple[str, str, str, str]:
    said = f"{item.measure}: {item.reason}" if item.measure else item.reason
    return _place(item), item.finding.code, str(item.standing), printable(said)


def _asks(item: Verdict, summary: Summary) -> str:
    known = ", ".join(f"{name} {number}" for name, number in summary.versions.items())
    return (
        f"{item.finding.code} is wrong about {_place(item)}, or this run does not show it. If it "
        f"is wrong, please report it with what follows ({known})."
    )


def _slice_of(item: Verdict, summary: Summary) -> str:
    return printable_lines(summary.slices.get(item.finding.number, "")).rstrip()


def _report(item: Verdict, summary: Summary) -> str:
    body = "\n".join(f"    {line}".rstrip() for line in _slice_of(item, summary).splitlines())
    said = printable(f"{item.finding.code} {item.finding.words}")
    return f"{_asks(item, summary)}\n\n    # {said}\n{body}"
