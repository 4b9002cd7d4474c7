#!/usr/bin/env python3
"""Compiles the module that the package uses where it can, into the source tree: src/tiledb_rs/_native/_slices.abi3.so.

usage: compile_module.py      TILEDB_RS_CC is the compiler (that of this Python), TILEDB_RS_CFLAGS further options

The module uses the stable ABI alone: it serves CPython from 3.9 on, and links with no library but that of C. The headers are those of
the Python that runs this; what they say about the machine is the same on all platforms of the wheels, whose pointers and `long` have 64 bits.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

NATIVE = Path(__file__).resolve().parent / "src" / "tiledb_rs" / "_native"
SOURCE, MODULE = NATIVE / "_slices.c", NATIVE / "_slices.abi3.so"
OPTIONS = "-std=c11 -O2 -g0 -fPIC -shared -fvisibility=hidden -Wall -Wextra -Werror".split()
MACOS = "-undefined dynamic_lookup".split()


def compile_module() -> Path:
    """Compiles the module, and returns its path.

    Raises:
        FileNotFoundError: if there is no compiler, or this Python has no headers.
        RuntimeError: if the compiler fails, with what it has said.
    """
    own = os.environ.get("TILEDB_RS_CC")
    compiler = shlex.split(own or sysconfig.get_config_var("CC") or "cc")
    options = [*OPTIONS, *(MACOS if not own and sys.platform == "darwin" else ()), *shlex.split(os.environ.get("TILEDB_RS_CFLAGS", ""))]
    include, config = Path(sysconfig.get_paths()["include"]), Path(sysconfig.get_config_h_filename())
    if not (include / "Python.h").exists():
        raise FileNotFoundError(f"{include} has no Python.h: install the headers of Python, which are Debian's package python3-dev")
    MODULE.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # Debian's pyconfig.h selects that of the target, which is not installed.
        headers = Path(folder, "include")
        shutil.copytree(include, headers)
        shutil.copyfile(config, headers / "pyconfig.h")
        target = Path(folder, MODULE.name)
        completed = subprocess.run([*compiler, *options, f"-I{headers}", SOURCE.name, "-o", target], cwd=NATIVE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if completed.returncode:
            raise RuntimeError(f"{shlex.join(compiler)}: exit code {completed.returncode}\n{completed.stdout}")
        # Complete from the first moment on: another process may load it.
        part = MODULE.with_suffix(f".{os.getpid()}")
        shutil.copyfile(target, part)
        os.replace(part, MODULE)
    return MODULE


if __name__ == "__main__":
    if len(sys.argv) != 1:
        sys.exit(__doc__)
    try:
        print(compile_module())
    except (OSError, RuntimeError) as error:
        sys.exit(f"compile_module.py: {error}")
