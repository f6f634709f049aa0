"""The recorder: what the probes of a program call.

A probe changes nothing and never raises. What it has to find out about objects is the work of
``measuring``, which is imported when the program has imported jax.
"""

import functools
import sys
import threading
from collections.abc import Callable, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from flake8_jax.confirming.opening import MEASURED, OFTEN, Open
from flake8_jax.confirming.places import Via
from flake8_jax.confirming.reports import Report
from flake8_jax.confirming.stack import (
    is_by_way_of,
    is_jit_off,
    is_rebuilt,
    is_traced,
    is_under_way,
)
from flake8_jax.evidence.changes import GONE
from flake8_jax.fates import Fate

if TYPE_CHECKING:
    from flake8_jax.confirming.caching import Unfilled
    from flake8_jax.confirming.measuring import Measuring

_MOST_OPEN = 64
_Value = TypeVar("_Value")
_Method = TypeVar("_Method", bound=Callable[..., Any])


class _State(threading.local):
    def __init__(self) -> None:
        self.opened: list[Open] = []
        self.busy = False


def _safe(method: _Method) -> _Method:
    """A probe that tells of its own faults, and lets the program go on."""

    @functools.wraps(method)
    def run(self: "Recorder", *args: Any) -> Any:
        if self.state.busy:
            return None  # the code of an object that is being looked at
        self.state.busy = True
        try:
            return method(self, *args)
        except Exception as error:
            self.report.say(fault=f"{method.__name__}: {type(error).__name__}: {error}"[:300])
            return None
        finally:
            self.state.busy = False

    return run  # type: ignore[return-value]


class Recorder:
    """Takes down what happens at places."""

    def __init__(self, report: Report, files: Mapping[str, str]) -> None:
        self.report = report
        self.files = files
        """The files whose functions tell what they return, and the real path of each."""
        self.via: dict[int, Via] = {}
        """Who has to be under way for places to count that others may reach as well."""
        self.main: Callable[[], None] = lambda: None
        """What a script begins with."""
        self.state = _State()
        self._often: set[int] = set()
        """The places that are only counted, where no trace is under way."""
        self._measuring: Measuring | None = None

    @property
    def measuring(self) -> "Measuring | None":
        """What measures objects, once there is a jax that may have Tracers."""
        if self._measuring is None and "jax.numpy" in sys.modules:
            from flake8_jax.confirming.measuring import Measuring

            self._measuring = Measuring(self.report, self.files, self.settle)
        return self._measuring

    # probes of statements and expressions ------------------------------------------------------

    def open(self, finding: int, always: bool = False) -> None:
        """A statement or an expression begins."""
        if self._is_only_counted(finding):
            self.report.count(finding, "executed")
        else:
            self._open(finding, sys._getframe(1), always)

    def passing(self, finding: int) -> None:
        """A call begins that may lead to a write, now or when what it makes is called."""
        if self._is_only_counted(finding):
            self.report.count(finding, "passed")
        else:
            self._open(finding, sys._getframe(1), False, "passed")

    def calling(self, finding: int) -> None:
        """A statement begins in which a method is called that may refuse its arguments."""
        self._calling(finding, sys._getframe(1))

    def at(self, finding: int, target: _Value, deep: bool = False, key: str = "") -> _Value:
        """An object may be changed, or what it holds."""
        if not self._is_only_counted(finding):
            self._at(finding, target, deep, key, sys._getframe(1))
        return target

    def name(self, finding: int, name: str, read: Callable[[], Any]) -> None:
        """A global or nonlocal name is about to be assigned."""
        if not self._is_only_counted(finding):
            self._name(finding, name, read, sys._getframe(1))

    def callee(self, finding: int, function: _Value) -> _Value:
        """A function is about to be called that keeps its results."""
        if not self._is_only_counted(finding):
            self._callee(finding, function, sys._getframe(1))
        return function

    def over(self, finding: int, _: None, value: _Value) -> _Value:
        """An expression has a value."""
        if self.state.opened:
            self._end(finding, sys._getframe(1), value)
        return value

    def done(self, finding: int, value: _Value) -> _Value:
        """An expression has done what it changes; its statement goes on."""
        self._end(finding, sys._getframe(1), GONE)
        return value

    def guarded(self, finding: int, body: Callable[[], _Value]) -> _Value:
        """The body of a lambda in which something may refuse its arguments."""
        frame = sys._getframe(1)
        self._calling(finding, frame)
        try:
            return body()
        except BaseException as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
                error.__traceback__ = error.__traceback__.tb_next.tb_next  # as if it was not there
            raise
        finally:
            self._end(finding, frame, GONE)

    def asked(self, finding: int, target: Any, reads: str) -> None:
        """A method begins that may fill a cache of its object, or find it filled.

        The value is made from those attributes of the object that the method reads itself.
        """
        if self._measuring is not None and not self._is_only_counted(~finding):
            self._asked(finding, target, reads)

    def end(self, finding: int) -> None:
        """A statement is done, or has failed."""
        if self.state.opened:
            self._end(finding, sys._getframe(1), GONE)

    def returning(self, value: _Value, early: bool = False) -> _Value:
        """A function is about to give a value back; early, if it has something to do still."""
        if early or (self._measuring is not None and self._measuring.is_waiting()):
            self._returning(id(sys._getframe(1)), value, early)
        return value

    @_safe
    def settle(self, at_end: bool = False) -> None:
        """Answer what can be answered now."""
        if self._measuring is not None:
            self._measuring.settle(at_end)

    # probes of caches --------------------------------------------------------------------------

    def counted(self, finding: int, name: str) -> Callable[[Any], Any]:
        """Wraps a function whose result is cached, so that its runs are counted."""

        def wrapping(function: Any) -> Any:
            return self._counting(finding, name, function)

        return wrapping

    def of_class(self, finding: int, owner: type, member: str) -> None:
        """The same for the function behind a member that a class inherits."""
        for base in getattr(owner, "__mro__", ()):
            descriptor = vars(base).get(member)
            if isinstance(descriptor, functools._lru_cache_wrapper):
                counting = self._counting(finding, member, descriptor.__wrapped__, owner)
                setattr(
                    base, member, functools.lru_cache(**descriptor.cache_parameters())(counting)
                )
                return
            for attribute in ("func", "fget"):
                function = getattr(descriptor, attribute, None)
                if callable(function):
                    counting = self._counting(finding, member, function, owner)
                    try:
                        setattr(descriptor, attribute, counting)
                    except (AttributeError, TypeError):
                        continue
                    return
        self.report.say(finding=finding, unfit=f"the function behind {member!r} is not at hand")

    def _counting(self, finding: int, name: str, function: Any, owner: type = object) -> Any:
        if not callable(function):
            self.report.say(finding=finding, unfit=f"{name!r} is not a function")
            return function

        @functools.wraps(function)
        def computed(*args: Any, **kwargs: Any) -> Any:
            if args and not isinstance(args[0], owner):
                return function(*args, **kwargs)  # of another class that inherits it
            before = self._computing(finding, name, args, sys._getframe(1))
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                if error.__traceback__ is not None:  # as if this function was not there
                    error.__traceback__ = error.__traceback__.tb_next
                raise
            self._computed(finding, name, args, result, before, sys._getframe(1))
            return result

        return computed

    # what they do ------------------------------------------------------------------------------

    @_safe
    def _open(self, finding: int, frame: FrameType, always: bool, eager: str = "executed") -> None:
        self._begin(finding, frame, always, eager)

    def _is_only_counted(self, finding: int) -> bool:
        return finding in self._often and not is_traced()

    def _begin(self, finding: int, frame: FrameType, always: bool, eager: str) -> Open:
        if self._measuring is not None:
            self._measuring.settle()
        via = self.via.get(finding)
        if via is not None and not is_by_way_of(via, self.files):
            self.report.count(finding, "elsewhere")
            opening = Open(finding, id(frame), None, False, False, elsewhere=True)
            self.state.opened.append(opening)
            return opening
        number = self.report.count(finding, "begun")
        traced = is_traced() or (number <= MEASURED and is_rebuilt(frame))
        self.report.count(finding, "executed" if traced else eager)
        if traced:
            self.report.count(finding, "traced")
        elif is_jit_off():
            self.report.count(finding, "off")
        opened = self.state.opened
        opened[:] = [item for item in opened[-_MOST_OPEN:] if is_under_way(item.frame)]
        opening = Open(finding, id(frame), sys.exc_info()[1], traced or always, traced, always)
        opened.append(opening)
        return opening

    @_safe
    def _calling(self, finding: int, frame: FrameType) -> None:
        opening = Open(finding, id(frame), sys.exc_info()[1], False, is_traced(), True)
        self.state.opened.append(opening)

    def _opened(self, finding: int, frame: FrameType) -> Open:
        for item in reversed(self.state.opened):
            if item.finding == finding and item.frame == id(frame) and not item.calling:
                return item
        return self._begin(finding, frame, False, "executed")

    def _is_measured(self, opened: Open) -> bool:
        opened.reached = True
        if not opened.watches:
            return False
        when = "looked" if opened.traced else "looked outside"
        is_measured = self.report.count(opened.finding, when) <= MEASURED
        opened.overlooks |= not is_measured
        return is_measured

    @_safe
    def _at(self, finding: int, target: Any, deep: bool, key: str, frame: FrameType) -> None:
        opened = self._opened(finding, frame)
        if self._is_measured(opened) and self.measuring is not None:
            self.measuring.watch(opened, target, deep, key)

    @_safe
    def _name(self, finding: int, name: str, read: Callable[[], Any], frame: FrameType) -> None:
        opened = self._opened(finding, frame)
        if self._is_measured(opened) and self.measuring is not None:
            cells = read.__closure__
            key = None if cells else ("item", repr(name))
            self.measuring.watch_name(opened, cells[0] if cells else frame.f_globals, key)

    @_safe
    def _callee(self, finding: int, function: Any, frame: FrameType) -> None:
        opened = self._opened(finding, frame)
        if self.measuring is not None:
            self.measuring.watch_memo(opened, function)

    @_safe
    def _end(self, finding: int, frame: FrameType, value: Any) -> None:
        opened = self._closed(finding, id(frame))
        if opened is None or opened.elsewhere:
            return
        error = sys.exc_info()[1]
        if not opened.traced and self.report.number(finding, "begun") >= OFTEN:
            self._often.add(finding)
        if error is not None and error is not opened.error:
            text = f"{type(error).__name__}: {error}".partition("\n")[0][:200]
            self.report.count(finding, "raised")
            self.report.say(finding=finding, fate=Fate.RAISES, error=text, reached=opened.reached)
        elif not opened.calling and self.measuring is not None:
            if value is not GONE and value is not None and not opened.overlooks:
                self.measuring.discarded(opened, value)
            if opened.traced:
                self.measuring.changed(opened, frame)
            elif opened.watches:
                self.measuring.caches.filled(opened)

    def _closed(self, finding: int, frame: int) -> Open | None:
        opened = self.state.opened
        for number in reversed(range(len(opened))):
            if opened[number].finding == finding and opened[number].frame == frame:
                return opened.pop(number)
        return None

    @_safe
    def _asked(self, finding: int, target: Any, reads: str) -> None:
        if self._measuring is not None:
            self._measuring.caches.asked(finding, target, reads.split())
            if self.report.count(finding, "asked") >= OFTEN:
                self._often.add(~finding)

    @_safe
    def _returning(self, key: int, value: Any, early: bool) -> None:
        if (not early or is_traced()) and self.measuring is not None:
            self.measuring.returning(key, value, early)

    @_safe
    def _computing(
        self, finding: int, name: str, args: tuple[Any, ...], frame: FrameType
    ) -> "Unfilled | None":
        self.report.count(finding, "executed")
        if is_traced() and args and self.measuring is not None:
            return self.measuring.caches.computing(finding, name, args[0], frame)
        if is_jit_off():
            self.report.count(finding, "off")
        if args and self.report.number(finding, "executed") <= OFTEN:
            self.report.say(finding=finding, object=id(args[0]))
        return None

    @_safe
    def _computed(
        self,
        finding: int,
        name: str,
        args: tuple[Any, ...],
        result: Any,
        before: "Unfilled | None",
        frame: FrameType,
    ) -> None:
        if before is not None and self.measuring is not None:
            self.measuring.caches.computed(finding, name, args[0], result, before, frame)
