"""Iterators that threads of another library advance.

pyarrow reads ahead: a scan whose consumer stops early, as ``LIMIT`` does, is still being read when the interpreter exits, and a thread
that then enters Python crashes the process. So exit waits until these iterators are not called any more: a scan without a consumer reads
a few batches ahead, and no more.
"""

from __future__ import annotations

import atexit
import os
import time
import weakref
from typing import Any, Iterator

# Seconds for which exit waits at most, after which an iterator is taken to be abandoned or blocked, and after which a thread has passed an
# error on, which may outlive the iterator.
_WAIT, _IDLE, _PASSED_ON = 10.0, 0.1, 0.5
_live: "weakref.WeakSet[Advanced]" = weakref.WeakSet()
# When the last iterator failed.
_failed = -_PASSED_ON


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
        except StopIteration:
            self._is_ended = True
            raise
        except BaseException:
            global _failed
            self._is_ended, _failed = True, time.monotonic()
            raise
        finally:
            self._called, self._is_running = time.monotonic(), False

    def is_quiet(self) -> bool:
        """Whether no thread will call it: it has ended, was never called, or has not been for a while."""
        return self._is_ended or not self._is_running and time.monotonic() > self._called + _IDLE


@atexit.register
def _wait() -> None:
    until = time.monotonic() + _WAIT
    while time.monotonic() < until and (time.monotonic() < _failed + _PASSED_ON or not all(one.is_quiet() for one in list(_live))):
        time.sleep(0.005)


if hasattr(os, "register_at_fork"):
    # A child has none of the threads of its parent.
    os.register_at_fork(after_in_child=_live.clear)


__all__ = ["Advanced"]
