"""NetCDF files that netCDF4 wrote, to groups and back: groups in files, characters, names; compared with xarray and netCDF4."""

from __future__ import annotations

import unittest

from support import LibraryTest, needs

import tiledb_rs.convert as convert


@needs("xarray", "netCDF4", "numpy")
class NetCDF(LibraryTest):
    def file(self, name: str = "in.nc"):
        import netCDF4

        return netCDF4.Dataset(self.path(name), "w")

    def contents(self, name: str):
        """The variables of a file by their paths: dimensions, type, attributes and values, without the conversions of netCDF4."""
        import netCDF4

        def of(node, path=""):
            found = {
                f"{path}/{key}": (one.dimensions, str(one.dtype), {at: repr(one.getncattr(at)) for at in one.ncattrs()}, one[...].tolist()) for key, one in node.variables.items()
            }
            found[f"{path}/"] = {at: repr(node.getncattr(at)) for at in node.ncattrs()}
            for key, one in node.groups.items():
                found.update(of(one, f"{path}/{key}"))
            return found

        with netCDF4.Dataset(self.path(name)) as file:
            file.set_auto_mask(False)
            file.set_auto_chartostring(False)
            return of(file)

    def converted(self):
        group = convert.from_file(self.path("in.nc"), self.path())
        convert.to_file(self.path(), self.path("out.nc"))
        self.assertEqual(self.contents("out.nc"), self.contents("in.nc"))
        return group

    def test_groups_of_a_file_become_groups_and_are_written_back(self):
        import xarray

        import tiledb_rs.xarray

        with self.file() as file:
            file.title = "root"
            file.createDimension("x", 2)
            file.createVariable("a", "f4", ("x",))[:] = [1, 2]
            forecast = file.createGroup("forecast")
            forecast.setncattr("step", 6)
            forecast.createVariable("b", "f4", ("x",))[:] = [3, 4]
            deep = forecast.createGroup("member 1")
            deep.createDimension("y", 3)
            deep.createVariable("c", "i2", ("y",))[:] = [5, 6, 7]
        group = self.converted()
        self.assertEqual(sorted((one.name, one.type) for one in group.members), [("a", "array"), ("forecast", "group")])
        self.assertEqual(group["forecast"]["member 1"]["c"][...].tolist(), [5, 6, 7])
        with xarray.open_datatree(self.path("in.nc")) as expected, xarray.open_datatree(self.path(), engine=tiledb_rs.xarray.TileDBBackend) as tree:
            self.assertEqual([node.path for node in tree.subtree], [node.path for node in expected.subtree])
            for path in ("/", "/forecast", "/forecast/member 1"):
                self.assertTrue(tree[path].to_dataset().identical(expected[path].to_dataset()), path)

    def test_file_of_groups_alone_becomes_groups(self):
        with self.file() as file:
            group = file.createGroup("g")
            group.createDimension("x", 2)
            group.createVariable("b", "f4", ("x",))[:] = [3, 4]
        self.assertEqual([one.name for one in self.converted().members], ["g"])

    def test_characters_become_texts_and_are_written_back_as_they_were(self):
        import netCDF4
        import numpy
        import xarray

        import tiledb_rs.xarray

        with self.file() as file:
            for name, size in (("station", 2), ("length", 4), ("one", 1), ("code", 2)):
                file.createDimension(name, size)
            file.createVariable("name", "S1", ("station", "length"))[:] = netCDF4.stringtochar(numpy.array(["EWR", "JFKX"], "S4"))
            file.createVariable("short", "S1", ("station", "one"))[:] = numpy.array([["p"], ["q"]], "S1")
            file.createVariable("flag", "S1", ("station",))[:] = numpy.array(["a", "b"], "S1")
            file.createVariable("alone", "S1", ("code",))[:] = numpy.array(["k", "l"], "S1")
            text = file.createVariable("utf8", "S1", ("station", "length"))
            text[:] = numpy.array(["ä".encode(), b"b"], "S4").view("S1").reshape(2, 4)
            text._Encoding = "utf-8"
            file.createVariable("temp", "f4", ("station",))[:] = [1, 2]
        self.converted()
        with xarray.open_dataset(self.path("in.nc")) as expected, tiledb_rs.xarray.open(self.path()) as found:
            self.assertTrue(found.identical(expected))
            self.assertEqual({name: found[name].encoding.get("char_dim_name") for name in ("name", "short", "flag")}, {"name": "length", "short": "one", "flag": None})
            self.assertEqual(found["name"].values.tolist(), [b"EWR", b"JFKX"])
        with xarray.open_dataset(self.path("in.nc")) as dataset:
            tiledb_rs.xarray.write(dataset.drop_vars("utf8"), self.path("written"))
        convert.to_file(self.path("written"), self.path("again.nc"))
        self.assertEqual(
            {name: one[0] for name, one in self.contents("again.nc").items() if name in ("/name", "/short", "/flag", "/alone")},
            {"/name": ("station", "length"), "/short": ("station", "one"), "/flag": ("station",), "/alone": ("code",)},
        )

    def test_characters_along_a_dimension_of_other_variables_keep_it(self):
        """The name of the dimension has a number that is not its length, which xarray would change."""
        import numpy

        with self.file() as file:
            file.createDimension("dim1", 3)
            file.createVariable("number", "i4", ("dim1",))[:] = [1, 2, 3]
            characters = file.createVariable("letter", "S1", ("dim1",), fill_value=b"?")
            characters.note = "one for each number"
            characters[:] = numpy.array([b"a", b"b", b"c"])
        self.converted()

    def test_damaged_headers_of_version_3_are_refused(self):
        import netCDF4

        for layout in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"):
            with netCDF4.Dataset(self.path("in.nc"), "w", format=layout) as file:
                file.title = "seed"
                file.createDimension("t", None)
                file.createDimension("x", 5)
                file.createVariable("one", "S1", ("t", "x"))[:] = [list("abcde")] * 3
                file.createVariable("two", "f8", ("x",))[:] = range(5)
            convert.from_file(self.path("in.nc"), self.path(layout))
            with open(self.path("in.nc"), "rb") as file:
                sound = file.read()
            count = 8 if layout == "NETCDF3_64BIT_DATA" else 4
            number = (1 << 31).to_bytes(count, "big")
            after = {name: sound.index(name) + len(name) for name in (b"title\0\0\0", b"one\0", b"two\0")}

            def changed(at: int, content: bytes, sound: bytes = sound) -> bytes:
                return sound[:at] + content + sound[at + len(content) :]

            damaged = {
                "2147483648 bytes are announced where": changed(after[b"title\0\0\0"] + 4, number),
                "unknown type 77": changed(after[b"title\0\0\0"], (77).to_bytes(4, "big")),
                "the variable 'one' has 2147483648 dimensions": changed(after[b"one\0"], number),
                "'two' has a dimension that is not listed": changed(after[b"two\0"] + count, number),
                "the values of the variable 'one' end at byte 107374": changed(4, number),
                "does not say how many records": changed(4, b"\xff" * count),
                "the values of the variable 'one' end at byte": sound[:-6],
                "list of dimensions begins with 13": changed(4 + count, (13).to_bytes(4, "big")),
                "2147483648 dimensions are announced": changed(8 + count, number),
            }
            for text, content in damaged.items():
                with self.subTest(layout=layout, text=text):
                    with open(self.path("damaged.nc"), "wb") as file:
                        file.write(content)
                    with self.assertRaisesRegex(ValueError, f"damaged.nc is no NetCDF file, or damaged: .*{text}"):
                        convert.from_file(self.path("damaged.nc"), self.path("target"))

    def test_reserved_names_of_variables_are_converted(self):
        import numpy
        import xarray

        import tiledb_rs.xarray

        array = xarray.DataArray(numpy.arange(6.0).reshape(2, 3), dims=("y", "x"), attrs={"units": "m"})
        array.to_netcdf(self.path("in.nc"))
        convert.from_file(self.path("in.nc"), self.path())
        convert.to_file(self.path(), self.path("out.nc"))
        with xarray.open_dataarray(self.path("out.nc")) as found:
            self.assertTrue(found.identical(array))
        dataset = xarray.Dataset({"__schema": ("x", [1, 2]), "__": ("__x", [1.5], {"a": "b"}), "_a": 3})
        tiledb_rs.xarray.write(dataset, self.path("names"))
        with tiledb_rs.xarray.open(self.path("names")) as found:
            self.assertTrue(found.identical(dataset))

    def test_variables_without_a_datatype_are_named_and_can_be_left_out(self):
        import numpy

        import tiledb_rs

        for kind in ("compound", "lists", "twice"):
            with self.file() as file:
                file.createDimension("x", 2)
                file.createVariable("ok", "f4", ("x",))[:] = [1, 2]
                group = file.createGroup("g")
                group.createVariable("fine", "i4", ("x",))[:] = 1
                if kind == "compound":
                    dtype = numpy.dtype([("a", "f4"), ("b", "i4")])
                    group.createVariable("bad", group.createCompoundType(dtype, "pair"), ("x",))[:] = numpy.zeros(2, dtype)
                elif kind == "lists":
                    lists = group.createVariable("bad", group.createVLType("i4", "list"), ("x",))
                    lists[0], lists[1] = numpy.array([1, 2], "i4"), numpy.array([3], "i4")
                else:
                    group.createVariable("bad", "f4", ("x", "x"))[:] = 1
            with self.subTest(kind=kind):
                with self.assertRaisesRegex((TypeError, ValueError), r"variable 'g/bad': .*exclude=\['g/bad'\]"):
                    convert.from_file(self.path("in.nc"), self.path())
                self.assertFalse(tiledb_rs.exists(self.path()))
                group = convert.from_file(self.path("in.nc"), self.path(), exclude=["g/bad"])
                self.assertEqual([one.name for one in group["g"].members], ["fine"])
                tiledb_rs.remove(self.path())
                self.assertEqual([one.name for one in convert.from_file(self.path("in.nc"), self.path(), exclude="/g").members], ["ok"])
                tiledb_rs.remove(self.path())
        with self.assertRaisesRegex(KeyError, "g/other"):
            convert.from_file(self.path("in.nc"), self.path(), exclude=["g/other"])
        self.assertFalse(tiledb_rs.exists(self.path()))


if __name__ == "__main__":
    unittest.main()
