#!/usr/bin/env python3
"""The functions and variables that a DLL for Windows exports, one a line in alphabetical order, variables with the word DATA.
With --def it is a module definition file, from which dlltool makes import libraries for the name of the DLL.

usage: dll_exports.py [--def NAME] DLL
"""

import struct
import sys


def exports(path):
    """Names, and whether each is a variable: it does not lie in a section of code."""
    with open(path, "rb") as file:
        data = file.read()
    header = struct.unpack_from("<I", data, 0x3C)[0]
    if data[header : header + 4] != b"PE\0\0":
        sys.exit(f"{path} is not a DLL for Windows")
    count, size = struct.unpack_from("<H12xH", data, header + 6)
    directory = struct.unpack_from("<I", data, header + 24 + 112)[0]
    sections = [struct.unpack_from("<8sIIII12xI", data, header + 24 + size + 40 * n) for n in range(count)]

    def section(address):
        return next(s for s in sections if s[2] <= address < s[2] + max(s[1], s[3]))

    def at(address):
        found = section(address)
        return address - found[2] + found[4]

    number, functions, names, ordinals = struct.unpack_from("<IIII", data, at(directory) + 24)
    for n in range(number):
        name = at(struct.unpack_from("<I", data, at(names) + 4 * n)[0])
        ordinal = struct.unpack_from("<H", data, at(ordinals) + 2 * n)[0]
        address = struct.unpack_from("<I", data, at(functions) + 4 * ordinal)[0]
        executable = section(address)[5] & 0x2000_0000
        yield data[name : data.index(b"\0", name)].decode(), not executable


def main():
    arguments = sys.argv[1:]
    name = None
    if arguments[:1] == ["--def"]:
        name = arguments[1]
        arguments = arguments[2:]
    if len(arguments) != 1:
        sys.exit(__doc__)
    if name:
        print(f"LIBRARY {name}\nEXPORTS")
    for symbol, is_variable in sorted(exports(arguments[0])):
        print(f"{symbol} DATA" if is_variable else symbol)


main()
