"""The import hook: modules with places are compiled with probes, in every process of the program.

Also where they do not come by an import: as the script that Python is given, as the main module of
a process that multiprocessing starts, and as a test module, which pytest compiles itself.
"""

import ast
import atexit
import builtins
import hashlib
import importlib.machinery
import importlib.util
import json
import marshal
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from flake8_jax.confirming.instrumenting import Instrument
from flake8_jax.confirming.places import FOLDER, Plan, read
from flake8_jax.confirming.recording import Recorder
from flake8_jax.confirming.reports import Report
from flake8_jax.confirming.weaving import NAME

_compile = compile
_HEADER = importlib.util.MAGIC_NUMBER + bytes(12)


class Hook:
    """What one process does with the modules of a plan."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._plan: Plan = read(folder)
        self._files: dict[str, str] = {}
        self._known: dict[str, str] = {}
        self.report = Report(folder)
        self.recorder = Recorder(self.report, self._files)

    def install(self) -> None:
        """Be there before the program begins."""
        setattr(builtins, NAME, self.recorder)
        sys.meta_path.insert(0, self)
        atexit.register(self._finish)
        self.report.say(process=os.getpid())
        self._main()

    # modules -----------------------------------------------------------------------------------

    def real(self, path: Any) -> str | None:
        """The name that the plan has for a file, if it is in there."""
        if not isinstance(path, str):
            return None
        if path not in self._known:
            self._known[path] = os.path.realpath(path)
        known = self._known[path]
        return known if known in self._plan else None

    def code(self, path: str, source: bytes, also: Callable[[ast.Module], None] | None) -> Any:
        """The code of a file of the plan, with its probes; None if it has to do without."""
        real = self.real(path)
        if real is None:
            return None
        module = self._plan[real]
        if hashlib.sha256(source).hexdigest() != module.digest:
            self.report.say(file=real, problem="it has changed since it was linted")
            return None
        try:
            instrument = Instrument(source, module.places)
            tree = instrument.instrumented()
            if also is not None:
                also(tree)
            code = _compile(tree, path, "exec", dont_inherit=True)
        except Exception as error:
            problem = f"it cannot be instrumented: {type(error).__name__}: {error}"
            self.report.say(file=real, problem=problem)
            return None
        for finding, reason in instrument.unfit.items():
            self.report.say(finding=finding, unfit=reason)
        self._files[path] = real
        self.recorder.via.update(
            {place.finding: place.via for place in module.places if place.via is not None}
        )
        self.report.say(file=real, loaded=True)
        return code

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> Any:
        """A module as the others find it, with a loader that instruments it."""
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                break
        else:
            return None
        after = _AFTER.get(name)
        if after is not None and spec.loader is not None:
            spec.loader = _Patching(spec.loader, self, after)
        elif self.real(spec.origin) is not None:
            if type(spec.loader) is importlib.machinery.SourceFileLoader:
                spec.loader = _Loader(name, spec.origin, self)
        return spec

    # the script --------------------------------------------------------------------------------

    def _main(self) -> None:
        """Run the script of this process with probes.

        Python reads it itself, with no hook in between. So the process starts anew, with the
        compiled script; it is the same process, and the frames of the script are its first.
        """
        given = sys.argv[0] if sys.argv else ""
        started = self._folder / f"main-{os.getpid()}.json"
        if given.endswith(".pyc") and started.exists():
            known = json.loads(started.read_text(encoding="utf-8"))
            sys.argv[0] = known["argument"]
            sys.orig_argv[:] = known["arguments"]
            self._files[known["path"]] = os.path.realpath(known["path"])
            places = self._plan[self._files[known["path"]]].places
            self.recorder.via.update(
                {place.finding: place.via for place in places if place.via is not None}
            )
            self.recorder.main = lambda: _become(known["path"])
            return
        path = os.path.abspath(given)  # noqa: PTH100
        if not given or given in ("-c", "-m") or self.real(path) is None or os.name == "nt":
            return
        if not os.path.isfile(path):  # noqa: PTH113
            return
        code = self.code(path, Path(path).read_bytes(), _with_start)
        if code is None:
            return
        compiled = self._folder / f"main-{os.getpid()}.pyc"
        compiled.write_bytes(_HEADER + marshal.dumps(code))
        known = {"argument": given, "arguments": sys.orig_argv, "path": path}
        started.write_text(json.dumps(known), encoding="utf-8")
        options = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv)]
        os.execv(sys.executable, [sys.executable, *options, str(compiled), *sys.argv[1:]])

    # the end -----------------------------------------------------------------------------------

    def _finish(self) -> None:
        self.recorder.settle(True)
        for name, module in list(sys.modules.items()):
            path = getattr(module, "__file__", None)
            real = self.real(path)
            if real is not None and path not in self._files:
                self.report.say(file=real, problem=f"it was loaded past the import hook ({name})")
            elif isinstance(path, str) and real is None:
                self._other_copy(path)
        jax = sys.modules.get("jax")
        if jax is not None:
            self.report.say(versions={"jax": str(getattr(jax, "__version__", ""))})
        self.report.close()

    def _other_copy(self, path: str) -> None:
        """Tell of a module that has the name of a file of the plan, from somewhere else."""
        if "site-packages" not in path:
            return
        tail = path.replace("\\", "/").rpartition("/site-packages/")[2]
        for real in self._plan:
            if "/" in tail and real.replace("\\", "/").endswith(f"/{tail}"):
                self.report.say(file=real, problem=f"another copy was imported: {path}")


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module with probes; what is compiled is not kept."""

    def __init__(
        self,
        name: str,
        path: str,
        hook: Hook,
        also: Callable[[ast.Module, bytes], None] | None = None,
    ) -> None:
        super().__init__(name, path)
        self._hook, self._also = hook, also

    def get_code(self, fullname: str) -> CodeType | None:
        source = self.get_data(self.path)
        also = self._also
        rewrite = None if also is None else lambda tree: also(tree, source)
        code: CodeType | None = self._hook.code(self.path, source, rewrite)
        return super().get_code(fullname) if code is None else code


class _Patching:
    """Loads a module as it is, and changes something in it."""

    def __init__(self, loader: Any, hook: Hook, after: Callable[[Hook, Any], None]) -> None:
        self._loader, self._hook, self._after = loader, hook, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._after(self._hook, module)


def _after_runpy(hook: Hook, module: Any) -> None:
    """``runpy`` compiles files itself: those that are run by their path."""

    def compiled(source: Any, path: Any, *args: Any, **kwargs: Any) -> Any:
        code = hook.code(path, source, None) if isinstance(source, bytes) else None
        return _compile(source, path, *args, **kwargs) if code is None else code

    module.compile = compiled


def _after_pytest(hook: Hook, module: Any) -> None:
    """pytest compiles test modules itself, to tell more of assertions."""
    rewriter = module.AssertionRewritingHook
    find = rewriter.find_spec

    def find_spec(self: Any, name: str, path: Any = None, target: Any = None) -> Any:
        spec = find(self, name, path, target)
        if spec is None or hook.real(spec.origin) is None:
            return spec

        def rewrite(tree: ast.Module, source: bytes) -> None:
            module.rewrite_asserts(tree, source, spec.origin, self.config)

        spec.loader = _Loader(name, spec.origin, hook, rewrite)
        return spec

    rewriter.find_spec = find_spec


_AFTER: dict[str, Callable[[Hook, Any], None]] = {
    "runpy": _after_runpy,
    "coverage.execfile": _after_runpy,
    "_pytest.assertion.rewrite": _after_pytest,
}
"""The modules that compile others, and what has to be done to them."""


def _with_start(tree: ast.Module) -> None:
    """Let a script begin with what makes it the main module of its own path."""
    start = ast.parse(f"{NAME}.main()").body[0]
    number = 0
    for statement in tree.body:
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (is_text and number == 0) and not is_future:
            break
        number += 1
    tree.body.insert(number, start)
    ast.fix_missing_locations(tree)


def _become(path: str) -> None:
    """Make the main module what it is when Python runs the script."""
    main = sys.modules["__main__"]
    main.__file__ = path
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    if not sys.flags.safe_path and sys.path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))  # noqa: PTH120


def start() -> None:
    """Begin, in a process of the program."""
    Hook(Path(os.environ[FOLDER])).install()
