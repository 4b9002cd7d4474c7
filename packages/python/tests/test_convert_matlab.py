"""MATLAB files that scipy wrote, to groups and back: sparse matrices, structs, cells, and what has no conversion."""

from __future__ import annotations

import unittest
import warnings

from support import LibraryTest, needs

import tiledb_rs
import tiledb_rs.convert as convert


@needs("scipy", "numpy")
class Matlab(LibraryTest):
    def variables(self, name: str):
        import scipy.io

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return {key: self.plain(value) for key, value in scipy.io.loadmat(self.path(name)).items() if not key.startswith("__")}

    def plain(self, value):
        """A variable with the shapes and types of all that it contains."""
        if hasattr(value, "tocsc"):
            found = value.tocsc()
            return ("sparse", value.shape, str(value.dtype), found.indices.tolist(), found.indptr.tolist(), found.data.tolist())
        if value.dtype.names:
            return ("struct", value.shape, [[(name, self.plain(one[name])) for name in value.dtype.names] for one in value.reshape(-1)])
        if value.dtype == object:
            return ("cell", value.shape, [self.plain(one) for one in value.reshape(-1)])
        return (str(value.dtype), value.shape, value.tolist())

    def test_sparse_matrices_structs_and_cells_are_written_back(self):
        import numpy
        import scipy.io
        import scipy.sparse

        structs = numpy.array([[(1, "x"), (2.5, "yz")]], dtype=[("a", "O"), ("b", "O")])
        scipy.io.savemat(
            self.path("in.mat"),
            {
                "sparse": scipy.sparse.csc_matrix(numpy.array([[0, 1.5, 0], [2, 0, -0.5]])),
                "complex": scipy.sparse.csc_matrix(numpy.array([[1 + 2j, 0]])),
                "empty": scipy.sparse.csc_matrix((3, 4)),
                "none": scipy.sparse.csc_matrix((0, 2)),
                "cell": numpy.array([[numpy.arange(2), "x"], ["", numpy.eye(2)]], dtype=object),
                "struct": {"a": 1, "b": {"c": "t", "d": numpy.array([[1, 2]])}},
                "structs": structs,
                "empty_cell": numpy.zeros((0, 0), object),
                "ok": numpy.arange(3.0),
                "text": "hello",
            },
        )
        group = convert.from_file(self.path("in.mat"), self.path())
        self.assertTrue(group["sparse"].schema.sparse)
        self.assertEqual(group["struct"]["b"]["d"][...].tolist(), [[1, 2]])
        convert.to_file(self.path(), self.path("out.mat"))
        self.assertEqual(self.variables("out.mat"), self.variables("in.mat"))

    def test_variables_can_be_excluded_and_are_named_in_errors(self):
        import numpy
        import scipy.io

        scipy.io.savemat(self.path("in.mat"), {"a": [1.0], "s": {"b": 2, "c": {"d": 3}}})
        with self.assertRaisesRegex(KeyError, "nothing"):
            convert.from_file(self.path("in.mat"), self.path(), exclude=["a", "nothing"])
        self.assertFalse(tiledb_rs.exists(self.path()))
        group = convert.from_file(self.path("in.mat"), self.path(), exclude=["a", "s/c/d"])
        self.assertEqual([one.name for one in group.members], ["s"])
        self.assertEqual([one.name for one in group["s"]["c"].members], [])
        numpy.savez(self.path("in.npz"), good=numpy.arange(2), nested=numpy.zeros(2, [("a", [("b", "i4")])]))
        with self.assertRaisesRegex(TypeError, r"array 'nested'.*exclude=\['nested'\]"):
            convert.from_file(self.path("in.npz"), self.path("npz"))
        self.assertEqual([one.name for one in convert.from_file(self.path("in.npz"), self.path("npz"), exclude="nested").members], ["good"])

    def test_damaged_headers_that_end_the_process_in_scipy_are_refused(self):
        """Dimensions of five bytes within a cell, which scipy follows into memory that is not its own."""
        import struct

        import numpy
        import scipy.io

        scipy.io.savemat(self.path("in.mat"), {"c": numpy.array([1, "q"], object)})
        with open(self.path("in.mat"), "rb") as file:
            content = file.read()
        tag, number = struct.pack("<II", 5, 8), 0
        for at in range(128, len(content) - 8, 8):
            if content[at : at + 8] == tag:
                number += 1
                damaged = content[:at] + struct.pack("<II", 5, 5) + content[at + 8 :]
                with open(self.path("damaged.mat"), "wb") as file:
                    file.write(damaged)
                with self.assertRaisesRegex(ValueError, "is a damaged MATLAB file: the dimensions of a variable are damaged, before byte"):
                    convert.from_file(self.path("damaged.mat"), self.path("damaged"))
        self.assertGreater(number, 2)
        self.assertEqual(len(convert.from_file(self.path("in.mat"), self.path("sound"))), 1)

    def test_values_of_unknown_types_that_end_the_process_in_scipy_are_refused(self):
        """Types beyond 18, or of which there is none, which scipy looks up outside of its table."""
        import numpy
        import scipy.io

        scipy.io.savemat(self.path("in.mat"), {"c": numpy.array([1.5, 1], object)})
        content = (self.folder / "in.mat").read_bytes()
        at = content.index(b"\x09\0\0\0\x08\0\0\0" + numpy.float64(1.5).tobytes())
        for kind in (0, 8, 10, 11, 14, 15, 19, 268, 0xFFFF):
            (self.folder / "damaged.mat").write_bytes(content[:at] + kind.to_bytes(4, "little") + content[at + 4 :])
            with self.assertRaisesRegex(ValueError, f"is a damaged MATLAB file: a variable has values of the unknown type {kind}, before"):
                convert.from_file(self.path("damaged.mat"), self.path("damaged"))

    def test_damaged_files_and_those_of_hdf5_are_refused(self):
        import numpy
        import scipy.io

        scipy.io.savemat(self.path("in.mat"), {"a": numpy.arange(1000.0)}, do_compression=True)
        content = bytearray((self.folder / "in.mat").read_bytes())
        content[-1] ^= 0xFF
        (self.folder / "in.mat").write_bytes(content)
        self.assertRaisesRegex(ValueError, "damaged MATLAB file", convert.from_file, self.path("in.mat"), self.path())
        header = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
        (self.folder / "in.mat").write_bytes(header + bytes(400))
        self.assertRaisesRegex(ValueError, "kind='hdf5'", convert.from_file, self.path("in.mat"), self.path())


if __name__ == "__main__":
    unittest.main()
