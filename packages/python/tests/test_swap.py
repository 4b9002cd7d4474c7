"""Swap and restore, with small files that look like libraries: python -m unittest discover packages/python/tests."""
import contextlib
import errno
import io
import os
import struct
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from tiledb_rs import __main__ as command  # noqa: E402
from tiledb_rs.swap import ANY, KEPT, MARK, REPORTED, Installed, SwapError, reporting  # noqa: E402

NAME = "libtiledb-0a1b2c3d.so.2.30"


def shared_object(*texts: bytes) -> bytes:
    """A header of ELF with one segment that reaches to the end of the file."""
    content = b"\0".join(texts) + b"\0" * 100
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 3, 62, 1, 0, 64, 0, 0, 64, 56, 1, 64, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 4, 0, 0, 0, 120 + len(content), 120 + len(content), 4096)
    return header + segment + content


OWN = shared_object(ANY, b"the package's own")
NEXT = shared_object(ANY, b"that of the next release of the package")
OURS = shared_object(ANY, MARK)


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
        names = ["libtiledb-0a.so.2.29.orig", "libtiledb-0a.so.2.30.bak", "libtiledb-0a.so.2.30~", "libtiledb-0a.so.2.x",
                 NAME + ".new", NAME + ".debug"]
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
        library = self.site / "libtiledb.so.2.30.0"
        library.write_bytes(shared_object(ANY, MARK, REPORTED + struct.pack("<iii", 2, 30, 0)))
        folder = self.site / "tiledbsoma.libs"
        folder.mkdir()
        file = folder / "libtiledb-0a.so.2.28"
        unchanged = library.read_bytes()
        changed = shared_object(ANY, MARK, REPORTED + struct.pack("<iii", 2, 28, 1))
        for found, content in [((2, 28, 1), changed), ((2, 27, 0), unchanged), (None, unchanged)]:
            with self.subTest(found=found), mock.patch("tiledb_rs.swap.reported_by", return_value=found):
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
        for content in [b"", OURS, REPORTED, REPORTED + b"\0" * 11, (REPORTED + b"\0" * 12) * 2]:
            self.assertEqual(reporting(content, (2, 28, 1)), content)

    def test_refusals_of_the_system_are_told(self):
        failures = [(errno.EACCES, "Permission denied; run the command as"), (errno.EROFS, "Read-only file system; run"),
                    (errno.ENOSPC, "No space left on device\n")]
        for number, told in failures:
            error = OSError(number, os.strerror(number), str(self.file))
            for verb in ["swap", "restore", "status"]:
                with self.subTest(told=told, verb=verb), mock.patch.object(Path, "read_bytes", side_effect=error):
                    code, printed = self.run_command(verb, "tiledb")
                    self.assertEqual(code, 1)
                    self.assertTrue(printed.startswith(f"tiledb_rs: {self.file}: {told}"), printed)
                    self.assertNotIn("Traceback", printed)
        self.assertEqual(self.file.read_bytes(), OWN)

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
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


if __name__ == "__main__":
    unittest.main()
