"""ORC files, read in a process of their own: some damaged files end the process in which Arrow reads them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from .._native.errors import require

# Writes the stripes of a file to a stream of Arrow, with the modules that the process has that starts it.
_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
import pyarrow, pyarrow.orc
file = pyarrow.orc.ORCFile(sys.argv[2])
options = pyarrow.ipc.IpcWriteOptions(compression="lz4" if pyarrow.Codec.is_available("lz4") else None)
with pyarrow.OSFile(sys.argv[3], "wb") as target, pyarrow.ipc.new_stream(target, file.schema, options=options) as writer:
    for stripe in range(file.nstripes):
        batch = file.read_stripe(stripe)
        batch.validate(full=True)
        writer.write_batch(batch)
"""


def read(path: str) -> Any:
    """The table of a file.

    Raises:
        ValueError: if the file is damaged, also if it ended the process that read it.
    """
    from multiprocessing import spawn

    pyarrow = require("pyarrow", "ORC files")
    require("pyarrow.orc", "ORC files", "pyarrow")
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "table.arrows")
        # A program that has Python in it is not its interpreter; multiprocessing is told which one is.
        command = [os.fsdecode(spawn.get_executable()), "-c", _PROGRAM, json.dumps(list(map(str, sys.path))), os.path.abspath(path), target]
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if ended.returncode:
            lines = ended.stderr.decode(errors="replace").strip().splitlines()
            signal = f"the process that read it was ended by signal {-ended.returncode}" if ended.returncode < 0 else ""
            raise ValueError(f"{path} cannot be read as ORC: {signal or (lines or ['no reason is known'])[-1]}")
        with pyarrow.OSFile(target) as file, pyarrow.ipc.open_stream(file) as reader:
            return reader.read_all()


__all__ = ["read"]
