"""``flake8-jax confirm PATHS -- COMMAND``, on programs as users write them."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FrameType, SimpleNamespace

import jax
import pytest

from conftest import REPOSITORY
from flake8_jax.confirming import searching
from flake8_jax.confirming.opening import MEASURED, OFTEN
from flake8_jax.confirming.recording import Recorder
from flake8_jax.confirming.reports import Report
from flake8_jax.confirming.slices import cut
from integrations.confirmed_hazards import DRIVER, confirmed, fixtures
from integrations.confirmed_hazards import run as hazard_run

PROGRAMS = REPOSITORY / "tests/integrations/confirmed"
PYTHON = sys.executable


def run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = str(REPOSITORY / "src")
    command = [PYTHON, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def confirm(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return run(folder, "-m", "flake8_jax", "confirm", *arguments)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path in PROGRAMS.glob("*.py"):
        name = path.name if path.name != "seen.py" else "test_seen.py"  # not one of this suite
        shutil.copy(path, tmp_path / name)
    return tmp_path


AGENT = """\
(2, 2)
cannot assign to field 'n'
{folder}/agent.py ['agent.py', '--steps', '3'] {folder}
agent.py:16:9  JAX301  confirmed    leaked: self.key holds a Tracer after 'step' (traced once)
agent.py:23:5  JAX101  confirmed    recomputed: computed 3 times for 1 object, 2 of them inside \
jit, and so at each call of 'project'; a filled cache was dropped once
agent.py:39:5  JAX201  confirmed    lost: the written object was a copy that died with the trace \
of 'loop', the caller's kept its value
agent.py:44:5  JAX201  refuted      executed once, never under a trace
agent.py:57:5  JAX401  confirmed    dropped: a new array was thrown away, once
agent.py:67:5  JAX201  not reached

JAX201 is wrong about agent.py:44:5, or this run does not show it. If it is wrong, please report \
it with what follows (VERSIONS).

    # JAX201 'state.n' is set on a lost copy: '_old' (jax.jit, line 47) doesn't return it; return \
a new object
    import jax

    def _old(state):
        state.n = state.n + 1

    old = jax.jit(_old)

4 confirmed, 1 not reached, 1 refuted; the command ended well; exit status 1: a finding was refuted
"""


def test_a_script(folder: Path) -> None:
    done = confirm(folder, "agent.py", "--", PYTHON, "agent.py", "--steps", "3")
    shown = re.sub(r"\(flake8-jax .*, jax [\d.]+\)", "(VERSIONS)", done.stdout)
    assert shown == AGENT.replace("{folder}", str(folder))
    assert (done.returncode, done.stderr) == (1, "")


def test_data_for_tools(folder: Path) -> None:
    command = ("--format=json", "--only-confirmed", "test_seen.py", "--", PYTHON, "-m", "unittest")
    done = confirm(folder, *command, "test_seen")
    data = json.loads(done.stdout)
    assert (done.returncode, data["status"], data["command"]) == (0, 0, 0)
    assert "OK" in done.stderr
    (found,) = data["findings"]
    assert found["code"] == "JAX303"
    assert found["verdict"] == "confirmed"
    assert found["measure"] == "leaked"
    assert found["detail"] == "SEEN holds a Tracer after 'noted' (traced once)"


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_pytest(folder: Path, workers: tuple[str, ...]) -> None:
    pytest_command = (PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", *workers)
    done = confirm(folder, "--format=markdown", "test_seen.py", "--", *pytest_command)
    assert "2 passed" in done.stderr
    shown = done.stdout.splitlines()
    assert shown[2].startswith("| `test_seen.py:12:5` | JAX303 | **confirmed** | leaked: SEEN ")
    assert shown[-1] == (
        "1 confirmed; the command ended well; exit status 0: no finding was refuted"
    )
    assert done.returncode == 0


SENSOR = """\
import jax
from flax import struct


class Sensor(struct.PyTreeNode, frozen=False):
    level: jax.Array
    _log: jax.Array | None = None

    @property
    def log(self):
        if self._log is None:
            self._log = jax.numpy.log(self.level)
        return self._log
"""
READING = """\
import jax
from sensor import Sensor

read = jax.jit(lambda sensor: sensor.log)
read(Sensor(jax.numpy.ones(2)))
"""


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (
            ("sensor.py",),
            "not measured  the traced function '<lambda>' stands in {folder}/reading.py: "
            "name that before '--' as well",
        ),
        (
            (".",),
            "confirmed  lost: the cache that '<lambda>' fills is that of a copy, and dropped "
            "with it",
        ),
    ],
)
def test_a_traced_function_of_another_file(
    tmp_path: Path, paths: tuple[str, ...], said: str
) -> None:
    (tmp_path / "sensor.py").write_text(SENSOR)
    (tmp_path / "reading.py").write_text(READING)
    done = confirm(tmp_path, *paths, "--", PYTHON, "reading.py")
    assert done.stdout.splitlines()[0].partition("JAX104  ")[2] == said.format(folder=tmp_path)


PAST = """\
import jax
from flax import struct


class Field(struct.PyTreeNode, frozen=False):
    level: jax.Array
    reads: int = 0
    _log: jax.Array | None = None

    @property
    def log(self):
        if self._log is None:
            self._log = jax.numpy.log(self.level)
        return self._log


field = Field(jax.numpy.ones(2))
field.log
field.reads = 1
field.log
print("so far it is right")
if {changes}:
    field.replace(level=jax.numpy.zeros(2)).log
"""


@pytest.mark.parametrize("changes", [True, False])
def test_a_stale_value_is_one_whose_source_has_changed(tmp_path: Path, changes: bool) -> None:
    (tmp_path / "past.py").write_text(PAST.format(changes=changes))
    done = confirm(tmp_path, "past.py", "--", PYTHON, "past.py")
    said = {
        True: "confirmed  stale: Field._log was computed for another 'level', and was asked for "
        "once",
        False: "not reached  computed once, never under a trace",
    }[changes]
    assert done.stdout.splitlines()[1].partition("JAX104  ")[2] == said


CAUSE = """\
import jax


class Gauge:
    def __init__(self):
        self.reading = None


def note(gauge, value):
    gauge.reading = value
"""
USING = """\
import jax
from cause import Gauge, note

GAUGE = Gauge()


@jax.jit
def seen(x):
    note(GAUGE, x)
    return x


"""


def test_a_cause_counts_for_the_findings_that_lead_there(tmp_path: Path) -> None:
    (tmp_path / "cause.py").write_text(CAUSE)
    (tmp_path / "unused.py").write_text(USING)
    (tmp_path / "used.py").write_text(f"{USING}import unused\n\nseen(1.0)\n")
    done = confirm(tmp_path, ".", "--", PYTHON, "used.py")
    first, second, *_ = done.stdout.splitlines()
    assert first == "./unused.py:9:5  JAX301  not reached"
    assert second.startswith("./used.py:9:5    JAX301  confirmed    leaked: GAUGE.reading holds ")


def test_what_is_executed_often_is_only_counted(tmp_path: Path) -> None:
    report = Report(tmp_path)
    recorder = Recorder(report, {})
    target = SimpleNamespace(n=0)

    def write() -> None:
        recorder.open(0)
        recorder.at(0, target).n += 1
        recorder.end(0)

    def work() -> int:
        """How many functions of Python a statement with its probes runs."""
        calls = 0

        def note(_frame: FrameType, event: str, _argument: object) -> None:
            nonlocal calls
            calls += event == "call"

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            write()
        finally:
            sys.setprofile(before)
        return calls

    first = work()
    for _ in range(OFTEN):
        write()
    then = work()
    assert 2 * then < first, (first, then)
    assert report.number(0, "executed") == OFTEN + 2


def test_objects_are_searched_for_the_first_executions_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = 0
    nodes = searching._nodes

    def counting(roots: Iterable[object], most: int) -> Iterator[object]:
        nonlocal searched
        for node in nodes(roots, most):
            searched += 1
            yield node

    monkeypatch.setattr(searching, "_nodes", counting)
    recorder = Recorder(Report(tmp_path), {})
    target = SimpleNamespace(n=None)

    def write(x: jax.Array) -> None:
        recorder.open(0)
        recorder.at(0, target).n = x
        recorder.end(0)

    def often(times: int) -> int:
        nonlocal searched
        before = searched

        def traced(x: jax.Array) -> jax.Array:
            for _ in range(times):
                write(x)
            return x

        jax.make_jaxpr(traced)(1.0)
        return searched - before

    assert often(MEASURED) > 0
    assert often(10 * MEASURED) == 0


def test_processes_that_are_spawned(folder: Path) -> None:
    done = confirm(folder, "pool.py", "--", PYTHON, "-m", "pool")
    output, finding, _, ending = done.stdout.splitlines()
    assert output == "[2.0]"
    assert finding.endswith("leaked: SEEN holds a Tracer after 'noted' (traced once)")
    assert ending.startswith("1 confirmed; ")


def test_a_command_that_fails_does_so_as_without_instruments(folder: Path) -> None:
    done = confirm(folder, "off.py", "--", PYTHON, "off.py")
    assert done.stdout == (
        "off.py:10:5  JAX303  not measured  executed once, but jit was off (jax.disable_jit)\n\n"
        "1 not measured; the command failed with status 1; exit status 1: that of the command\n"
    )
    assert done.returncode == 1
    alone = run(folder, "off.py")
    assert done.stderr == alone.stderr
    assert "ZeroDivisionError" in done.stderr


KEPT = """\
import jax
from jax.tree_util import register_pytree_node_class


@register_pytree_node_class
class Grid:
    def __init__(self, points):
        self.points = points
        self._memo = {}

    def tree_flatten(self):
        return (self.points,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)

    def cubes(self):
        return self._memo.setdefault("cubes", self.points**3)


cubes = jax.jit(lambda grid: grid.cubes())
cubes(Grid(jax.numpy.ones(2)))
"""


def test_a_call_that_fills_a_cache_in_a_return(tmp_path: Path) -> None:
    (tmp_path / "kept.py").write_text(KEPT)
    done = confirm(tmp_path, "kept.py", "--", PYTHON, "kept.py")
    assert done.stdout.splitlines()[0].partition("JAX104  ")[2] == (
        "confirmed  lost: the cache that '<lambda>' fills is that of a copy, and dropped with it"
    )


REFUSED = """\
import jax
from flax import struct


class Point(struct.PyTreeNode):
    x: jax.Array

    def move(self, by):
        self.x = self.x + by


jax.jit(lambda point: point.move(1))(Point(jax.numpy.ones(2)))
"""


def test_a_traceback_that_jax_cuts_is_underlined_as_without_instruments(tmp_path: Path) -> None:
    (tmp_path / "refused.py").write_text(REFUSED)
    done = confirm(tmp_path, "refused.py", "--", PYTHON, "refused.py")
    assert done.stdout.partition("\n")[0].endswith(
        "  confirmed  raised: FrozenInstanceError: cannot assign to field 'x' (once)"
    )
    alone = run(tmp_path, "refused.py")
    assert done.stderr == alone.stderr
    assert "    ^^^^^^\n" in done.stderr


def test_nothing_to_confirm(folder: Path) -> None:
    (folder / "plain.py").write_text(
        "import os, sys\n"
        "print(os.environ.get('FLAKE8_JAX_CONFIRM'), 'sitecustomize' in sys.modules)\n"
        "sys.exit(3)\n"
    )
    done = confirm(folder, "plain.py", "--", PYTHON, "plain.py")
    output, ending = done.stdout.splitlines()
    assert output.startswith("None ")
    assert ending == (
        "nothing to confirm: flake8 finds nothing here; the command failed with status 3"
    )
    assert done.returncode == 3


def test_a_python_that_ignores_the_environment(folder: Path) -> None:
    done = confirm(folder, "off.py", "--", PYTHON, "-I", "-c", "pass")
    assert "no process of the command has started the instruments" in done.stdout
    assert done.returncode == 0


def test_a_command_that_is_not_there(folder: Path) -> None:
    done = confirm(folder, "off.py", "--", "no-such-command")
    assert done.returncode == 127
    assert done.stderr == "flake8-jax: error: no-such-command: No such file or directory\n"


def test_a_slice_keeps_what_the_finding_needs() -> None:
    lines = [
        "import a\n",
        "import b\n",
        "def used():\n",
        "    x = 1\n",
        "    return a\n",
        "def unused():\n",
        "    return b\n",
    ]
    kept = cut(lines, lambda some: "    return a\n" in some)
    assert kept == ["def used():\n", "    return a\n"]


SAMPLE = [path for path in fixtures()[0][::48] if "tjax" not in path]
"""``python tests/integrations/confirmed_hazards.py`` takes all of them: see docs/confirm.md."""
_CHANGING = re.compile(r"0x[0-9a-f]+")


def test_hazards_that_run_as_programs_are_confirmed() -> None:
    findings, shown = confirmed(SAMPLE, *DRIVER, *SAMPLE)
    assert {Path(path).parent.name for path in SAMPLE} <= {item["code"] for item in findings}
    assert [item for item in findings if item["verdict"] != "confirmed"] == []
    alone = hazard_run(*DRIVER, *SAMPLE)
    assert _CHANGING.sub("0x", shown) == _CHANGING.sub("0x", alone.stdout)
    assert "Traceback" in shown
