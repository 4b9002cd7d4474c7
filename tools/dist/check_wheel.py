#!/usr/bin/env python3
"""Checks a wheel without running it: that its files are complete, and that library and compiled module keep the promise of the wheel's tag.

usage: check_wheel.py WHEEL [CLIENT...]      CLIENT is a wheel of TileDB-Py for the same platform: its modules find every function

For each tag the list of libraries that may be loaded, from PEP 600 (manylinux), PEP 656 (musllinux) and what macOS 11 and
Windows 10 contain; the oldest version of the system; the processor. docs/packages.md has the list. Needs readelf for Linux.
"""

import base64
import csv
import hashlib
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import macho  # noqa: E402
from pe import Dll  # noqa: E402

SHARED = {
    "manylinux": {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1",
                  "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"},
    # The unwinder is shared with the C++ programs that use the library: Alpine's package libgcc.
    "musllinux": {"libc.so", "libgcc_s.so.1"},
    "macosx": {"/usr/lib/libSystem.B.dylib"},
    # Beside the API sets of Windows 10, API_SETS.
    "win": {"advapi32.dll", "bcrypt.dll", "bcryptprimitives.dll", "crypt32.dll", "kernel32.dll", "ncrypt.dll", "ntdll.dll",
            "ole32.dll", "secur32.dll", "shell32.dll", "user32.dll", "userenv.dll", "ws2_32.dll"},
}
API_SETS = ("api-ms-win-core-", "api-ms-win-crt-")
# Versions of symbols of libgcc in manylinux_2_28, GCC 8.
OLDEST_GCC = (8, 0)
MACHINES = {"x86_64": "Advanced Micro Devices X86-64", "aarch64": "AArch64"}


class Wheel:
    """A wheel, and what is wrong with it."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.archive = zipfile.ZipFile(path)
        self.name, self.version, *_, self.platform = self.path.stem.split("-")
        self.kind = re.match("[a-z]+", self.platform)[0]
        self.processor = re.search("(x86_64|aarch64|arm64|amd64)$", self.platform)[0]
        self.wrong = []

    def must(self, holds, what):
        if not holds:
            self.wrong.append(what)

    def check_files(self):
        """The records that pip compares, the tag, and that the parts are there."""
        names = self.archive.namelist()
        information = f"{self.name}-{self.version}.dist-info"
        self.must(len(names) == len(set(names)), "a file occurs twice")
        self.must(not [name for name in names if name.startswith("/") or ".." in name.split("/")], "a path leaves the wheel")
        recorded = {}
        for name, digest, size in csv.reader(io.StringIO(self.archive.read(f"{information}/RECORD").decode())):
            recorded[name] = (digest, size)
        self.must(set(recorded) == set(names), f"RECORD and files differ: {sorted(set(recorded) ^ set(names))}")
        for name, (digest, size) in recorded.items():
            if name.endswith("/RECORD") or name not in names:
                continue
            content = self.archive.read(name)
            found = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            self.must((digest, size) == (f"sha256={found}", str(len(content))), f"RECORD is wrong about {name}")
        described = self.archive.read(f"{information}/WHEEL").decode().splitlines()
        self.must(f"Tag: py3-none-{self.platform}" in described, "the tag inside differs from the name of the file")
        self.must("Root-Is-Purelib: false" in described, "it is said to be independent of the platform")
        metadata = self.archive.read(f"{information}/METADATA").decode()
        self.must(f"\nVersion: {self.version}\n" in metadata, "METADATA has another version")
        for name in ["LICENSE", "NOTICES.txt"]:
            self.must(f"{information}/licenses/{name}" in names, f"{name} is missing")
        for name in ["__init__.py", "__main__.py", "_native/swap.py", "_native/formats.py", "include/tiledb/tiledb.h", "include/tiledb/tiledb"]:
            self.must(f"tiledb_rs/{name}" in names, f"{name} is missing")
        tool = "tiledb_rs/bin/tiledb-rs" + (".exe" if self.kind == "win" else "")
        self.must(tool in names, f"{tool} is missing")
        if tool in names and self.kind != "win":
            self.must(self.archive.getinfo(tool).external_attr >> 16 & 0o111 == 0o111, f"{tool} is not executable")
        headers = {f"tiledb_rs/{path.relative_to(ROOT)}" for path in (ROOT / "include").rglob("*") if path.is_file()}
        self.must(headers <= set(names), f"headers are missing: {sorted(headers - set(names))[:3]}")

    def library(self, folder):
        """The library, unpacked."""
        found = [name for name in self.archive.namelist() if name.startswith("tiledb_rs/lib/")]
        wanted = {"macosx": "libtiledb.dylib", "win": "tiledb.dll"}.get(self.kind, "libtiledb.so." + self.version.rpartition(".")[0])
        if found != [f"tiledb_rs/lib/{wanted}"]:
            sys.exit(f"{self.path.name}: tiledb_rs/lib contains {found}, not {wanted} alone")
        return pathlib.Path(self.archive.extract(found[0], folder))

    def check_library(self, path):
        """That the library loads where the tag says; returns what it exports."""
        loaded, exported = {"macosx": self.macos, "win": self.windows}.get(self.kind, self.linux)(path)
        foreign = {name for name in loaded if not name.startswith(API_SETS)} - SHARED[self.kind]
        self.must(not foreign, f"libraries that not every such system has: {sorted(foreign)}")
        tables = [ROOT / "capi-tests/abi" / name for name in ("functions.tsv", "removed.tsv", "next.tsv")]
        wanted = {line.split("\t")[0] for table in tables for line in table.read_text().splitlines()[1:]}
        self.must(wanted <= exported, f"functions are missing: {sorted(wanted - exported)[:3]}")
        self.must(not {name for name in exported if not name.startswith("tiledb_")}, "names of others are exported")
        return loaded, exported

    def check_module(self, folder):
        """That the compiled module of Python is there, except on Windows, and loads where the tag says, on any CPython."""
        name = "tiledb_rs/_native/_slices.abi3.so"
        modules = [file for file in self.archive.namelist() if file.endswith((".so", ".pyd", ".c"))]
        self.must(modules == ([] if self.kind == "win" else [name]), f"modules are {modules}")
        if name not in modules:
            return
        path = pathlib.Path(self.archive.extract(name, folder))
        if self.kind == "macosx":
            (image,) = macho.images(path)
            oldest = ".".join(re.findall(r"_(\d+)_(\d+)_", self.platform)[0])
            self.must((image.cpu, image.oldest, image.install_name) == (self.processor, oldest, "@rpath/_slices.abi3.so"), "the module is for another system")
            loaded, exported = set(image.loaded), {one for one in image.exported if one.startswith("_Py")}
        else:
            loaded, exported = self.linux(path)
        self.must(not loaded - SHARED[self.kind], f"the module loads {sorted(loaded)}")
        self.must({symbol.removeprefix("_") for symbol in exported} == {"PyInit__slices"}, f"the module exports {sorted(exported)}")

    def linux(self, path):
        header, dynamic, program, versions = (readelf(option, path) for option in ("-h", "-d", "-l", "-V"))
        self.must(MACHINES[self.processor] in header, "another processor")
        self.must(not re.search("RPATH|RUNPATH|TEXTREL", dynamic), "RPATH, RUNPATH or TEXTREL")
        self.must(re.search(r"GNU_STACK.* RW ", program), "an executable stack")
        # A system with larger pages loads it, too.
        aligned = min(int(words.split()[-1], 16) for words in program.splitlines() if words.split()[:1] == ["LOAD"])
        self.must(self.processor != "aarch64" or aligned >= 0x10000, f"segments are aligned at {aligned} bytes: pages of 64 KiB")
        glibc = {tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([\d.]+)", versions)}
        gcc = {tuple(map(int, found.split("."))) for found in re.findall(r"GCC_([\d.]+)", versions)}
        if self.kind == "manylinux":
            oldest = tuple(map(int, re.findall(r"_(\d+)_(\d+)_", self.platform)[0]))
            self.must(glibc and max(glibc) <= oldest, f"glibc {max(glibc, default=None)}, later than {oldest}")
        else:
            self.must(not glibc, "symbols of glibc")
        self.must(not gcc or max(gcc) < OLDEST_GCC, f"libgcc {max(gcc, default=None)}")
        exported = {
            words[7].partition("@")[0] for words in map(str.split, readelf("--dyn-syms", path).splitlines())
            if len(words) > 7 and words[0].rstrip(":").isdigit() and words[4] in ("GLOBAL", "WEAK") and words[6] != "UND"
        }
        return set(re.findall(r"NEEDED.*\[(.*)\]", dynamic)), exported

    def macos(self, path):
        (image,) = macho.images(path)
        oldest = ".".join(re.findall(r"_(\d+)_(\d+)_", self.platform)[0])
        self.must((image.cpu, image.kind) == (self.processor, macho.MH_DYLIB), "another processor, or not a library")
        self.must(image.oldest == oldest, f"macOS {image.oldest}, not {oldest}")
        self.must(image.install_name == "@rpath/libtiledb.dylib", f"install name {image.install_name}")
        return set(image.loaded), {name.removeprefix("_") for name in image.exported}

    def windows(self, path):
        dll = Dll(path)
        return set(dll.imports()), {name for name, _ in dll.exports()}

    def check_client(self, path, exported, folder):
        """The modules of a client find in this library what they ask libtiledb's for; returns how many names."""
        client = zipfile.ZipFile(path)
        asked = set()
        for name in client.namelist():
            if not re.search(r"\.(so|pyd)$", name):
                continue
            module = client.extract(name, folder)
            if self.kind == "win":
                found = [names for dll, names in Dll(module).imports().items() if dll.startswith("tiledb")]
                asked.update(*found)
            elif self.kind == "macosx":
                for image in macho.images(module):
                    asked |= {symbol.removeprefix("_") for symbol, library in image.undefined.items() if "libtiledb.dylib" in library}
            else:
                symbols = map(str.split, readelf("--dyn-syms", module).splitlines())
                asked |= {words[7] for words in symbols if len(words) > 7 and words[6] == "UND" and words[7].startswith("tiledb_")}
        self.must(asked, f"{path.name} asks for nothing")
        self.must(asked <= exported, f"{path.name} asks for {sorted(asked - exported)[:5]}")
        return len(asked)


def readelf(option, path):
    return subprocess.run(["readelf", option, "-W", str(path)], check=True, capture_output=True, text=True).stdout


def main(path, *clients):
    wheel = Wheel(path)
    with tempfile.TemporaryDirectory() as folder:
        wheel.check_files()
        loaded, exported = wheel.check_library(wheel.library(folder))
        wheel.check_module(folder)
        asked = [wheel.check_client(pathlib.Path(client), exported, folder) for client in clients]
    if wheel.wrong:
        sys.exit("\n".join(f"{wheel.path.name}: {what}" for what in wheel.wrong))
    used = "".join(f"; {number} names that {pathlib.Path(client).name} asks for" for number, client in zip(asked, clients))
    print(f"{wheel.path.name}: {len(exported)} exports{used}; loads {', '.join(sorted(loaded))}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
