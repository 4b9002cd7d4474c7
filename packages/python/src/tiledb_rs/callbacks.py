"""Callbacks of C functions, whose exceptions are raised when the C function has returned."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from .context import Context

FAIL, STOP, CONTINUE = -1, 0, 1


class Guard:
    """Holds the callbacks of one call, and the exception of the first that raised one.

    A callback never raises into C: it returns FAIL, and the exception, such as a KeyboardInterrupt, is raised after the call.
    A function of the user stops the call by returning False.
    """

    def __init__(self) -> None:
        self.error: Optional[BaseException] = None
        self._callbacks: List[Any] = []

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, *_: Any) -> None:
        self._callbacks.clear()

    def callback(self, kind: Any, function: Callable[..., Any]) -> Any:
        """A C callback of a function; it continues unless the function returns False or raises."""

        def run(*arguments: Any) -> int:
            if self.error is not None:
                return FAIL
            try:
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
