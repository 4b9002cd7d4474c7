"""The compiled module of the package, which is optional: None where it is missing or cannot be used.

The wheels for Linux and macOS contain it for CPython. Other interpreters, CPython without its global lock and subinterpreters use the
modules in Python, which do the same.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from types import ModuleType
from typing import Any, Optional

from .errors import TileDBError
from .interrupts import REPEAT, Watcher, getsignal
from .library import functions

# Set to 1 to use the modules in Python.
PURE_PYTHON = "TILEDB_RS_PURE_PYTHON"
# In the order of `library` in _slices.c.
_FUNCTIONS = (
    *("query_alloc", "query_free", "query_set_data_buffer", "query_set_subarray_t", "query_submit"),
    *("subarray_alloc", "subarray_free", "subarray_set_subarray"),
    *("ctx_cancel_tasks", "ctx_get_last_error", "error_message", "error_free"),
)
_lock = threading.Lock()
_is_connected = False
_slices: Any = None
_watcher: Optional[Watcher] = None


class _CompiledBlock:
    """The reads of the compiled module on the main thread, as the thread that waits for signals sees them."""

    def cancel(self) -> None:
        """Cancels the operations of the context until the read has ended."""
        while _slices.cancel():
            time.sleep(REPEAT)


def _start_watcher() -> int:
    """The socket of a thread that cancels the reads; -1 if none can be started, as at exit."""
    global _watcher
    try:
        _watcher = Watcher()
    except (ImportError, OSError, RuntimeError):
        return -1
    _watcher.block = _CompiledBlock()
    return _watcher.fileno()


def _stop_watcher() -> None:
    global _watcher
    if _watcher is not None:
        _watcher.close()
    _watcher = None


def _load() -> Optional[ModuleType]:
    # Objects have another layout without the global lock.
    if os.environ.get(PURE_PYTHON, "0") not in ("", "0") or sys.implementation.name != "cpython" or "t" in getattr(sys, "abiflags", ""):
        return None
    try:
        from . import _slices as module
    except ImportError:
        return None
    addresses = tuple(ctypes.cast(getattr(functions(), f"tiledb_{name}"), ctypes.c_void_p).value for name in _FUNCTIONS)
    main_thread = threading.main_thread().ident or 0
    module.connect(addresses, TileDBError, _start_watcher, _stop_watcher, getsignal, signal.default_int_handler, main_thread)
    return module


def _after_fork() -> None:
    """A child has no watcher, and would share the socket of its parent; the thread that has forked is its main thread."""
    global _lock, _watcher
    _lock = threading.Lock()
    _watcher = None
    if _slices is not None:
        _slices.after_fork()


def slices() -> Any:
    """The compiled module that reads boxes of dense arrays; None if there is none for this interpreter."""
    global _is_connected, _slices
    if not _is_connected:
        with _lock:
            if not _is_connected:
                _slices, _is_connected = _load(), True
                if _slices is not None:
                    os.register_at_fork(after_in_child=_after_fork)
    return _slices


__all__ = ["PURE_PYTHON", "slices"]
