"""Callbacks of C functions, whose exceptions are raised when the C function has returned."""

from __future__ import annotations

import signal
import threading
from ctypes import CFUNCTYPE, c_int32, c_uint64, c_void_p
from typing import Any, Callable, List, Optional

from .context import Context

FAIL, STOP, CONTINUE = -1, 0, 1
Progress = Optional[Callable[[int, int], Any]]
ProgressCallback = CFUNCTYPE(c_int32, c_uint64, c_uint64, c_void_p)


class Guard:
    """Holds the callbacks of one call, and the exception of the first that raised one.

    A callback never raises into C: it returns FAIL, and the exception is raised after the call. A function of the user stops the call by
    returning False. Python runs signal handlers when it enters a function, before any ``try``: so Ctrl-C is noted while the call lasts,
    and its handler called within a callback.
    """

    def __init__(self) -> None:
        self.error: Optional[BaseException] = None
        self._callbacks: List[Any] = []
        self._handler: Any = None
        self._interrupted = False

    def __enter__(self) -> Guard:
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):
                try:
                    signal.signal(signal.SIGINT, self._note)
                    self._handler = handler
                except ValueError:
                    # Only the main interpreter handles signals.
                    pass
        return self

    def __exit__(self, *_: Any) -> None:
        self._callbacks.clear()
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
            self._handle()

    def _note(self, _number: int, _frame: Any) -> None:
        self._interrupted = True

    def _handle(self) -> None:
        if self._interrupted:
            self._interrupted = False
            self._handler(signal.SIGINT, None)

    def callback(self, kind: Any, function: Callable[..., Any]) -> Any:
        """A C callback of a function; it continues unless the function returns False or raises."""

        def run(*arguments: Any) -> int:
            if self.error is not None:
                return FAIL
            try:
                self._handle()
                return STOP if function(*arguments) is False else CONTINUE
            except BaseException as error:  # noqa: B902
                self.error = error
                return FAIL

        made = kind(run)
        self._callbacks.append(made)
        return made

    def call(self, ctx: Context, name: str, *arguments: Any, about: str = "") -> None:
        """Calls the function, and raises what a callback raised."""
        try:
            ctx.call(name, *arguments, about=about)
        except Exception:
            if self.error is not None:
                raise self.error from None
            raise
        if self.error is not None:
            raise self.error


def progress_callback(guard: Guard, progress: Progress) -> Any:
    """A callback that also lets Python handle signals, such as Ctrl-C."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function of (done, total), not {type(progress).__name__}")
    return guard.callback(ProgressCallback, lambda done, total, _: progress(done, total) if progress else None)
