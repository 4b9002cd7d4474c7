"""Round trips of grids: NumPy, MATLAB, HDF5, Zarr, NetCDF, GeoTIFF to arrays and back."""

from __future__ import annotations

import importlib.util
import unittest

from support import LibraryTest, needs

import tiledb_rs
import tiledb_rs.convert as convert


def arrays():
    """An array of each dtype, of several shapes."""
    import numpy

    source = numpy.random.default_rng(3)
    found = {name: source.integers(0, 100, (5, 7)).astype(name) for name in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", ">i4", ">f8")}
    found.update(
        {
            "bool": source.uniform(size=(3, 4, 5)) < 0.5,
            "bytes": numpy.array([b"a", b"bcd", b""]),
            "text": numpy.array([["ä", "it's"], ["", "a\tb"]]),
            "days": numpy.array(["1969-12-31", "NaT", "2262-01-01"], "M8[D]"),
            "ns": numpy.array([1, 2, 3], "M8[ns]"),
            "seconds": numpy.array([1, -2], "m8[s]"),
            "structured": numpy.array([(1, 2.5, b"ab"), (-1, numpy.nan, b"")], [("i", "i2"), ("f", "f8"), ("s", "S3")]),
            "scalar": numpy.array(7.5),
            "empty": numpy.zeros((0, 3), "i4"),
            "huge": numpy.array([(1 << 64) - 1, 0, 1 << 63], "u8"),
            "nan": numpy.array([numpy.nan, numpy.inf, -0.0]),
            "fortran": numpy.asfortranarray(numpy.arange(12.0).reshape(3, 4)),
            "large": numpy.arange(300_000, dtype="i4").reshape(300, 1000),
        }
    )
    return found


@needs("numpy")
class Grids(LibraryTest):
    def equal(self, found, wanted, name=""):
        import numpy

        self.assertEqual((found.dtype, found.shape), (wanted.dtype, wanted.shape), name)
        if wanted.dtype.fields:
            self.assertEqual(found.tolist().__repr__(), wanted.tolist().__repr__())
        else:
            numpy.testing.assert_array_equal(found, wanted, str(name))

    def test_npy(self):
        import numpy

        for name, values in arrays().items():
            with self.subTest(name=name):
                safe = name.replace(">", "big_")
                numpy.save(self.path(f"{safe}.npy"), values)
                convert.from_file(self.path(f"{safe}.npy"), self.path(safe))
                convert.to_file(self.path(safe), self.path(f"{safe}.out.npy"))
                self.equal(numpy.load(self.path(f"{safe}.out.npy")), values, name)
        for name, values in [
            ("objects", numpy.array([{}, 1], object)),
            ("longdouble", numpy.zeros(2, "g")),
            ("nested", numpy.zeros(2, [("a", [("b", "i4")])])),
            ("void", numpy.zeros(2, "V3")),
        ]:
            numpy.save(self.path(f"{name}.npy"), values, allow_pickle=True)
            with self.subTest(name=name), self.assertRaises((TypeError, ValueError)):
                convert.from_file(self.path(f"{name}.npy"), self.path(name))

    def test_npz_and_mat(self):
        import numpy

        wanted = arrays()
        numpy.savez(self.path("in.npz"), **wanted)
        convert.from_file(self.path("in.npz"), self.path())
        convert.to_file(self.path(), self.path("out.npz"))
        with numpy.load(self.path("out.npz")) as found:
            self.assertEqual(set(found.files), set(wanted))
            for name, values in wanted.items():
                self.equal(found[name], values, name)
        if importlib.util.find_spec("scipy") is None:
            self.skipTest("scipy is not installed")
        import scipy.io

        numbers = {
            name: values for name, values in wanted.items() if values.dtype.kind in "iufc" and values.dtype.itemsize > 2 and name[0] != ">" and values.ndim == 2 and values.size
        }
        scipy.io.savemat(self.path("in.mat"), numbers)
        convert.from_file(self.path("in.mat"), self.path("mat"))
        convert.to_file(self.path("mat"), self.path("out.mat"))
        found = scipy.io.loadmat(self.path("out.mat"))
        for name, values in numbers.items():
            numpy.testing.assert_array_equal(found[name], values)

    def test_hdf5(self):
        if importlib.util.find_spec("h5py") is None:
            self.skipTest("h5py is not installed")
        import h5py
        import numpy

        wanted = {name: values for name, values in arrays().items() if values.dtype.kind not in "MmU"}
        with h5py.File(self.path("in.h5"), "w") as file:
            file.attrs.update({"title": "ä", "number": numpy.int16(3), "list": numpy.array([1.5, 2.5], "f4"), "one": numpy.array([7])})
            group = file.create_group("a").create_group("b c")
            group.attrs["flag"] = True
            for name, values in wanted.items():
                group.create_dataset(name.replace(">", "big_"), data=values, **({"chunks": (100, 500), "compression": "gzip"} if name == "large" else {}))
            texts = group.create_dataset("texts", data=numpy.array([["ä", ""], ["it's", "b"]], dtype=object), dtype=h5py.string_dtype())
            texts.dims[0].label, texts.dims[1].label = "row", "column"
            texts.attrs["units"] = "none"
            group.create_dataset("enum", data=numpy.array([0, 1, 1], "u1"), dtype=h5py.enum_dtype({"NO": 0, "YES": 1}, basetype="u1"))
            file["scalar text"] = "hello"
        convert.from_file(self.path("in.h5"), self.path())
        self.assertEqual(tiledb_rs.Group(self.path())["a"]["b c"].metadata["flag"], True)
        convert.to_file(self.path(), self.path("out.h5"))
        with h5py.File(self.path("in.h5")) as first, h5py.File(self.path("out.h5")) as second:
            names = []
            first.visit(names.append)
            again = []
            second.visit(again.append)
            self.assertEqual(sorted(again), sorted(names))
            for name in names:
                self.assertEqual(set(first[name].attrs), set(second[name].attrs), name)
                for key, value in first[name].attrs.items():
                    numpy.testing.assert_array_equal(second[name].attrs[key], value)
                if isinstance(first[name], h5py.Dataset):
                    self.equal(
                        second[name][()] if first[name].shape else numpy.asarray(second[name][()]), first[name][()] if first[name].shape else numpy.asarray(first[name][()]), name
                    )
            self.assertEqual(second.attrs["number"].dtype, numpy.int16)
            self.assertEqual(second.attrs["one"].shape, (1,))
            self.assertEqual(h5py.check_enum_dtype(second["a/b c/enum"].dtype), {"NO": 0, "YES": 1})
            self.assertEqual(second["a/b c/texts"].dims[1].label, "column")
        with h5py.File(self.path("wrong.h5"), "w") as file:
            file.create_dataset("references", data=numpy.array([file.ref], dtype=h5py.ref_dtype))
        with self.assertRaisesRegex(TypeError, "references"):
            convert.from_file(self.path("wrong.h5"), self.path("wrong"))

    def test_nulls_dates_and_sparse_arrays_in_hdf5(self):
        if importlib.util.find_spec("h5py") is None:
            self.skipTest("h5py is not installed")
        import h5py

        schema = tiledb_rs.Schema([tiledb_rs.Dimension("d", (0, 3), tile=2)], [tiledb_rs.Attribute("n", "INT16", nullable=True)])
        array = tiledb_rs.create(self.path(), schema)
        array.write({"n": [1, None, 3, None]})
        convert.to_file(array, self.path("out.h5"))
        with h5py.File(self.path("out.h5")) as file:
            self.assertEqual(file["value.mask"][()].tolist(), [False, True, False, True])
            self.assertEqual(file["value"][()].tolist()[::2], [1, 3])
        convert.to_file(self.sparse("cells"), self.path("cells.h5"))
        with h5py.File(self.path("cells.h5")) as file:
            self.assertEqual(file["value"]["x"][()].tolist(), [10, 20, 30, 500])

    def test_zarr(self):
        if importlib.util.find_spec("zarr") is None:
            self.skipTest("zarr is not installed")
        import numpy
        import zarr

        wanted = {name: values for name, values in arrays().items() if values.dtype.kind in "biufcMm" and name not in ("scalar",)}
        group = zarr.open_group(self.path("in.zarr"), mode="w")
        group.attrs.update({"title": "ä", "nested": {"a": [1, None]}, "version": 3})
        inner = group.create_group("inner")
        for name, values in wanted.items():
            made = inner.create_array(name.replace(">", "big_"), shape=values.shape, dtype=values.dtype, dimension_names=[f"{name[-1]}{at}" for at in range(values.ndim)])
            if values.size:
                made[...] = values
            made.attrs["units"] = name
        convert.from_file(self.path("in.zarr"), self.path())
        convert.to_file(self.path(), self.path("out.zarr"))
        found = zarr.open_group(self.path("out.zarr"), mode="r")
        self.assertEqual(dict(found.attrs), {"title": "ä", "nested": {"a": [1, None]}, "version": 3})
        for name, values in wanted.items():
            one = found["inner"][name.replace(">", "big_")]
            self.equal(one[...], inner[name.replace(">", "big_")][...], name)
            numpy.testing.assert_array_equal(one[...], values)
            self.assertEqual(dict(one.attrs), {"units": name})
            self.assertEqual(one.metadata.dimension_names, inner[name.replace(">", "big_")].metadata.dimension_names)
        self.assertEqual(numpy.asarray(tiledb_rs.Group(self.path())["inner"]["large"][0:2, 0:2]).tolist(), [[0, 1], [1000, 1001]])

    def test_netcdf(self):
        if importlib.util.find_spec("netCDF4") is None or importlib.util.find_spec("xarray") is None:
            self.skipTest("netCDF4 is not installed")
        import netCDF4
        import numpy
        import xarray

        with netCDF4.Dataset(self.path("in.nc"), "w") as file:
            file.title, file.number = "ä", numpy.int16(4)
            file.createDimension("time", None)
            file.createDimension("x", 3)
            time = file.createVariable("time", "f8", ("time",))
            time.units, time.calendar = "days since 2000-01-01", "noleap"
            time[:] = [0, 58, 59, 60]
            temp = file.createVariable("t", "i2", ("time", "x"), fill_value=-999, zlib=True)
            temp.scale_factor, temp.valid_range = numpy.float32(0.1), numpy.array([-10, 10], "i2")
            temp.set_auto_maskandscale(False)
            temp[:] = numpy.arange(12).reshape(4, 3)
            names = file.createVariable("names", str, ("x",))
            names[:] = numpy.array(["a", "", "ccc"], dtype=object)
            for kind in ("u1", "u2", "u4", "u8", "i8", "f4"):
                file.createVariable(kind, kind, ("x",))[:] = [1, 2, 3]
            file.createVariable("crs", "i4", ())[...] = 3
        convert.from_file(self.path("in.nc"), self.path())
        convert.to_file(self.path(), self.path("out.nc"))
        for decode in (False, True):
            with xarray.open_dataset(self.path("in.nc"), decode_cf=decode) as first, xarray.open_dataset(self.path("out.nc"), decode_cf=decode) as second:
                xarray.testing.assert_identical(second, first)
                for name in first.variables:
                    self.assertEqual(second[name].dtype, first[name].dtype, name)
        with netCDF4.Dataset(self.path("out.nc")) as file:
            self.assertEqual((file["t"].scale_factor.dtype, file["t"]._FillValue.dtype, file.number.dtype), (numpy.dtype("f4"), numpy.dtype("i2"), numpy.dtype("i2")))
            self.assertTrue(file.dimensions["time"].isunlimited())

    def test_geotiff(self):
        if importlib.util.find_spec("rasterio") is None:
            self.skipTest("rasterio is not installed")
        import numpy
        import rasterio

        for at, (dtype, bands, nodata) in enumerate([("uint8", 3, 0), ("int16", 1, -9999), ("float32", 2, numpy.nan), ("float64", 1, None), ("uint16", 4, 65535)]):
            with self.subTest(dtype=dtype):
                values = numpy.random.default_rng(at).integers(0, 200, (bands, 90, 130)).astype(dtype)
                transform = rasterio.Affine(30, 0, 500_000, 0, -30, 5_000_000)
                with rasterio.open(
                    self.path(f"{at}.tif"),
                    "w",
                    driver="GTiff",
                    height=90,
                    width=130,
                    count=bands,
                    dtype=dtype,
                    crs="EPSG:32633",
                    transform=transform,
                    nodata=nodata,
                    tiled=True,
                    blockxsize=64,
                    blockysize=64,
                ) as file:
                    file.write(values)
                    file.update_tags(author="it's me")
                    file.update_tags(1, wavelength="red")
                    file.descriptions = [f"band {one}" for one in range(bands)]
                convert.from_file(self.path(f"{at}.tif"), self.path(f"array_{at}"))
                convert.to_file(self.path(f"array_{at}"), self.path(f"{at}.out.tif"))
                with rasterio.open(self.path(f"{at}.tif")) as first, rasterio.open(self.path(f"{at}.out.tif")) as second:
                    self.equal(second.read(), first.read())
                    for name in ("crs", "transform", "descriptions", "dtypes", "colorinterp", "bounds"):
                        self.assertEqual(getattr(second, name), getattr(first, name), name)
                    self.assertEqual(repr(second.nodata), repr(first.nodata))
                    self.assertEqual((second.tags()["author"], second.tags(1)), ("it's me", first.tags(1)))

    @needs("h5py")
    def test_links_of_hdf5_and_what_remains(self):
        import h5py
        import numpy

        def loop(file):
            file.create_dataset("a", data=[1])
            file.create_group("z")["again"] = file["/"]

        def dangling(file):
            file.create_dataset("a", data=[1])
            file["z"] = h5py.SoftLink("/nothing")

        for name, fill, message in [("loop", loop, "group '/z/again' contains itself by a link"), ("dangling", dangling, "'z' in group '/' is a link that leads nowhere")]:
            with h5py.File(self.path(f"{name}.h5"), "w") as file:
                fill(file)
            with self.subTest(name=name), self.assertRaisesRegex(ValueError, message):
                convert.from_file(self.path(f"{name}.h5"), self.path(name))
            self.assertFalse((self.folder / name).exists())
        # What was there before remains.
        tiledb_rs.from_numpy(self.path("mine"), numpy.arange(3))
        with self.assertRaises(tiledb_rs.TileDBError):
            convert.from_file(self.path("loop.h5"), self.path("mine"))
        self.assertEqual(tiledb_rs.open(self.path("mine"))[:].tolist(), [0, 1, 2])
        folder = self.folder / "files"
        folder.mkdir()
        (folder / "mine.txt").write_text("1")
        with self.assertRaises(ValueError):
            convert.from_file(self.path("loop.h5"), str(folder))
        self.assertEqual((folder / "mine.txt").read_text(), "1")

    @needs("zarr")
    def test_texts_of_zarr(self):
        import numpy
        import zarr

        texts = numpy.array(["ä", "", "a long text"], dtype=object)
        source = zarr.open_group(self.path("in.zarr"), mode="w")
        source.create_array("s", shape=texts.shape, dtype=str)[:] = texts
        convert.from_file(self.path("in.zarr"), self.path("texts"))
        convert.to_file(self.path("texts"), self.path("out.zarr"))
        found = zarr.open_group(self.path("out.zarr"), mode="r")["s"]
        self.assertEqual((found[:].tolist(), found.dtype), (texts.tolist(), source["s"].dtype))

    @needs("zarr")
    def test_root_array_of_zarr(self):
        import numpy
        import zarr

        values = numpy.arange(12, dtype="f4").reshape(3, 4)
        for version in (2, 3):
            source = zarr.create_array(self.path(f"in{version}.zarr"), shape=values.shape, dtype=values.dtype, zarr_format=version)
            source[...] = values
            source.attrs["units"] = "m"
            convert.from_file(self.path(f"in{version}.zarr"), self.path(f"array{version}"))
            convert.to_file(self.path(f"array{version}"), self.path(f"out{version}.zarr"))
            copy = zarr.open(self.path(f"out{version}.zarr"), mode="r")
            self.assertIsInstance(copy, zarr.Array)
            self.assertEqual((copy[...].tolist(), dict(copy.attrs)), (values.tolist(), {"units": "m"}))

    @needs("zarr")
    def test_bytes_of_zarr_are_refused(self):
        import warnings

        import numpy
        import zarr

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            source = zarr.create_array(self.path("in.zarr"), shape=(2,), dtype="variable_length_bytes")
            source[:] = numpy.array([b"text", b""], dtype=object)
            with self.assertRaisesRegex(TypeError, "bytes of variable length"):
                convert.from_file(self.path("in.zarr"), self.path())
        self.assertIsNone(tiledb_rs.object_type(self.path()))

    def test_metadata_that_lies(self):
        import json

        import numpy

        numpy.save(self.path("in.npy"), numpy.arange(12).reshape(3, 4))
        array = convert.from_file(self.path("in.npy"), self.path())
        for at, (key, value) in enumerate([("shape", "[1000, 4]"), ("shape", "nonsense"), ("shape", "[-1, 4]"), ("shape", "{}"), ("dtype", '"f8"')]):
            array.metadata[f"__tiledb_rs.{key}"] = value
            convert.to_file(self.path(), self.path(f"{at}.npy"))
            self.assertEqual(numpy.load(self.path(f"{at}.npy")).shape, (3, 4))
        array.metadata["__tiledb_rs.dtype"] = json.dumps("O8")
        with self.assertRaises((ValueError, TypeError)):
            array.metadata["__tiledb_rs.dtype"] = "nonsense"
            convert.to_file(self.path(), self.path("last.npy"))
        # A conversion that fails leaves no file.
        self.assertFalse((self.folder / "last.npy").exists())


if __name__ == "__main__":
    unittest.main()
