#!/usr/bin/env python3
"""Reads shared libraries of macOS on any system, and joins those of several processors.

usage: macho.py show LIBRARY                       name, versions, libraries that are loaded, of each processor
       macho.py check LIBRARY SYMBOLS NAME STUB... what must hold for a library of ours: exits with 1 and says what is wrong otherwise
       macho.py join LIBRARY PART...               makes a universal library

SYMBOLS lists the functions and variables of the interface, one a line; NAME is the install name; a STUB (.tbd) is the text that
describes a library of the system. `check` prints what it counted.
"""

import dataclasses
import pathlib
import re
import struct
import sys

CPUS = {0x0100000C: "arm64", 0x01000007: "x86_64"}
# A page of the processor; the part begins at a multiple of it.
ALIGNMENT = {"arm64": 14, "x86_64": 12}
FAT, THIN = 0xCAFEBABE, 0xFEEDFACF
MH_DYLIB, MH_BUNDLE, MH_TWOLEVEL = 6, 8, 0x80
LC_SYMTAB, LC_LOAD_DYLIB, LC_ID_DYLIB, LC_VERSION_MIN, LC_BUILD_VERSION = 0x2, 0xC, 0xD, 0x24, 0x32
LC_LOAD_WEAK, LC_REEXPORT = 0x80000018, 0x8000001F
N_STAB, N_TYPE, N_EXT = 0xE0, 0x0E, 0x01
PLATFORM_MACOS = 1
OLDEST = "11.0"


@dataclasses.dataclass
class Image:
    """One processor's part of a library."""

    cpu: str
    cpu_type: int
    cpu_subtype: int
    # A library, or a bundle, such as an extension module of Python.
    kind: int
    flags: int
    data: bytes
    install_name: str = ""
    version: str = ""
    compatible: str = ""
    oldest: str = ""
    platform: int = 0
    loaded: list = dataclasses.field(default_factory=list)
    exported: set = dataclasses.field(default_factory=set)
    # The symbols that are not defined here, each with the library that has it.
    undefined: dict = dataclasses.field(default_factory=dict)


def dotted(number):
    parts = [number >> 16, number >> 8 & 0xFF, number & 0xFF]
    return ".".join(map(str, parts if parts[2] else parts[:2]))


def text(data, start):
    return data[start : data.index(b"\0", start)].decode()


def image(data):
    """The part in these bytes."""
    magic, cpu, subtype, kind, count, _, flags, _ = struct.unpack_from("<8I", data)
    if magic != THIN or cpu not in CPUS or kind not in (MH_DYLIB, MH_BUNDLE):
        sys.exit("not a shared library of macOS for a known processor")
    found = Image(CPUS[cpu], cpu, subtype, kind, flags, data)
    at, ordinals = 32, {}
    for _ in range(count):
        command, size = struct.unpack_from("<2I", data, at)
        if command in (LC_ID_DYLIB, LC_LOAD_DYLIB, LC_LOAD_WEAK, LC_REEXPORT):
            name, _, version, compatible = struct.unpack_from("<4I", data, at + 8)
            if command == LC_ID_DYLIB:
                found.install_name = text(data, at + name)
                found.version, found.compatible = dotted(version), dotted(compatible)
            else:
                found.loaded.append(text(data, at + name))
        elif command == LC_BUILD_VERSION:
            found.platform, oldest = struct.unpack_from("<2I", data, at + 8)
            found.oldest = dotted(oldest)
        elif command == LC_VERSION_MIN:
            found.platform, found.oldest = PLATFORM_MACOS, dotted(*struct.unpack_from("<I", data, at + 8))
        elif command == LC_SYMTAB:
            symbols, number, strings, _ = struct.unpack_from("<4I", data, at + 8)
            for index in range(number):
                name, kind, _, description, value = struct.unpack_from("<IBBHQ", data, symbols + 16 * index)
                if not kind & N_EXT or kind & N_STAB:
                    continue
                if kind & N_TYPE == 0 and value == 0:
                    ordinals[text(data, strings + name)] = description >> 8
                else:
                    found.exported.add(text(data, strings + name))
        at += size
    # Ordinals count the loaded libraries from 1; others have a meaning of their own, such as to look everywhere.
    known = dict(enumerate(found.loaded, 1))
    found.undefined = {name: known.get(ordinal, f"ordinal {ordinal}") for name, ordinal in ordinals.items()}
    return found


def images(path):
    """The parts of a library."""
    data = pathlib.Path(path).read_bytes()
    (magic, count) = struct.unpack_from(">2I", data)
    if magic != FAT:
        return [image(data)]
    entries = [struct.unpack_from(">5I", data, 8 + 20 * index) for index in range(count)]
    return [image(data[start : start + size]) for _, _, start, size, _ in entries]


def described(stub, cpu):
    """The name of a library of the system, and what it exports on a processor."""
    lines = pathlib.Path(stub).read_text()
    found = set()
    for block in re.split(r"-\s+targets:", lines):
        targets, _, rest = block.partition("]")
        # The system's own libraries use the pointer authentication of arm64e; programs for arm64 are linked with them, too.
        if re.search(rf"\b{cpu}e?-macos", targets):
            for names in re.findall(r"symbols:\s*\[(.*?)\]", rest, re.S):
                found.update(name.strip(" '\"\n") for name in names.split(","))
    return re.search(r"install-name:\s*'(.*?)'", lines).group(1), found


def show(path):
    for part in images(path):
        print(f"{part.cpu}: {part.install_name}, version {part.version}, compatible with {part.compatible}, macOS {part.oldest}")
        print(f"  two-level names: {'yes' if part.flags & MH_TWOLEVEL else 'no'}; {len(part.exported)} exported, {len(part.undefined)} undefined")
        print("  loads", *part.loaded)


def check(path, symbols, name, stubs):
    wanted = {"_" + line for line in pathlib.Path(symbols).read_text().split()}
    wrong = []
    for part in images(path):
        system = dict(described(stub, part.cpu) for stub in stubs)
        beyond = sorted(symbol for symbol, library in part.undefined.items() if symbol not in system.get(library, ()))
        facts = {
            "kind of file": (part.kind, MH_DYLIB),
            "install name": (part.install_name, name),
            "platform": (part.platform, PLATFORM_MACOS),
            "minimum version": (part.oldest, OLDEST),
            "two-level names": (bool(part.flags & MH_TWOLEVEL), True),
            "libraries that are not the system's": (sorted(set(part.loaded) - set(system)), []),
            "missing exports": (sorted(wanted - part.exported), []),
            "further exports": (sorted(part.exported - wanted), []),
            "undefined symbols that are not the system's": (beyond, []),
        }
        wrong += [f"{part.cpu}: {what}: {found}, not {right}" for what, (found, right) in facts.items() if found != right]
        libraries = list(part.undefined.values())
        counts = ", ".join(f"{libraries.count(library)} of {library.rsplit('/')[-1]}" for library in part.loaded)
        print(
            f"{part.cpu}: {part.install_name} {part.version}, macOS {part.oldest} and later, {len(part.exported & wanted)} exports,"
            f" {len(part.undefined)} undefined symbols ({counts}), {len(beyond)} of them not the system's"
        )
    sys.exit("\n".join(wrong) or 0)


def join(path, parts):
    """Writes a universal library: a header, and the parts at multiples of their pages."""
    found = [image(pathlib.Path(part).read_bytes()) for part in parts]
    header, body = struct.pack(">2I", FAT, len(found)), b""
    first = 8 + 20 * len(found)
    for part in sorted(found, key=lambda part: ALIGNMENT[part.cpu]):
        page = 1 << ALIGNMENT[part.cpu]
        start = -(-(first + len(body)) // page) * page
        body += bytes(start - first - len(body)) + part.data
        header += struct.pack(">5I", part.cpu_type, part.cpu_subtype, start, len(part.data), ALIGNMENT[part.cpu])
    pathlib.Path(path).write_bytes(header + body)
    pathlib.Path(path).chmod(0o755)


def main(command, *arguments):
    if command == "show":
        show(*arguments)
    elif command == "check":
        path, symbols, name, *stubs = arguments
        check(path, symbols, name, stubs)
    else:
        join(arguments[0], arguments[1:])


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("show", "check", "join"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
