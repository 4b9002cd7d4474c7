"""The formats of shared libraries of 64 bits on Linux (ELF), macOS (Mach-O) and Windows (PE), as far as `swap` needs them."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator

ELF, MACHO, PE = b"\x7fELF\x02\x01", b"\xcf\xfa\xed\xfe", b"MZ"
LC_SEGMENT_64, LC_CODE_SIGNATURE = 0x19, 0x1D
SUPER_BLOB, CODE_DIRECTORY, SHA256 = 0xFADE0CC0, 0xFADE0C02, 2
PE32_PLUS = 0x20B


def least_length(content: bytes) -> float:
    """The least number of bytes of a library, by its headers; infinite for what is no library of 64 bits."""
    try:
        for magic, ends in [(ELF, _ends_elf), (MACHO, _ends_macho), (PE, _ends_pe)]:
            if content.startswith(magic):
                return max(ends(content), default=float("inf"))
    except (struct.error, OverflowError):
        pass
    return float("inf")


def _ends_elf(content: bytes) -> list[int]:
    """Where sections and segments end."""
    start, sections = struct.unpack_from("<QQ", content, 32)
    size, count, section_size, section_count = struct.unpack_from("<HHHH", content, 54)
    ends = [sections + section_size * section_count]
    for number in range(count):
        offset, _, _, filled = struct.unpack_from("<QQQQ", content, start + size * number + 8)
        ends.append(offset + filled)
    return ends


def _ends_macho(content: bytes) -> list[int]:
    """Where segments end; symbols and the signature lie in the last one."""
    return [sum(struct.unpack_from("<QQ", content, at + 40)) for command, at in _commands(content) if command == LC_SEGMENT_64]


def _ends_pe(content: bytes) -> list[int]:
    """Where sections end."""
    (header,) = struct.unpack_from("<I", content, 0x3C)
    count, optional = struct.unpack_from("<H12xH", content, header + 6)
    (magic,) = struct.unpack_from("<H", content, header + 24)
    if content[header : header + 4] != b"PE\0\0" or magic != PE32_PLUS:
        return []
    sections = header + 24 + optional
    return [sum(struct.unpack_from("<II", content, sections + 40 * number + 16)) for number in range(count)]


def _commands(content: bytes) -> Iterator[tuple[int, int]]:
    """The load commands of a Mach-O file: number and offset of each."""
    (count,) = struct.unpack_from("<I", content, 16)
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", content, at)
        if size < 8:
            return
        yield command, at
        at += size


def signed(content: bytes) -> bytes:
    """The content with the hashes of its pages in its signature, if it is a Mach-O file with one.

    macOS ends a process on arm64 that loads a page whose hash differs. An ad-hoc signature, which linkers write, consists of these
    hashes only.
    """
    result = bytearray(content)
    if not content.startswith(MACHO):
        return content
    for command, at in _commands(content):
        if command == LC_CODE_SIGNATURE:
            (start,) = struct.unpack_from("<I", content, at + 8)
            _hash_pages(result, start)
    return bytes(result)


def _hash_pages(content: bytearray, start: int) -> None:
    """Fills in the page hashes of the code directories of a signature."""
    magic, _, count = struct.unpack_from(">III", content, start)
    if magic != SUPER_BLOB:
        return
    for number in range(count):
        (offset,) = struct.unpack_from(">I", content, start + 16 + 8 * number)
        directory = start + offset
        (kind,) = struct.unpack_from(">I", content, directory)
        if kind != CODE_DIRECTORY:
            continue
        hashes, _, _, slots, limit, size, hash_type, _, page_bits = struct.unpack_from(">IIIIIBBBB", content, directory + 16)
        if hash_type != SHA256 or size != hashlib.sha256().digest_size:
            continue
        for slot in range(slots):
            page = content[slot << page_bits : min((slot + 1) << page_bits, limit)]
            at = directory + hashes + size * slot
            content[at : at + size] = hashlib.sha256(page).digest()
