"""Judges findings: holds what the processes have reported against what the rules say."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from flake8_jax.confirming.linting import Finding
from flake8_jax.confirming.opening import OFTEN
from flake8_jax.confirming.reports import Why
from flake8_jax.fates import Fate


class Standing(StrEnum):
    """What a run says of a finding."""

    CONFIRMED = "confirmed"
    NOT_REACHED = "not reached"
    NOT_MEASURED = "not measured"
    REFUTED = "refuted"


@dataclass(frozen=True)
class Verdict:
    """A finding, what the run says of it, and why."""

    finding: Finding
    standing: Standing
    measure: str
    """The symptom that was seen, in a word."""
    reason: str


_LOST = (Fate.LOST, Fate.SCRATCH)
_OUTER = (Fate.LEAKED, Fate.ONCE)
_CACHED = (Fate.RECOMPUTED, Fate.LEAKED, Fate.RESTRUCTURED, Fate.RAISES)
_MEASURES: Mapping[str, tuple[Fate, ...]] = {
    "JAX101": _CACHED,
    "JAX102": _CACHED,
    "JAX103": (Fate.RAISES, Fate.LEAKED, Fate.RECOMPUTED),
    "JAX104": (*_LOST, Fate.LEAKED, Fate.RAISES, Fate.STALE, Fate.RESTRUCTURED),
    "JAX105": (Fate.LEAKED,),
    "JAX106": (Fate.LEAKED,),
    "JAX201": _LOST,
    "JAX202": _LOST,
    "JAX203": _LOST,
    "JAX204": (Fate.RAISES,),
    "JAX205": (Fate.RAISES,),
    "JAX206": _LOST,
    "JAX301": _OUTER,
    "JAX302": _OUTER,
    "JAX303": _OUTER,
    "JAX401": (Fate.DROPPED,),
    "JAX901": (Fate.RETURNED, *_LOST),
    "JAX902": _LOST,
    "JAX903": (Fate.RETRACED,),
    "JAX904": (Fate.ONCE, Fate.LEAKED),
}
"""What has to be seen at a place for a rule to be right about it, the plainest first."""
_ANYWHERE = frozenset({"JAX204", "JAX205", "JAX401"})
"""The rules that are right without a trace, too."""
_ON_CLASSES = frozenset({"JAX101", "JAX102", "JAX103", "JAX104", "JAX903"})
"""The rules that speak of a class: no trace has to reach it in every program."""
_UNCERTAIN = {
    Why.UNTOLD: "it could not be told what becomes of it",
    Why.UNSEEN: "the traced function '{function}' stands in {file}: name that before '--' as well",
}


@dataclass
class _Seen:
    """What the processes have reported of one finding."""

    counts: Counter[str] = field(default_factory=Counter)
    fates: dict[Fate | Why, Mapping[str, Any]] = field(default_factory=dict)
    objects: set[tuple[str, int]] = field(default_factory=set)
    unfit: str = ""


@dataclass
class Reports:
    """What all processes have reported."""

    processes: set[str] = field(default_factory=set)
    versions: dict[str, str] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    """Why nothing was measured in a file."""
    loaded: set[str] = field(default_factory=set)
    faults: set[str] = field(default_factory=set)
    _seen: dict[int, _Seen] = field(default_factory=dict)
    _numbers: dict[tuple[str, int, str], int] = field(default_factory=dict)

    @classmethod
    def gathered(cls, lines: Iterable[tuple[str, Mapping[str, Any]]]) -> "Reports":
        """The lines of all processes, put together."""
        made = cls()
        for process, line in lines:
            made.processes.add(process)
            if "finding" in line:
                made._note(process, line)
            made.versions.update(line.get("versions", {}))
            if "problem" in line:
                made.problems[line["file"]] = line["problem"]
            if "loaded" in line:
                made.loaded.add(line["file"])
            if "fault" in line:
                made.faults.add(line["fault"])
        for (_, finding, what), number in made._numbers.items():
            made.of(finding).counts[what] += number
        return made

    def of(self, finding: int) -> _Seen:
        """What was reported of a finding."""
        return self._seen.setdefault(finding, _Seen())

    def _note(self, process: str, line: Mapping[str, Any]) -> None:
        seen = self.of(line["finding"])
        if "count" in line:
            key = process, line["finding"], line["count"]
            self._numbers[key] = max(self._numbers.get(key, 0), line["number"])
        elif "fate" in line:
            fate = Why(line["why"]) if "why" in line else Fate(line["fate"])
            if fate is not Fate.RAISES or _is_refusal(line) or fate not in seen.fates:
                seen.fates[fate] = line
        elif "object" in line:
            seen.objects.add((process, line["object"]))
        elif "unfit" in line:
            seen.unfit = line["unfit"]


_REFUSALS = ("FrozenInstanceError", "AttributeError", "TypeError", "ValueError")
_OF_CACHES = ("unhashable", "'__dict__' attribute on", "Cannot use cached_property instance")
"""What functools says when it cannot keep a value."""


def _is_refusal(line: Mapping[str, Any]) -> bool:
    """Whether an exception comes of the write itself, or of a cache that cannot hash or store."""
    kind, _, text = str(line["error"]).partition(":")
    is_of_write = line["reached"] and kind.endswith(_REFUSALS)
    return is_of_write or any(words in text for words in _OF_CACHES)


def judge(finding: Finding, real: str, reports: Reports) -> Verdict:
    """What a run says of a finding in a file."""
    seen = reports.of(finding.number)
    call = reports.of(~finding.number)
    if not seen.counts["executed"] and not seen.fates and (call.counts or call.fates):
        seen = call  # what leads to the cause
    wanted = _MEASURES.get(finding.code, ())
    for fate in wanted:
        line = seen.fates.get(fate)
        if line is not None and (fate is not Fate.RAISES or _is_refusal(line)):
            measure = _MEASURE_NAMES.get(fate, str(fate))
            return Verdict(finding, Standing.CONFIRMED, measure, _said(finding, fate, seen, line))
    standing, reason = _otherwise(finding, real, seen, reports)
    return Verdict(finding, standing, "", reason)


def _otherwise(finding: Finding, real: str, seen: _Seen, reports: Reports) -> tuple[Standing, str]:
    executed, traced, off = (seen.counts[key] for key in ("executed", "traced", "off"))
    if seen.counts["passed"] and not executed and not seen.fates:
        times = _times(seen.counts["passed"])
        return Standing.NOT_MEASURED, f"called {times}, and what it leads to was not seen"
    if not executed and not seen.fates:
        standing, reason = _unreached(real, seen, reports)
        if finding.code == "JAX103" and not reason:
            reason = "its body has not run; a call that cannot hash its arguments raises before"
        return standing, reason
    times = _times(executed)
    if off and not traced:
        return Standing.NOT_MEASURED, f"executed {times}, but jit was off (jax.disable_jit)"
    if Fate.RAISES in seen.fates and seen.counts["raised"] >= executed:
        return Standing.NOT_MEASURED, f"it ended with {seen.fates[Fate.RAISES]['error']}"
    if not traced and finding.code not in _ANYWHERE:
        if finding.code in _ON_CLASSES:
            return Standing.NOT_REACHED, f"computed {times}, never under a trace"
        return Standing.REFUTED, f"executed {times}, never under a trace"
    for why, text in _UNCERTAIN.items():
        if why in seen.fates:
            return Standing.NOT_MEASURED, text.format(**seen.fates[why])
    if finding.code in _ANYWHERE:
        what = "its result was not all that came of it" if finding.code == "JAX401" else (
            "and it did not raise")  # fmt: skip
        return Standing.REFUTED, f"executed {times}, {what}"
    for fate, text in _HARMLESS.items():
        if fate in seen.fates:
            reason = text.format(subject=finding.subject, **{"function": "", **seen.fates[fate]})
            is_open = fate in _OPEN or finding.code in _ON_CLASSES
            standing = Standing.NOT_MEASURED if is_open else Standing.REFUTED
            return standing, f"executed {times}, {traced} of them under a trace: {reason}"
    return Standing.NOT_MEASURED, f"executed {times}, and nothing could be told of it"


_HARMLESS: Mapping[Fate | Why, str] = {
    Why.UNCHANGED: "it changed nothing",
    Fate.RETURNED: "the changed object comes out of '{function}'",
    Why.FRESH: "the changed object was made in '{function}'",
    Why.GONE: "no Tracer was left behind by '{function}'",
    Why.KEPT: "no Tracer was kept",
    Fate.ONCE: "it is written while '{function}' is traced, and stays",
    Fate.LOST: "it is written to a copy that '{function}' was given",
    Fate.SCRATCH: "it is written to a copy that '{function}' was given",
    Fate.LEAKED: "{subject} holds a Tracer after '{function}'",
    Fate.RETRACED: "the value holds no Tracer, so that nothing is computed again at run time",
    Fate.RECOMPUTED: "the value is computed in compiled code",
}
"""What was seen where a rule says something else."""
_OPEN = frozenset({Why.UNCHANGED, Why.GONE, Fate.RETRACED})
"""What another input may do otherwise."""


def _unreached(real: str, seen: _Seen, reports: Reports) -> tuple[Standing, str]:
    if not reports.processes:
        reason = "no process of the command has started the instruments (python -E, -I or -S?)"
        return Standing.NOT_MEASURED, reason
    if real in reports.problems:
        return Standing.NOT_MEASURED, reports.problems[real]
    if seen.unfit:
        return Standing.NOT_MEASURED, seen.unfit
    return Standing.NOT_REACHED, "" if real in reports.loaded else "its module was not imported"


def _said(finding: Finding, fate: Fate, seen: _Seen, line: Mapping[str, Any]) -> str:
    subject, function = finding.subject, line.get("function", "")
    traced = _times(seen.counts["traced"])
    if finding.code == "JAX104" and fate in _LOST:
        return f"the cache that '{function}' fills is that of a copy, and dropped with it"
    if fate is Fate.RAISES:
        return f"{line['error']} ({_times(seen.counts['raised'])})"
    if fate is Fate.STALE:
        times = _times(seen.counts["stale"])
        return f"{subject} was computed for another {line['changed']!r}, and was asked for {times}"
    if fate is Fate.DROPPED:
        return f"a new {line['kind']} was thrown away, {_times(seen.counts['executed'])}"
    if fate is Fate.LEAKED:
        where = "the cache of '{}'".format(subject.partition("(")[0])
        if finding.code not in ("JAX103", "JAX106"):
            path = str(line.get("path", ""))
            where = f"{subject}{'' if finding.code in ('JAX101', 'JAX102') else path}"
        return f"{where} holds a Tracer after '{function}' (traced {traced})"
    if fate is Fate.RECOMPUTED:
        return _recomputed(seen, function)
    return _SAID[fate].format(subject=subject, function=function, traced=traced)


def _recomputed(seen: _Seen, function: str) -> str:
    counts = seen.counts
    objects = len(seen.objects)
    of = f" for {objects} object{'s' if objects != 1 else ''}" if objects else ""
    if counts["executed"] > OFTEN:
        of = ""  # not all of them are known
    executed, traced = counts["executed"], counts["traced"]
    inside = "inside jit" if traced == executed else f"{traced} of them inside jit"
    text = f"computed {_times(executed)}{of}, {inside}, and so at each call of '{function}'"
    if counts["dropped"]:
        text += f"; a filled cache was dropped {_times(counts['dropped'])}"
    return text


_SAID = {
    Fate.LOST: "the written object was a copy that died with the trace of '{function}', "
    "the caller's kept its value",
    Fate.SCRATCH: "'{function}' computes with the copy that it wrote to, the caller's object kept "
    "its value",
    Fate.RETURNED: "the copy that '{function}' wrote to comes out, the caller's object kept "
    "its value",
    Fate.ONCE: "{subject} is written when '{function}' is traced ({traced}), and not at each call",
    Fate.RESTRUCTURED: "filling it in '{function}' changed the tree of its object, so that jit "
    "traces again, and scan and cond refuse it",
    Fate.RETRACED: "computed again in Python at each trace of '{function}' ({traced})",
}
_MEASURE_NAMES = {Fate.SCRATCH: "lost", Fate.RETURNED: "lost", Fate.RAISES: "raised"}


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def status_of(verdicts: Sequence[Verdict]) -> int:
    """1 if a finding was refuted."""
    return int(any(item.standing is Standing.REFUTED for item in verdicts))
