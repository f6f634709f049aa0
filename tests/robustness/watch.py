"""flake8 under watch: what it opens, runs and starts while it lints, and which faults it logs.

    python watch.py REPORT_FD ROOT RECURSION [flake8's arguments]

runs flake8 in this process, with a limit of recursion, and writes to the file descriptor, as JSON,
all that a linter has no business to do: writes, reads outside of ROOT, code that is run, processes,
sockets, and the faults that the plugin logged. What Python itself needs, its own modules and those
of flake8, is no news.
"""

import json
import logging
import os
import sys
import sysconfig

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_LISTS = frozenset({"os.listdir", "os.scandir", "os.walk"})
_HARMLESS = frozenset({"os.putenv", "os.unsetenv"})
_SUSPECT = ("os.", "shutil.", "tempfile.", "socket.", "subprocess.", "urllib.", "pty.", "ctypes.dl")


def _own_folders() -> tuple[str, ...]:
    """Where Python, flake8 and its plugins are at home."""
    stdlib = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
    return tuple(os.path.join(name, "") for name in (*stdlib, *sys.path))


class _Watch:
    """An audit hook that notes what should not happen."""

    def __init__(self, root: str) -> None:
        self.own = _own_folders()
        self.readable = tuple(os.path.join(os.path.realpath(name), "") for name in self.own)
        self.root = os.path.join(os.path.realpath(root), "")
        self.news: list[str] = []

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            self._open(*arguments)
        elif event in _LISTS:
            if not self._may_read(arguments[0]):
                self.news.append(f"lists {arguments[0]}")
        elif event == "exec":
            self._exec(arguments[0])
        elif event.startswith(_SUSPECT) and event not in _HARMLESS:
            self.news.append(f"{event} {arguments!r}")

    def _open(self, path: object, _: object, flags: object) -> None:
        if isinstance(flags, int) and flags & _WRITES:
            self.news.append(f"writes {path}")
        elif isinstance(path, str | bytes) and not self._may_read(path):
            self.news.append(f"reads {os.fsdecode(path)}")

    def _may_read(self, path: object) -> bool:
        if not isinstance(path, str | bytes):
            return path is not None
        real = os.path.join(os.path.realpath(os.fsdecode(path)), "")
        return real.startswith((self.root, *self.readable))

    def _exec(self, code: object) -> None:
        """Code is of a module of Python or flake8, or made by one: a dataclass, a named tuple."""
        name = getattr(code, "co_filename", "?")
        by = sys._getframe(2).f_code.co_filename
        frozen = by.startswith("<frozen ")
        if not (name.startswith(self.own) or (name.startswith("<") and by.startswith(self.own))):
            if not (frozen and name.startswith("<frozen ")):
                self.news.append(f"runs {name}")


class _Faults(logging.Handler):
    """What the plugin says went wrong inside of it."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(f"fault: {self.format(record)}")


def main() -> int:
    """Lint under watch; the status is flake8's."""
    report, root = int(sys.argv[1]), sys.argv[2]
    sys.setrecursionlimit(int(sys.argv[3]))
    del sys.path[0]  # as the command flake8 is run: without the folder of this file
    from flake8.main.application import Application

    faults, watch = _Faults(), _Watch(root)
    logger = logging.getLogger("flake8.jax")
    logger.addHandler(faults)
    application = Application()
    sys.addaudithook(watch)
    try:
        application.run(sys.argv[4:])
        return application.exit_code()
    finally:
        taken = {str(getattr(module, "__file__", "")) for module in [*sys.modules.values()]}
        taken = {name for name in taken if os.path.realpath(name).startswith(watch.root)}
        libraries = {"jax", "flax", "numpy"} & sys.modules.keys()
        news = [*watch.news, *faults.said, *(f"imports {name}" for name in taken | libraries)]
        os.write(report, json.dumps(news).encode())


if __name__ == "__main__":
    raise SystemExit(main())
