"""Ctrl-C while the library works: the operation is cancelled, and KeyboardInterrupt is raised when it has returned.

Python runs signal handlers on the main thread and between two instructions of it, so that one that arrives during a call of the library
would wait for its end. During a call its handler is therefore replaced by one that takes a note, and Python's C handler wakes a thread,
by :func:`signal.set_wakeup_fd`, which cancels the operations of the context. A handler that the program has installed is called when the
call next reports progress, and decides what happens; it cancels nothing by itself.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Optional, TypeVar

if TYPE_CHECKING:
    from .context import Context

Block = TypeVar("Block", bound="Interruptible")
# Seconds between two cancellations: one that comes between two batches of a stream meets no running operation.
REPEAT = 0.02
# A block is entered for each small read. The functions of the module `signal` convert numbers to enumerations and back, which takes ten
# times as long as these, around which they are.
try:
    _signals: Any = importlib.import_module("_signal")
except ImportError:
    _signals = signal
getsignal = _signals.getsignal
_SIGINT = int(signal.SIGINT)


class Watcher:
    """A thread that cancels the operations of a block when a signal arrives."""

    def __init__(self) -> None:
        import socket

        self._signals, self._wakeup = socket.socketpair()
        self._wakeup.setblocking(False)
        self.block: Any = None
        # Where an event loop of the program wants the numbers of signals.
        self.forward_to = -1
        threading.Thread(target=self._run, name="tiledb_rs interrupts", daemon=True).start()

    def fileno(self) -> int:
        """Where Python writes the numbers of signals."""
        return self._wakeup.fileno()

    def close(self) -> None:
        """Ends the thread: a signal that it has not received must not reach a later block."""
        self.block = None
        self._wakeup.close()

    def _run(self) -> None:
        with self._signals:
            while True:
                try:
                    numbers = self._signals.recv(64)
                except OSError:
                    return
                block = self.block
                if not numbers:
                    return
                if block is not None and signal.SIGINT in numbers:
                    threading.Thread(target=block.cancel, name="tiledb_rs cancellation", daemon=True).start()
                if self.forward_to != -1:
                    with contextlib.suppress(OSError):
                        os.write(self.forward_to, numbers)


class Interruptible:
    """A block of calls of the library on the main thread that Ctrl-C ends; anywhere else it changes nothing.

    Blocks within one another are one.
    """

    _handler: Any = None
    _watcher: Optional[Watcher] = None
    _ended = _has_signals = _interrupted = False

    def __init__(self, ctx: Optional[Context] = None):
        self.context = ctx

    def __enter__(self: Block) -> Block:
        global _call
        if _call is None and threading.get_ident() == threading.main_thread().ident:
            handler = getsignal(_SIGINT)
            if callable(handler):
                try:
                    _signals.signal(_SIGINT, self._note)
                except ValueError:
                    # Only the main interpreter handles signals.
                    return self
                self._handler, _call = handler, self
                # The program's own handler may not raise.
                if self.context is not None and handler is signal.default_int_handler:
                    self._watcher = _watcher()
                if self._watcher is not None:
                    self._watcher.block = self
                    self._watcher.forward_to = signal.set_wakeup_fd(self._watcher.fileno(), warn_on_full_buffer=False)
        return self

    def __exit__(self, *_: Any) -> None:
        global _call, _started
        if self._handler is None:
            return
        with _cancelling:
            self._ended = True
        if self._watcher is not None:
            signal.set_wakeup_fd(self._watcher.forward_to)
            self._watcher.block = None
        _call = None
        # This first takes note of signals that have arrived.
        _signals.signal(_SIGINT, self._handler)
        if self._watcher is not None and self._has_signals:
            _started = None
            self._watcher.close()
        self.handle()

    def _note(self, _number: int, _frame: Any) -> None:
        self._has_signals = self._interrupted = True

    def handle(self) -> None:
        """Calls the handler of the program if a signal has arrived."""
        if self._interrupted:
            self._interrupted = False
            try:
                self._handler(signal.SIGINT, None)
            except BaseException as error:
                # That the operation was cancelled is no news.
                raise error from None

    def cancel(self) -> None:
        """Cancels the operations of the context until the block has ended."""
        while not self._ended:
            with _cancelling, contextlib.suppress(Exception):
                if self.context is not None and not self._ended:
                    self.context.cancel()
            time.sleep(REPEAT)


@contextlib.contextmanager
def code_of_the_program() -> Iterator[None]:
    """Within :class:`Interruptible`, code of the program, in which its own handler handles signals at once."""
    call = _call
    if call is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, call._handler)
    try:
        yield
    except KeyboardInterrupt:
        # The watcher may receive the number of this signal later, and would cancel another block.
        call._has_signals = True
        raise
    finally:
        signal.signal(signal.SIGINT, call._note)


def check() -> None:
    """Calls the handler of the program for a signal that has arrived in the current block."""
    if _call is not None:
        _call.handle()


def interruptible(items: Iterable[Any], ctx: Context) -> Iterator[Any]:
    """Items of an iterator over a stream of the library, such as a reader of pyarrow; each is a block."""
    source, end = iter(items), object()
    while True:
        with Interruptible(ctx):
            item = next(source, end)
        if item is end:
            return
        yield item


# The outermost block of the main thread, and the thread that cancels.
_call: Optional[Interruptible] = None
_started: Optional[Watcher] = None
# Held during a cancellation, which must not reach the operation after its block.
_cancelling = threading.Lock()


def _watcher() -> Optional[Watcher]:
    """The watcher of this process, which only the main thread asks for; None if nothing can be imported or started any more, as at exit."""
    global _started
    if _started is None:
        with contextlib.suppress(ImportError, OSError, RuntimeError):
            _started = Watcher()
    return _started


def _after_fork() -> None:
    """A child has no watcher, and would share the sockets of its parent; a thread that it has not may have held the lock."""
    global _call, _started, _cancelling
    _cancelling = threading.Lock()
    if _call is not None and _call._watcher is not None:
        _call._watcher = None
        with contextlib.suppress(ValueError):
            signal.set_wakeup_fd(-1)
    _started = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

__all__ = ["REPEAT", "Interruptible", "Watcher", "check", "code_of_the_program", "getsignal", "interruptible"]
