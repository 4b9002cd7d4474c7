"""Iterators that threads of another library advance.

pyarrow reads ahead: a scan whose consumer stops early, as ``LIMIT`` does, is still being read when the interpreter exits, and a thread
that then enters Python crashes the process. So exit waits until these iterators are not called any more: a scan without a consumer reads
a few batches ahead, and no more.
"""

from __future__ import annotations

import atexit
import time
import weakref
from typing import Any, Iterator

# Seconds for which exit waits at most, and after which an iterator is taken to be abandoned or blocked.
_WAIT, _IDLE = 10.0, 0.1
_live: "weakref.WeakSet[Advanced]" = weakref.WeakSet()


class Advanced:
    """An iterator that knows whether it is being called."""

    def __init__(self, items: Iterator[Any]):
        self._items = items
        self._called = 0.0
        self._is_running = self._is_ended = False
        _live.add(self)

    def __iter__(self) -> Advanced:
        return self

    def __next__(self) -> Any:
        self._is_running = True
        try:
            return next(self._items)
        except BaseException:
            self._is_ended = True
            raise
        finally:
            self._called, self._is_running = time.monotonic(), False

    def is_quiet(self) -> bool:
        """Whether no thread will call it: it has ended, was never called, or has not been for a while."""
        return self._is_ended or not self._is_running and time.monotonic() > self._called + _IDLE


@atexit.register
def _wait() -> None:
    until = time.monotonic() + _WAIT
    while not all(one.is_quiet() for one in list(_live)) and time.monotonic() < until:
        time.sleep(0.005)


__all__ = ["Advanced"]
