"""Reports of findings and what can be done about them, for people and for other programs."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import Any, TypeAlias
from urllib.parse import quote

from flake8_jax.applying.changes import Change
from flake8_jax.applying.remedies import Remedy
from flake8_jax.cli.plans import Failure
from flake8_jax.findings import Rule
from flake8_jax.pages import page
from flake8_jax.printable import printable
from flake8_jax.rules import RULES

_BY_CODE = {rule.code: rule for rule in RULES}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "SRCROOT"

Data: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Listed:
    """A finding of a file that is known under some name."""

    name: str
    remedy: Remedy

    @property
    def line(self) -> str:
        """What a list has of it: where it is, its code, and what can be done about it."""
        item = self.remedy
        place = f"{self.name}:{item.line}:{item.column + 1}"
        return printable(f"{place}: {item.code} {item.mark}")

    @property
    def path(self) -> str:
        """The name of the file, as links have it."""
        return PurePath(self.name).as_posix().removeprefix("./")


def _json(found: Sequence[Listed], failures: Sequence[Failure]) -> object:
    return {
        "findings": [_finding(item) for item in found],
        "failures": [{"path": item.path, "reason": item.reason} for item in failures],
    }


def _finding(item: Listed) -> Data:
    remedy = item.remedy
    fix = {
        "safety": remedy.safety,
        "alters": remedy.alters or None,
        "edits": [_edit(change) for change in remedy.changes],
    }
    return {
        "path": item.name,
        "line": remedy.line,
        "column": remedy.column + 1,
        "code": remedy.code,
        "name": _BY_CODE[remedy.code].name,
        "message": remedy.message,
        "fix": fix if remedy.safety is not None else None,
        "reason": remedy.reason or None,
    }


def _edit(change: Change) -> Data:
    start, end = (
        {"line": point.line, "column": point.column + 1} for point in (change.start, change.end)
    )
    return {"start": start, "end": end, "text": change.text}


def _sarif(found: Sequence[Listed], _: Sequence[Failure]) -> object:
    codes = sorted({item.remedy.code for item in found})
    driver = {
        "name": "flake8-jax",
        "version": version("flake8-jax"),
        "rules": [_sarif_rule(_BY_CODE[code]) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": f"{Path.cwd().as_uri()}/"}},
        "results": [_sarif_result(item, codes.index(item.remedy.code)) for item in found],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _sarif_rule(rule: Rule) -> Data:
    text = page(rule)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": "warning"},
    }


def _sarif_result(item: Listed, index: int) -> Data:
    remedy = item.remedy
    artifact = {"uri": quote(item.path, errors="surrogateescape")}
    if not PurePath(item.path).is_absolute():
        artifact["uriBaseId"] = _ROOT
    region = {"startLine": remedy.line, "startColumn": remedy.column + 1}
    result: Data = {
        "ruleId": remedy.code,
        "ruleIndex": index,
        "level": "warning",
        "message": {"text": remedy.message},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
        "properties": {"fix": remedy.mark},
    }
    if remedy.changes:
        replacements = [_replacement(change) for change in remedy.changes]
        changed = {"artifactLocation": artifact, "replacements": replacements}
        description = {"text": f"{remedy.safety} fix of {remedy.code}"}
        result["fixes"] = [{"description": description, "artifactChanges": [changed]}]
    return result


def _replacement(change: Change) -> Data:
    region = {
        "startLine": change.start.line,
        "startColumn": change.start.column + 1,
        "endLine": change.end.line,
        "endColumn": change.end.column + 1,
    }
    return {"deletedRegion": region, "insertedContent": {"text": change.text}}


def _gitlab(found: Sequence[Listed], _: Sequence[Failure]) -> object:
    return [
        {
            "type": "issue",
            "check_name": item.remedy.code,
            "description": f"{item.remedy.code} {item.remedy.message}",
            "content": {"body": page(_BY_CODE[item.remedy.code])},
            "categories": ["Bug Risk"],
            "severity": "minor",
            "fingerprint": _fingerprint(item),
            "location": {
                "path": item.path,
                "lines": {"begin": item.remedy.line, "end": item.remedy.line},
            },
        }
        for item in found
    ]


def _fingerprint(item: Listed) -> str:
    remedy = item.remedy
    text = f"{item.path}:{remedy.line}:{remedy.column}:{remedy.code}:{remedy.message}"
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


REPORTS: Mapping[str, Callable[[Sequence[Listed], Sequence[Failure]], object]] = {
    "json": _json,
    "sarif": _sarif,
    "gitlab": _gitlab,
}
"""The formats for other programs, by what ``--format`` calls them."""


def report(name: str, found: Sequence[Listed], failures: Sequence[Failure]) -> str:
    """A report in one of the formats."""
    return json.dumps(REPORTS[name](found, failures), indent=2)
