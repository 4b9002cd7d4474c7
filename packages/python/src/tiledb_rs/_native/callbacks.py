"""Callbacks of C functions, whose exceptions are raised when the C function has returned."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_int32, c_uint64, c_void_p
from typing import Any, Callable, List, Optional

from .context import Context
from .interrupts import Interruptible, check

FAIL, STOP, CONTINUE = -1, 0, 1
Progress = Optional[Callable[[int, int], Any]]
ProgressCallback = CFUNCTYPE(c_int32, c_uint64, c_uint64, c_void_p)


class Guard(Interruptible):
    """Holds the callbacks of one call, and the exception of the first that raised one.

    A callback never raises into C: it returns FAIL, and the exception is raised after the call. A function of the user stops the call by
    returning False. A handler that the program has installed for Ctrl-C is called within a callback.
    """

    def __init__(self, ctx: Context) -> None:
        super().__init__(ctx)
        self._ctx = ctx
        self.error: Optional[BaseException] = None
        self._callbacks: List[Any] = []

    def __exit__(self, *exception: Any) -> None:
        self._callbacks.clear()
        super().__exit__(*exception)

    def callback(self, kind: Any, function: Callable[..., Any]) -> Any:
        """A C callback of a function; it continues unless the function returns False or raises."""

        def run(*arguments: Any) -> int:
            if self.error is not None:
                return FAIL
            try:
                check()
                return STOP if function(*arguments) is False else CONTINUE
            except BaseException as error:  # noqa: B902
                self.error = error
                return FAIL

        made = kind(run)
        self._callbacks.append(made)
        return made

    def call(self, name: str, *arguments: Any, about: str = "") -> None:
        """Calls a function of the context, and raises what a callback raised."""
        try:
            self._ctx.call(name, *arguments, about=about)
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
