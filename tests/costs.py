"""What a run of the tests costs: CPU time by module, and the memory of its largest process."""

import os
import resource
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

SHOWN = 30
"""How many modules are listed."""
_OUTPUT = "flake8_jax_costs"


def cpu_seconds() -> float:
    """The CPU time of this process and of those that it started and that have ended."""
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system


def peak_megabytes(who: int = resource.RUSAGE_SELF) -> float:
    """The most memory that this process has held, or the largest of those that it started."""
    return resource.getrusage(who).ru_maxrss / 1024


class Costs:
    """Counts in each worker, and tells at the end of the run."""

    def __init__(self) -> None:
        self.modules: Counter[str] = Counter()
        self.workers: list[dict[str, Any]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        before = cpu_seconds()
        try:
            return (yield)
        finally:
            self.modules[item.location[0]] += cpu_seconds() - before

    def own(self) -> dict[str, Any]:
        """The costs of this process, as numbers and texts that can be sent."""
        return {
            "name": os.environ.get("PYTEST_XDIST_WORKER", "main"),
            "cpu": cpu_seconds(),
            "peak": peak_megabytes(),
            "child": peak_megabytes(resource.RUSAGE_CHILDREN),
            "modules": dict(self.modules),
        }

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT] = self.own()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        found = getattr(node, "workeroutput", {}).get(_OUTPUT)
        if found is not None:
            self.workers.append(found)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        # The controller is no worker, and what it waited for is counted by the workers.
        told = self.workers or [self.own()]
        modules: Counter[str] = Counter()
        for worker in told:
            modules.update(worker["modules"])
        terminalreporter.section("costs")
        total = sum(worker["cpu"] for worker in told)
        terminalreporter.write_line(f"{total / 60:.1f} minutes of CPU time")
        for worker in sorted(told, key=lambda item: item["name"]):
            terminalreporter.write_line(
                f"{worker['name']}: {worker['cpu'] / 60:.1f} minutes, {worker['peak']:.0f} MB; "
                f"the largest process that it started {worker['child']:.0f} MB"
            )
        for name, spent in modules.most_common(SHOWN):
            terminalreporter.write_line(f"{spent:7.1f} s  {name}")
