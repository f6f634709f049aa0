"""The page of what was measured under several versions of jax, from the output of ``confirm``.

``python -m flake8_jax.evidence.page docs/evidence.md old.json new.json`` writes it.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from flake8_jax.evidence.chart import bars

_INTRODUCTION = """\
# Evidence

What `flake8-jax confirm` measured for each rule under several versions of jax: how many drives of
the hazards show which symptom with jit, which symptoms remain in their controls, how many fixtures
ran, and whether all of it agrees with what flake8 says. The [fixtures](../fixtures/README.md) page
explains drives and controls, the [glossary](glossary.md) the symptoms. Regenerate this page with
`nox -s evidence`.

![In how many drives of hazards JAX shows a symptom, by rule](evidence.svg)
"""


def page(measured: Iterable[Mapping[str, Any]]) -> str:
    """The page in Markdown, from the data that ``confirm --format=json`` prints."""
    runs = sorted(measured, key=lambda run: _number(run["versions"]["jax"]))
    titles = [f"jax {run['versions']['jax']}" for run in runs]
    libraries = [name for name in runs[0]["versions"] if name != "jax"]
    versions = [[name, *(run["versions"][name] or "none" for run in runs)] for name in libraries]
    counts = ["fixtures", *(str(sum(rule["fixtures"] for rule in run["rules"])) for run in runs)]
    rows = [
        [rule["code"], *(_cell(run["rules"][index]) for run in runs)]
        for index, rule in enumerate(runs[0]["rules"])
    ]
    missing = [line for run in runs for line in _missing(run)] or ["Everything was measured."]
    return "\n".join(
        [
            _INTRODUCTION,
            *_table(["", *titles], [*versions, counts]),
            "\n## Rules\n",
            *_table(["rule", *titles], rows),
            "\n## Not measured\n",
            *missing,
            "",
        ]
    )


def chart(measured: Iterable[Mapping[str, Any]]) -> str:
    """In how many drives of hazards the newest jax shows a symptom, by rule."""
    newest = max(measured, key=lambda run: _number(run["versions"]["jax"]))
    rows = [(rule["code"], sum(rule["with_jit"].values())) for rule in newest["rules"]]
    title = f"Symptoms that hazards show under jax {newest['versions']['jax']}, by rule"
    return bars(title, rows)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _cell(rule: Mapping[str, Any]) -> str:
    counts = {name: number for name, number in rule["with_jit"].items() if number}
    shown = ", ".join(f"{name} {number}" for name, number in counts.items()) or "nothing"
    control = ", ".join(f"{name} {number}" for name, number in rule["control"].items())
    control = f"; control: {control}" if control else ""
    return f"**{rule['verdict']}**: {shown}{control}; {rule['fixtures']} fixtures"


def _missing(run: Mapping[str, Any]) -> Iterator[str]:
    """What was not measured in a run, and why."""
    title = f"jax {run['versions']['jax']}"
    for rule in run["rules"]:
        if rule["missing"]:
            yield f"- {title}, {rule['code']}: some fixtures need {', '.join(rule['missing'])}."
        for reason in rule["broken"]:
            yield f"- {title}, {rule['code']}: `{reason}`"
        for problem in rule["problems"]:
            yield f"- {title}, {rule['code']} disagrees: {problem}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    yield from (f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    target, *sources = map(Path, sys.argv[1:])
    data = [json.loads(source.read_text(encoding="utf-8")) for source in sources]
    target.write_text(page(data), encoding="utf-8")
    target.with_suffix(".svg").write_text(chart(data), encoding="utf-8")
