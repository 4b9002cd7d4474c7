#!/usr/bin/env python3
"""Uses the packages for this system that were made on Linux: C programs against the archive, the tool, and the wheel.

usage: package_selftest.py DIST FOLDER      DIST contains the archive and the wheel; CC names the C compiler (cc; on Windows clang)

Runs on Linux, macOS and Windows with nothing but Python and a C compiler.
"""
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ["quickstart_dense", "quickstart_sparse", "string_dimensions", "nullable", "groups", "metadata", "filters", "incomplete",
            "multi_range", "query_condition", "encryption", "errors"]
ARRAYS = """
import numpy, tiledb_rs
tiledb_rs.from_numpy("numbers", numpy.arange(12).reshape(3, 4))
with tiledb_rs.open("numbers") as array:
    assert (array[1:3, :] == numpy.arange(12).reshape(3, 4)[1:3, :]).all(), array[1:3, :]
assert not tiledb_rs.open("numbers").verify().errors
from tiledb_rs._native.compiled import slices
import platform, sys
# The module is for CPython with its global lock; that for Windows is not made.
has_module = platform.python_implementation() == "CPython" and sys.platform != "win32" and "t" not in sys.abiflags
assert (slices() is not None) == has_module, slices()
print("wheel: written, read and verified on", tiledb_rs.library(), "with" if has_module else "without", "the compiled module")
"""


def system():
    """The name of this system in the names of packages, and in those of wheels."""
    machine = {"AMD64": "x86_64", "aarch64": "aarch64", "arm64": "arm64"}.get(platform.machine(), platform.machine())
    if sys.platform == "win32":
        return f"windows-{machine}", "win_amd64"
    if sys.platform == "darwin":
        return f"macos-{machine}", f"macosx_11_0_{machine}"
    return f"linux-{machine}", f"manylinux_2_28_{machine}"


def only(folder, pattern):
    files = sorted(folder.glob(pattern))
    if len(files) != 1:
        sys.exit(f"{folder} has {len(files)} files {pattern}")
    return files[0]


def run(*command, **options):
    """What a command prints; its output and the end of this program if it fails."""
    completed = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if completed.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {completed.returncode}\n{completed.stdout}")
    return completed.stdout


def unpack(archive, folder):
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as file:
            file.extractall(folder)
    else:
        with tarfile.open(archive) as file:
            file.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return next(path for path in folder.iterdir() if path.is_dir())


def c_programs(prefix, folder):
    """Compiles examples against the library and compares what they print."""
    windows = sys.platform == "win32"
    compiler = os.environ.get("CC", "clang" if windows else "cc")
    libraries = [prefix / "lib" / "tiledb_rs.lib"] if windows else [f"-L{prefix}/lib", "-ltiledb_rs", f"-Wl,-rpath,{prefix}/lib", "-lm"]
    environment = dict(os.environ)
    if windows:
        environment["PATH"] = f"{prefix / 'bin'}{os.pathsep}{environment['PATH']}"
    for name in PROGRAMS:
        place = folder / name
        place.mkdir()
        program = place / ("program.exe" if windows else "program")
        flags = ["-D_CRT_SECURE_NO_WARNINGS"] if windows else []
        run(compiler, "-std=c11", *flags, f"-I{prefix}/include", ROOT / "examples-c" / f"{name}.c", "-o", program, *libraries)
        printed = run(program, cwd=place, env=environment).splitlines()
        expected = (ROOT / "examples-c" / "expected" / f"{name}.txt").read_text().splitlines()
        if printed != expected:
            sys.exit(f"{name}: printed\n" + "\n".join(printed) + "\nexpected\n" + "\n".join(expected))
    print(f"archive: {len(PROGRAMS)} C programs compiled with {compiler} print what they must")


def tool(prefix, folder):
    """A table through the tool and back."""
    program = prefix / "bin" / ("tiledb-rs.exe" if sys.platform == "win32" else "tiledb-rs")
    (folder / "table.csv").write_text("x,value\n1,10\n2,20\n")
    run(program, "import", "table.csv", "table", cwd=folder)
    printed = run(program, "cat", "table", cwd=folder).split()
    if printed != ["row", "x", "value", "0", "1", "10", "1", "2", "20"]:
        sys.exit(f"tiledb-rs cat: {printed}")
    run(program, "verify", "table", cwd=folder)
    print("tool:", run(program, "--version").strip())


def wheel(file, folder):
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "numpy", file)
    print(run(python, "-c", ARRAYS, cwd=folder).strip())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    dist, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    name, tag = system()
    archive = only(dist, f"tiledb-rs-*-{name}.zip" if name.startswith("windows") else f"tiledb-rs-*-{name}.tar.gz")
    (folder / "unpacked").mkdir()
    prefix = unpack(archive, folder / "unpacked")
    c_programs(prefix, folder)
    tool(prefix, folder)
    wheel(only(dist, f"tiledb_rs-*-{tag}.whl"), folder)


main()
