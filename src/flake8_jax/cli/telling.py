"""What ``flake8-jax fix`` tells: lists, previews, what is left, and how it went."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import TextIO

from flake8_jax.applying.flake8 import STDIN
from flake8_jax.applying.texts import Text
from flake8_jax.cli.plans import Failure, Plan, Planning, succeeded
from flake8_jax.cli.reports import REPORTS, Listed, report
from flake8_jax.fixes.safety import Safety
from flake8_jax.printable import printable
from flake8_jax.rules import RULES
from flake8_jax.symptoms import Symptom


@dataclass(frozen=True)
class Telling:
    """What is said of a run."""

    planning: Planning
    output: TextIO
    """Where findings go: stdout, unless a changed text goes there."""

    @property
    def _format(self) -> str | None:
        """The format of a report for other programs, if one is asked for."""
        name: str = self.planning.flake8.options.format
        return name if name in REPORTS else None

    def listing(self, paths: Iterable[str], check: Callable[[], None]) -> int:
        """Show what is found and what can be done about it; 1 if anything is found."""
        found: list[Listed] = []
        failures: list[Failure] = []
        for path in paths:
            self._look(path, self.planning.text(path), found, failures)
            check()
        if self._format is not None:
            print(report(self._format, found, failures))
        else:
            print("".join(f"{item.line}\n" for item in found), end="")
        self._complain(failures)
        if not self._options.quiet:
            counts = Counter(item.remedy.safety or "not fixed" for item in found)
            parts = ", ".join(f"{counts[kind]} {kind}" for kind in _KINDS if counts[kind])
            print(f"{_some(len(found), 'finding')}{': ' * bool(found)}{parts}.", file=sys.stderr)
        return 0 if self._options.exit_zero else int(bool(found or failures))

    def difference(self, plans: Iterable[Plan | Failure]) -> int:
        """Show what would change as a diff; 1 if anything would."""
        changing = [plan for plan in succeeded(plans) if plan.is_change]
        for plan in changing:
            name = self.planning.flake8.label(plan.path)
            if sys.stdout.isatty():
                print(plan.before.shown_difference(plan.after, name), end="")
            else:
                sys.stdout.buffer.write(plan.before.difference(plan.after, name))
        return int(bool(changing))

    def preview(self, plans: Sequence[Plan | Failure]) -> int:
        """Say which files would change, and which of their findings would go; 1 if any would."""
        changing = [plan for plan in succeeded(plans) if plan.is_change]
        if self._format is not None:
            texts = {plan.path: plan.before for plan in succeeded(plans) if plan.found}
            self._report(self._format, texts, plans)
            return int(bool(changing))
        for plan in changing:
            name = self.planning.flake8.label(plan.path)
            for verb, counts in (("fix", plan.fixed), ("silence", plan.silenced)):
                if counts:
                    codes = ", ".join(f"{count} {code}" for code, count in sorted(counts.items()))
                    print(printable(f"Would {verb}: {name} ({codes})"))
            for item in self._listed({plan.path: plan.before})[0]:
                if item.remedy.safety is Safety.SAFE or (
                    item.remedy.safety is not None and self.planning.unsafe
                ):
                    print(f"  {item.line}")
        return int(bool(changing))

    def left(self, plans: Sequence[Plan | Failure]) -> int:
        """Show what is left, and what came of stdin; 1 if anything is left."""
        done = succeeded(plans)
        source = self.planning.source
        if source is not None:
            after = next((plan.after for plan in done if plan.path == STDIN), source)
            sys.stdout.buffer.write(after.content)
        left = [violation for plan in done for violation in plan.left]
        with redirect_stdout(self.output):
            if self._format is not None:
                texts = {plan.path: plan.after for plan in done if plan.left}
                self._report(self._format, texts, plans)
            else:
                self.planning.flake8.show(left)
        return int(bool(left))

    def end(self, plans: Sequence[Plan | Failure], would: bool, status: int) -> int:
        """Say what was left alone and how it went; the exit status."""
        failures = [item for item in plans if isinstance(item, Failure)]
        self._complain(failures)
        self._warn(succeeded(plans))
        if not self._options.quiet:
            print(_summary(succeeded(plans), len(failures), would), file=sys.stderr)
        return 0 if self._options.exit_zero else max(status, int(bool(failures)))

    @property
    def _options(self) -> argparse.Namespace:
        return self.planning.flake8.options

    def _report(self, name: str, texts: dict[str, Text], plans: Iterable[Plan | Failure]) -> None:
        found, failures = self._listed(texts)
        failures += [item for item in plans if isinstance(item, Failure)]
        print(report(name, found, failures))

    def _listed(self, texts: dict[str, Text]) -> tuple[list[Listed], list[Failure]]:
        """The findings of some texts, and the files that have none to tell."""
        found: list[Listed] = []
        failures: list[Failure] = []
        for path, text in texts.items():
            self._look(path, text, found, failures)
        return found, failures

    def _look(
        self, path: str, text: Text | Failure, found: list[Listed], failures: list[Failure]
    ) -> None:
        items = self.planning.remedies(path, text) if isinstance(text, Text) else text
        if isinstance(items, Failure):
            failures.append(items)
        else:
            found += [Listed(self.planning.flake8.label(path), item) for item in items]

    def _warn(self, plans: Iterable[Plan]) -> None:
        """Say what is not as it was from now on."""
        for plan in plans:
            name = self.planning.flake8.label(plan.path)
            for item in plan.altered:
                place = f"{name}:{item.line}:{item.column + 1}: {item.code}"
                raised = _BY_CODE[item.code].symptoms == {Symptom.RAISES}
                how = "no error any more, but" if raised else "not as before:"
                print(printable(f"{place} {how} {item.text}"), file=sys.stderr)

    def _complain(self, failures: Iterable[Failure]) -> None:
        for failure in failures:
            name = self.planning.flake8.label(failure.path)
            print(printable(f"{name}: left alone: {failure.reason}"), file=sys.stderr)


_BY_CODE = {rule.code: rule for rule in RULES}
_KINDS = (Safety.SAFE, Safety.UNSAFE, "not fixed")


def _summary(plans: Sequence[Plan], failures: int, would: bool) -> str:
    """What was done, or would be, and why there is something left."""
    left = sum(len(plan.left) for plan in plans)
    unsafe = sum(plan.unsafe for plan in plans)
    parts = [*_deeds(plans, would)]
    if left:
        reasons = [f"{unsafe} {'needs' if unsafe == 1 else 'need'} --unsafe"] if unsafe else []
        if left > unsafe:
            reasons.append(f"{left - unsafe} {'has' if left - unsafe == 1 else 'have'} no fix")
        parts.append(f"{_some(left, 'finding')} left: {', '.join(reasons)}.")
    if failures:
        parts.append(f"{_some(failures, 'file')} left alone.")
    return " ".join(parts) or "Nothing to fix."


def _deeds(plans: Sequence[Plan], would: bool) -> Iterator[str]:
    """How many findings are fixed and silenced, in how many files that change for it."""
    for done, coming, counts in (
        ("Fixed", "Would fix", [plan.fixed for plan in plans]),
        ("Silenced", "Would silence", [plan.silenced for plan in plans]),
    ):
        if any(counts):
            found = _some(sum(item.total() for item in counts), "finding")
            pairs = zip(plans, counts, strict=True)
            files = _some(sum(plan.is_change for plan, item in pairs if item), "file")
            yield f"{coming if would else done} {found} in {files}."


def _some(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
