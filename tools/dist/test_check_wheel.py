#!/usr/bin/env python3
"""Tests what check_wheel.py rejects: copies of a wheel, each with one fault.

usage: test_check_wheel.py WHEEL      a wheel that is as it must be
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

CHECK = pathlib.Path(__file__).with_name("check_wheel.py")
# The other processor of a platform.
OTHER = {"x86_64": "aarch64", "aarch64": "x86_64", "arm64": "x86_64"}


def check(wheel):
    return subprocess.run([sys.executable, CHECK, wheel], capture_output=True, text=True)


def faults(wheel, files):
    """What is wrong, the message that is expected, the name of the wheel and its files."""
    name = wheel.name
    library = next(file for file in files if file.startswith("tiledb_rs/lib/"))
    record = next(file for file in files if file.endswith("/RECORD"))
    described = next(file for file in files if file.endswith("/WHEEL"))

    def changed(file, content):
        return {**files, file: content}

    def without(file):
        return {other: content for other, content in files.items() if other != file}

    code = files["tiledb_rs/_native/swap.py"]
    yield "a changed file", "RECORD is wrong about tiledb_rs/_native/swap.py", name, changed("tiledb_rs/_native/swap.py", code + b"#")
    yield "a further file", "RECORD and files differ", name, changed("tiledb_rs/other.py", b"")
    yield "a path outside", "a path leaves the wheel", name, changed("tiledb_rs/../../other.py", b"")
    yield "a missing header", "tiledb/tiledb.h is missing", name, without("tiledb_rs/include/tiledb/tiledb.h")
    yield "a missing licence", "NOTICES.txt is missing", name, without(record.replace("RECORD", "licenses/NOTICES.txt"))
    tool = next(file for file in files if file.startswith("tiledb_rs/bin/"))
    yield "no tool", f"{tool} is missing", name, without(tool)
    module = next((file for file in files if file.endswith(".abi3.so")), None)
    if module:
        yield "no compiled module", "modules are []", name, without(module)
        yield "a module with another entry", "the module exports", name, changed(module, files[module].replace(b"PyInit__slices\0", b"PyInit__sliceX\0"))
    yield "the source of a module", "modules are", name, changed("tiledb_rs/_native/_slices.c", b"")
    yield "no library", "tiledb_rs/lib contains", name, without(library)
    yield "two libraries", "tiledb_rs/lib contains", name, changed("tiledb_rs/lib/libother.so", b"")
    yield "a pure wheel", "independent of the platform", name, changed(
        described, files[described].replace(b"Purelib: false", b"Purelib: true"))
    yield "another tag", "the tag inside differs", name, changed(described, files[described].replace(b"py3-none-", b"py3-abi3-"))
    # A name of the table of symbols, which the loader would miss.
    yield "a missing function", "functions are missing", name, changed(
        library, files[library].replace(b"tiledb_ctx_alloc\0", b"tiledb_ctx_alloX\0"))
    processor = re.search("(x86_64|aarch64|arm64)\\.whl$", name)
    if processor:
        yield "another processor", "another processor", name.replace(processor[0], OTHER[processor[1]] + ".whl"), files
    if "manylinux_2_28" in name:
        yield "an older glibc", "later than (2, 17)", name.replace("_2_28_", "_2_17_"), files
        yield "symbols of glibc", "symbols of glibc", name.replace("manylinux_2_28", "musllinux_1_2"), files
        yield "another library", "libraries that not every such system has: ['libz.so.6']", name, changed(
            library, files[library].replace(b"libm.so.6\0", b"libz.so.6\0"))


def main(path):
    wheel = pathlib.Path(path)
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    right = check(wheel)
    assert right.returncode == 0, right.stderr
    number = 0
    for what, message, name, content in faults(wheel, files):
        with tempfile.TemporaryDirectory() as folder:
            faulty = pathlib.Path(folder, name)
            with zipfile.ZipFile(faulty, "w") as archive:
                for file, text in content.items():
                    archive.writestr(file, text)
            found = check(faulty)
            assert found.returncode == 1 and message in found.stderr, f"{what}: {found.returncode} {found.stdout}{found.stderr}"
        number += 1
    print(f"check_wheel.py rejects {number} faults")


if __name__ == "__main__":
    main(*sys.argv[1:])
