"""Reads DLLs of Windows x86-64 (PE32+) on any system: what they export and what they import."""

import struct
import sys

PE32_PLUS, AMD64 = 0x20B, 0x8664
EXPORTS, IMPORTS, DELAYED_IMPORTS = 0, 1, 13
CODE = 0x2000_0000
BY_ORDINAL = 1 << 63


class Dll:
    """The sections of a DLL."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        header = struct.unpack_from("<I", self.data, 0x3C)[0]
        machine, count, size = struct.unpack_from("<HH12xH", self.data, header + 4)
        self.optional = header + 24
        (magic,) = struct.unpack_from("<H", self.data, self.optional)
        if self.data[header : header + 4] != b"PE\0\0" or (machine, magic) != (AMD64, PE32_PLUS):
            sys.exit(f"{path} is not a DLL for Windows x86-64")
        self.sections = [struct.unpack_from("<8sIIII12xI", self.data, self.optional + size + 40 * n) for n in range(count)]

    def directory(self, number):
        """The address of a data directory, 0 if there is none."""
        return struct.unpack_from("<I", self.data, self.optional + 112 + 8 * number)[0]

    def section(self, address):
        return next(s for s in self.sections if s[2] <= address < s[2] + max(s[1], s[3]))

    def at(self, address):
        """The offset in the file."""
        found = self.section(address)
        return address - found[2] + found[4]

    def text(self, address):
        start = self.at(address)
        return self.data[start : self.data.index(b"\0", start)].decode()

    def exports(self):
        """Names, and whether each is a variable: it does not lie in a section of code."""
        directory = self.directory(EXPORTS)
        if not directory:
            return
        number, functions, names, ordinals = struct.unpack_from("<IIII", self.data, self.at(directory) + 24)
        for n in range(number):
            name = self.text(struct.unpack_from("<I", self.data, self.at(names) + 4 * n)[0])
            ordinal = struct.unpack_from("<H", self.data, self.at(ordinals) + 2 * n)[0]
            address = struct.unpack_from("<I", self.data, self.at(functions) + 4 * ordinal)[0]
            yield name, not self.section(address)[5] & CODE

    def imports(self):
        """By DLL, in lower case, the names that are imported; an ordinal is written as `#1`."""
        found = {}
        for directory, size, name_at, table_at in [(IMPORTS, 20, 12, 0), (DELAYED_IMPORTS, 32, 4, 16)]:
            at = self.directory(directory)
            while at:
                entry = self.data[self.at(at) : self.at(at) + size]
                name, table = (struct.unpack_from("<I", entry, offset)[0] for offset in (name_at, table_at))
                if not name:
                    break
                found.setdefault(self.text(name).lower(), set()).update(self.names(table))
                at += size
        return found

    def names(self, table):
        """The entries of a table of imports."""
        while True:
            (entry,) = struct.unpack_from("<Q", self.data, self.at(table))
            if not entry:
                return
            yield f"#{entry & 0xFFFF}" if entry & BY_ORDINAL else self.text((entry & 0x7FFF_FFFF) + 2)
            table += 8
