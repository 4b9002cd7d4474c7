"""HDF5 files that h5py wrote, to groups and back: attributes of all types, named datatypes, and what can be left out."""

from __future__ import annotations

import json
import unittest

from support import LibraryTest, needs

import tiledb_rs
import tiledb_rs.convert as convert
from tiledb_rs.convert import _h5 as convert_h5


@needs("h5py", "numpy")
class HDF5(LibraryTest):
    def attributes(self, node):
        """Type, shape and value of each attribute."""
        import h5py

        found = {}
        for name, value in node.attrs.items():
            known = node.attrs.get_id(name)
            empty = known.get_space().get_simple_extent_type() == h5py.h5s.NULL
            found[name] = (known.get_type().encode(), None if empty else known.shape, repr(value.tolist() if hasattr(value, "tolist") else None if empty else value))
        return found

    def test_attributes_of_all_types_are_written_back(self):
        import h5py
        import numpy

        compound = numpy.array([(1, 2.5, b"ab"), (-1, numpy.nan, b"")], [("a", "i4"), ("b", "f8"), ("s", "S3")])
        values = {
            "fixed": numpy.bytes_(b"m s-1"),
            "empty": numpy.bytes_(b""),
            "not a text": numpy.bytes_(b"\xff\xfe"),
            "fixed list": numpy.array([b"a", b"bcd"]),
            "complex": 1 + 2j,
            "complexes": numpy.array([1j, complex(numpy.nan, numpy.inf)]),
            "compound": compound,
            "one": compound[0],
            "null": h5py.Empty("f4"),
            "null text": h5py.Empty(h5py.string_dtype()),
            "opaque": numpy.void(b"\0\1a"),
            "half": numpy.float16(1.5),
            "big": numpy.array([1, 2], ">i4"),
            "matrix": numpy.arange(6, dtype="i2").reshape(2, 3),
            "no cells": numpy.zeros((0, 2)),
            "texts": ["ä", ""],
            "text": "ö",
            "flag": True,
            "flags": numpy.array([True, False]),
            "number": numpy.uint8(3),
            "numbers": numpy.array([1.5, numpy.nan]),
            "single": numpy.array([7]),
        }
        with h5py.File(self.path("in.h5"), "w") as file:
            file["x"] = [1.0]
            for node in (file, file["x"], file.create_group("g")):
                node.attrs.update(values)
                node.attrs.create("enum", 1, dtype=h5py.enum_dtype({"NO": 0, "YES": 1}, basetype="i2"))
                node.attrs.create("utf8", "ä".encode(), dtype=h5py.string_dtype("utf-8", 5))
                node.attrs.create("CLASS", numpy.bytes_(b"TABLE"))
                node.attrs.create("arrays", numpy.zeros(2, [("a", "f8", (2,))]))
        convert.from_file(self.path("in.h5"), self.path())
        self.assertEqual(tiledb_rs.Group(self.path()).metadata["fixed"], "m s-1")
        convert.to_file(self.path(), self.path("out.h5"))
        with h5py.File(self.path("in.h5")) as first, h5py.File(self.path("out.h5")) as second:
            for path in ("/", "x", "g"):
                expected, found = self.attributes(first[path]), self.attributes(second[path])
                self.assertEqual(set(found), set(expected))
                for name in expected:
                    with self.subTest(path=path, name=name):
                        self.assertEqual(found[name], expected[name])

    def test_attributes_that_were_changed_are_written_as_they_are(self):
        import h5py
        import numpy

        with h5py.File(self.path("in.h5"), "w") as file:
            file.attrs.update({"units": numpy.bytes_(b"m"), "pair": 1 + 2j, "kept": numpy.bytes_(b"s"), "gone": numpy.bytes_(b"x")})
        group = convert.from_file(self.path("in.h5"), self.path())
        group.metadata.update({"units": "km", "bytes": b"", "raw": b"\0\1"})
        del group.metadata["gone"]
        convert.to_file(self.path(), self.path("out.h5"))
        with h5py.File(self.path("out.h5")) as file:
            self.assertEqual({name: file.attrs[name] for name in ("units", "pair", "kept", "bytes")}, {"units": "km", "pair": 1 + 2j, "kept": b"s", "bytes": b""})
            self.assertEqual(file.attrs["raw"].tobytes(), b"\0\1")
            self.assertNotIn("gone", file.attrs)

    def test_types_of_variable_length_in_foreign_metadata_are_not_restored(self):
        import h5py
        import numpy

        text = h5py.string_dtype()
        kinds = [text, h5py.vlen_dtype(numpy.int32), numpy.dtype([("a", "i4"), ("s", text)]), h5py.ref_dtype, numpy.dtype((text, (2,)))]
        with h5py.File(self.path("types.h5"), "w") as file:
            for kind in kinds:
                datatype = h5py.h5t.py_create(kind, logical=True)
                # The bytes would be used as addresses.
                described = {"type": convert_h5._text(datatype.encode()), "shape": [], "data": convert_h5._text(b"A" * datatype.get_size()), "shown": "v"}
                self.assertFalse(convert_h5._restore(file, "n", json.dumps(described), "v"), kind)
            self.assertEqual(list(file.attrs), [])

    def test_named_datatypes_undefined_fill_values_and_unordered_fields_are_converted(self):
        import h5py
        import numpy

        unordered = numpy.dtype({"names": ["a", "b"], "formats": ["i4", "f8"], "offsets": [8, 0], "itemsize": 16})
        values = numpy.zeros(2, unordered)
        values["a"], values["b"] = [1, 2], [0.5, numpy.nan]
        with h5py.File(self.path("in.h5"), "w") as file:
            file["t"] = numpy.dtype("i4")
            file["fields"] = values
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
            dataset = h5py.Dataset(h5py.h5d.create(file.id, b"undefined", h5py.h5t.NATIVE_INT32, h5py.h5s.create_simple((2,)), properties))
            dataset[...] = [5, 6]
        group = convert.from_file(self.path("in.h5"), self.path())
        self.assertEqual(sorted(one.name for one in group.members), ["fields", "undefined"])
        convert.to_file(self.path(), self.path("out.h5"))
        with h5py.File(self.path("out.h5")) as file:
            self.assertEqual(file["t"].dtype, numpy.dtype("i4"))
            self.assertEqual(file["undefined"][()].tolist(), [5, 6])
            self.assertEqual(file["fields"]["a"].tolist(), [1, 2])
            numpy.testing.assert_array_equal(file["fields"]["b"], [0.5, numpy.nan])
            self.assertEqual(file["fields"].dtype.names, ("a", "b"))

    def test_what_cannot_be_converted_is_named_and_can_be_excluded(self):
        import h5py
        import numpy

        with h5py.File(self.path("in.h5"), "w") as file:
            file["good"] = numpy.arange(3)
            file["g/table"] = numpy.zeros(3, [("a", "i4"), ("b", "f8", (2,))])
            file["g/other"] = [1]
        with self.assertRaisesRegex(TypeError, r"'g/table'.*field 'b'.*exclude=\['g/table'\]"):
            convert.from_file(self.path("in.h5"), self.path())
        self.assertFalse(tiledb_rs.exists(self.path()))
        group = convert.from_file(self.path("in.h5"), self.path(), exclude=["/g/table"])
        self.assertEqual([one.name for one in group["g"].members], ["other"])
        with self.assertRaisesRegex(KeyError, "absent"):
            convert.from_file(self.path("in.h5"), self.path("again"), exclude=["g", "absent"])

    def test_other_files_are_read_only_if_they_are_asked_for(self):
        import h5py
        import numpy

        (self.folder / "secret.txt").write_bytes(b"password")
        with h5py.File(self.path("other.h5"), "w") as file:
            file["data"] = numpy.arange(4)
        layout = h5py.VirtualLayout((4,), "i8")
        layout[:] = h5py.VirtualSource(self.path("other.h5"), "data", (4,))
        for kind in ("raw", "link", "virtual"):
            with h5py.File(self.path("in.h5"), "w") as file:
                file["ok"] = [1]
                if kind == "raw":
                    file.create_dataset("bad", (8,), "u1", external=[(self.path("secret.txt"), 0, 8)])
                elif kind == "link":
                    file["bad"] = h5py.ExternalLink(self.path("other.h5"), "data")
                else:
                    file.create_virtual_dataset("bad", layout)
            with self.subTest(kind=kind):
                for options in ({}, {"kind": "netcdf"}):
                    with self.assertRaisesRegex(ValueError, r"'bad'.*(secret.txt|other.h5).*external=True.*exclude=\['bad'\]"):
                        convert.from_file(self.path("in.h5"), self.path(), **options)
                    self.assertFalse(tiledb_rs.exists(self.path()))
                group = convert.from_file(self.path("in.h5"), self.path(), exclude="bad")
                self.assertEqual([one.name for one in group.members], ["ok"])
                tiledb_rs.remove(self.path())
                group = convert.from_file(self.path("in.h5"), self.path(), external=True)
                self.assertEqual(group["bad"][...].tolist(), list(b"password") if kind == "raw" else [0, 1, 2, 3])
                tiledb_rs.remove(self.path())

    def test_large_datasets_without_values_are_refused(self):
        import h5py

        with h5py.File(self.path("in.h5"), "w") as file:
            file.create_dataset("bad", (1 << 20, 1 << 20), "f8", chunks=(1 << 10, 1 << 10))
            file.create_dataset("ok", (1 << 10,), "f8", chunks=(1 << 10,))
        for kind in ("hdf5", "netcdf"):
            with self.assertRaisesRegex(ValueError, "'bad': it has 8796093022208 bytes, of which 0 are stored; unallocated=True"):
                convert.from_file(self.path("in.h5"), self.path(), kind=kind)
        self.assertEqual([one.name for one in convert.from_file(self.path("in.h5"), self.path(), exclude="bad").members], ["ok"])


if __name__ == "__main__":
    unittest.main()
