"""Tasks whose process is killed once, in the middle of their work or right after it."""

import os
import signal
import threading
import time
from pathlib import Path


def run(marks, name, moment, function, *arguments):
    """Calls a function; the first process to do so under this name is killed at a moment: seconds after the start, or "done"."""
    mark = Path(marks) / name
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return function(*arguments)
    if moment != "done":
        threading.Thread(target=kill, args=(moment,), daemon=True).start()
    function(*arguments)
    kill(0)


def kill(seconds):
    time.sleep(seconds)
    os.kill(os.getpid(), signal.SIGKILL)
