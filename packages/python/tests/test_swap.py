"""Swap and restore, with small files that look like libraries: python -m unittest discover packages/python/tests."""

import contextlib
import errno
import hashlib
import io
import os
import random
import struct
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from tiledb_rs import __main__ as command  # noqa: E402
from tiledb_rs._native.formats import least_length, signed  # noqa: E402
from tiledb_rs._native.swap import ANY, KEPT, MARK, REPORTED, Installed, SwapError, replaced_by, reporting  # noqa: E402

NAME = "libtiledb-0a1b2c3d.so.2.30"


def shared_object(*texts: bytes) -> bytes:
    """A header of ELF with one segment that reaches to the end of the file."""
    content = b"\0".join(texts) + b"\0" * 100
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 3, 62, 1, 0, 64, 0, 0, 64, 56, 1, 64, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 4, 0, 0, 0, 120 + len(content), 120 + len(content), 4096)
    return header + segment + content


def dylib(*texts: bytes) -> bytes:
    """A header of Mach-O with one segment that reaches to the end of the file, and a signature of its pages at the end."""
    content = b"\0".join(texts) + b"\0" * 5000
    start = 32 + 72 + 16 + len(content)
    pages = -(-start // 4096)
    directory = struct.pack(">9I4B4x", 0xFADE0C02, 48 + 32 * pages, 0x20400, 2, 48, 48, 0, pages, start, 32, 2, 0, 12)
    directory += b"\0" * (48 - len(directory)) + b"\0" * 32 * pages
    signature = struct.pack(">5I", 0xFADE0CC0, 20 + len(directory), 1, 0, 20) + directory
    end = start + len(signature)
    header = struct.pack("<8I", 0xFEEDFACF, 0x0100000C, 0, 6, 2, 88, 0, 0)
    segment = struct.pack("<II16sQQQQ4I", 0x19, 72, b"__LINKEDIT", 0, end, 0, end, 7, 7, 0, 0)
    return signed(header + segment + struct.pack("<4I", 0x1D, 16, start, len(signature)) + content + signature)


def dll(*texts: bytes) -> bytes:
    """Headers of a DLL with one section that reaches to the end of the file."""
    content = b"\0".join(texts) + b"\0" * 100
    header = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x40) + b"PE\0\0" + struct.pack("<HH12xHH", 0x8664, 1, 240, 0x2022)
    header += struct.pack("<H", 0x20B).ljust(240, b"\0")
    section = struct.pack("<8s4I16x", b".text", len(content), 0x1000, len(content), len(header) + 40)
    return header + section + content


VERSION = REPORTED + struct.pack("<iii", 2, 30, 0)
OWN = shared_object(ANY, b"the package's own")
NEXT = shared_object(ANY, b"that of the next release of the package")
OURS = shared_object(ANY, MARK, VERSION)


class Swap(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.site = Path(folder.name)
        self.libs = self.site / "tiledb.libs"
        self.libs.mkdir()
        self.file = self.libs / NAME
        self.kept = self.libs / (NAME + KEPT)
        self.file.write_bytes(OWN)
        self.library = self.site / "libtiledb.so.2.30.0"
        self.library.write_bytes(OURS)

    def installed(self):
        return Installed.find("tiledb", self.site)

    def run_command(self, *arguments):
        """The exit code, and what it prints."""
        printed = io.StringIO()
        wanted = [["tiledb_rs", "--site", str(self.site), *arguments]]
        with mock.patch.object(sys, "argv", *wanted), mock.patch.object(command, "library", lambda: self.library):
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                return command.main(), printed.getvalue()

    def test_there_and_back(self):
        self.installed().swap(self.library)
        self.assertEqual((self.file.read_bytes(), self.kept.read_bytes()), (OURS, OWN))
        self.installed().swap(self.library)
        self.assertEqual((self.file.read_bytes(), self.kept.read_bytes()), (OURS, OWN))
        self.installed().restore()
        self.assertEqual(self.file.read_bytes(), OWN)
        self.assertFalse(self.kept.exists())
        self.installed().restore()
        self.assertEqual(self.file.read_bytes(), OWN)

    def test_an_upgrade_leaves_the_newer_library(self):
        self.installed().swap(self.library)
        self.file.write_bytes(NEXT)
        self.installed().restore()
        self.assertEqual(self.file.read_bytes(), NEXT)
        self.assertFalse(self.kept.exists())

    def test_damaged_libraries_cost_nothing(self):
        for damaged in [b"", b"\x7fELF", OWN[:-1], OWN[:70], OURS[:100], b"text", b"\0" * 5000, OWN[6:]]:
            with self.subTest(damaged=damaged[:80]):
                self.file.write_bytes(OWN)
                self.installed().swap(self.library)
                self.file.write_bytes(damaged)
                self.assertIn("damaged", self.installed().used(self.library))
                self.installed().restore()
                self.assertEqual(self.file.read_bytes(), OWN)
                self.installed().swap(self.library)
                self.file.write_bytes(damaged)
                self.installed().swap(self.library)
                self.assertEqual((self.file.read_bytes(), self.kept.read_bytes()), (OURS, OWN))
                # With nothing to restore, nothing changes either.
                self.kept.unlink()
                self.file.write_bytes(damaged)
                for do in [self.installed().restore, lambda: self.installed().swap(self.library)]:
                    with self.assertRaisesRegex(SwapError, "is damaged: pip install --force-reinstall --no-deps tiledb"):
                        do()
                self.assertEqual(self.file.read_bytes(), damaged)
                self.assertEqual([file.name for file in self.libs.iterdir()], [NAME])

    def test_other_files_beside_it_stay(self):
        names = ["libtiledb-0a.so.2.29.orig", "libtiledb-0a.so.2.30.bak", "libtiledb-0a.so.2.30~", "libtiledb-0a.so.2.x", NAME + ".new", NAME + ".debug"]
        for name in names:
            (self.libs / name).write_bytes(OWN)
        self.installed().swap(self.library)
        self.assertEqual(self.file.read_bytes(), OURS)
        for name in names[:4] + names[5:]:
            self.assertEqual((self.libs / name).read_bytes(), OWN, name)
            self.assertFalse((self.libs / (name + KEPT)).exists(), name)
        self.installed().restore()
        self.assertEqual(self.file.read_bytes(), OWN)

    def test_a_client_that_compares_versions_finds_its_own(self):
        library = self.library
        folder = self.site / "tiledbsoma.libs"
        folder.mkdir()
        file = folder / "libtiledb-0a.so.2.28"
        unchanged = library.read_bytes()
        changed = shared_object(ANY, MARK, REPORTED + struct.pack("<iii", 2, 28, 1))
        for found, content in [((2, 28, 1), changed), ((2, 27, 0), unchanged), (None, unchanged)]:
            with self.subTest(found=found), mock.patch("tiledb_rs._native.swap.reported_by", return_value=found):
                file.write_bytes(OWN)
                installed = Installed.find("tiledbsoma", self.site)
                for _ in range(2):
                    installed.swap(library)
                    self.assertEqual(file.read_bytes(), content)
                    self.assertEqual(installed.used(library), "this tiledb-rs")
                installed.restore()
                self.assertEqual(file.read_bytes(), OWN)
        # Without a mock: a library that cannot be loaded reports nothing.
        Installed.find("tiledbsoma", self.site).swap(library)
        self.assertEqual(file.read_bytes(), unchanged)

    def test_only_one_complete_version_is_written(self):
        for content in [b"", shared_object(ANY, MARK), REPORTED, REPORTED + b"\0" * 11, (REPORTED + b"\0" * 12) * 2]:
            self.assertEqual(reporting(content, (2, 28, 1)), content)

    def test_refusals_of_the_system_are_told(self):
        failures = [(errno.EACCES, "Permission denied; run the command as"), (errno.EROFS, "Read-only file system; run"), (errno.ENOSPC, "No space left on device\n")]
        for number, told in failures:
            error = OSError(number, os.strerror(number), str(self.file))
            for verb in ["swap", "restore", "status"]:
                with self.subTest(told=told, verb=verb), mock.patch.object(Path, "read_bytes", side_effect=error):
                    code, printed = self.run_command(verb, "tiledb")
                    self.assertEqual(code, 1)
                    self.assertTrue(printed.startswith(f"tiledb_rs: {self.file}: {told}"), printed)
                    self.assertNotIn("Traceback", printed)
        self.assertEqual(self.file.read_bytes(), OWN)

    @unittest.skipIf(os.name == "nt" or os.geteuid() == 0, "root may write everywhere, and Windows has other permissions")
    def test_a_folder_of_another_user(self):
        self.libs.chmod(0o555)
        self.addCleanup(self.libs.chmod, 0o755)
        code, printed = self.run_command("swap", "tiledb")
        self.assertEqual(code, 1)
        self.assertIn("Permission denied; run the command as", printed)
        self.assertEqual(self.file.read_bytes(), OWN)

    def test_a_full_disk_leaves_the_library(self):
        error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.kept))
        with mock.patch("shutil.copy2", side_effect=error):
            code, printed = self.run_command("swap", "tiledb")
        self.assertEqual((code, "No space left" in printed), (1, True))
        self.assertEqual(self.file.read_bytes(), OWN)
        self.assertEqual(sorted(file.name for file in self.libs.iterdir()), [NAME])


class OtherSystems(unittest.TestCase):
    """Libraries of macOS and Windows, whose names have no release."""

    PLACES = [
        (dylib, "tiledb", "tiledb/.dylibs/libtiledb.dylib"),
        (dylib, "tiledb", "tiledb/libtiledb.dylib"),
        (dylib, "tiledb-vector-search", "tiledb/vector_search/lib/libtiledb.dylib"),
        (dylib, "tiledbsoma", "tiledbsoma/.dylibs/libtiledb.dylib"),
        (dll, "tiledb", "tiledb.libs/tiledb-0a1b2c3d.dll"),
        (dll, "tiledb", "tiledb/tiledb.dll"),
    ]

    def test_there_and_back(self):
        for library, package, place in self.PLACES:
            with self.subTest(place=place), tempfile.TemporaryDirectory() as name:
                file = Path(name, place)
                file.parent.mkdir(parents=True)
                own, ours = library(ANY, b"own"), library(ANY, MARK, VERSION)
                file.write_bytes(own)
                for other in ["libtiledb.cpython-311-darwin.so", "libtiledb.cp311-win_amd64.pyd", "libtiledbsoma.dylib"]:
                    (file.parent / other).write_bytes(own)
                new = Path(name, "new")
                new.write_bytes(ours)
                installed = Installed.find(package, Path(name))
                self.assertEqual(installed.files, [file])
                # Nobody knows the release of a library that cannot be loaded.
                with self.assertRaisesRegex(SwapError, "cannot be loaded by .*, so that its release is unknown"):
                    installed.swap(new)
                for version, refused in [((2, 17, 5), True), ((2, 31, 0), True), ((2, 18, 0), False), ((2, 28, 1), False)]:
                    with mock.patch("tiledb_rs._native.swap.reported_by", return_value=version):
                        if refused:
                            with self.assertRaisesRegex(SwapError, f"libtiledb 2.{version[1]}, and the library replaces 2.18 to 2.30"):
                                installed.swap(new)
                            self.assertEqual(file.read_bytes(), own)
                            continue
                        expected = ours
                        if package == "tiledbsoma":
                            expected = library(ANY, MARK, REPORTED + struct.pack("<iii", *version))
                        for _ in range(2):
                            installed.swap(new)
                            self.assertEqual(file.read_bytes(), expected)
                            self.assertEqual(installed.used(new), "this tiledb-rs")
                        # A damaged one is repaired by what was kept.
                        file.write_bytes(ours[:100])
                        self.assertIn("damaged", installed.used(new))
                        installed.swap(new)
                        self.assertEqual(file.read_bytes(), expected)
                        installed.restore()
                        self.assertEqual(file.read_bytes(), own)
                        self.assertEqual(len(list(file.parent.iterdir())), 4)

    def test_cut_libraries_are_incomplete(self):
        for library in [shared_object, dylib, dll]:
            content = library(ANY)
            with self.subTest(library=library.__name__):
                self.assertEqual(least_length(content), len(content))
                for length in [*range(200), len(content) - 1]:
                    self.assertGreater(least_length(content[:length]), length)

    def test_headers_at_random(self):
        numbers = random.Random(1)
        for library in [shared_object, dylib, dll]:
            content = library(ANY)
            for _ in range(3000):
                changed = bytearray(content)
                for _ in range(numbers.randrange(1, 4)):
                    changed[numbers.randrange(4, min(250, len(content)))] = numbers.randrange(256)
                self.assertGreaterEqual(least_length(bytes(changed)), 0)

    def test_page_hashes_follow_a_changed_version(self):
        content = dylib(ANY, MARK, VERSION)
        changed = reporting(content, (2, 28, 1))
        self.assertEqual(len(changed), len(content))
        self.assertNotEqual(changed, content)
        start = struct.unpack_from("<I", content, 32 + 72 + 8)[0]
        hashes = start + 20 + 48
        for page in range(-(-start // 4096)):
            digest = hashlib.sha256(changed[page * 4096 : min((page + 1) * 4096, start)]).digest()
            self.assertEqual(changed[hashes + 32 * page :][:32], digest)
        self.assertEqual(signed(b"text"), b"text")

    def test_a_library_without_version_is_damaged(self):
        with tempfile.TemporaryDirectory() as name:
            library = Path(name, "libtiledb.dylib")
            for content in [b"", dylib(ANY, MARK), REPORTED, REPORTED + b"\0" * 11]:
                library.write_bytes(content)
                with self.assertRaisesRegex(SwapError, "is damaged: pip install --force-reinstall --no-deps tiledb-rs"):
                    replaced_by(library)
            library.write_bytes(dylib(VERSION))
            self.assertEqual(replaced_by(library), (2, 30))


if __name__ == "__main__":
    unittest.main()
