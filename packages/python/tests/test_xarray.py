"""The engine of xarray: datasets from NetCDF written, opened, sliced, grouped and written back, and indexing against NumPy."""

from __future__ import annotations

import os
import pickle
import random
import re
import subprocess
import sys
import textwrap
import threading
import unittest
from pathlib import Path

from support import PACKAGE, LibraryTest, needs

import tiledb_rs


@needs("xarray", "numpy", "pandas")
class XArray(LibraryTest):
    def setUp(self) -> None:
        super().setUp()
        import tiledb_rs.xarray

        self.engine = tiledb_rs.xarray

    def example(self, days: int = 40):
        """A dataset with what NetCDF files have: scales, fill values, calendars, texts, scalars, coordinates of two dimensions."""
        import numpy
        import pandas
        import xarray

        source = numpy.random.default_rng(7)
        temp = source.uniform(-20, 40, (days, 4, 3))
        temp[source.uniform(size=temp.shape) < 0.2] = numpy.nan
        found = xarray.Dataset(
            {
                "temp": (("time", "y", "x"), temp, {"units": "degC", "valid_range": numpy.array([-90, 60], "f4"), "flags": ["a", "b"]}),
                "count": (("time",), numpy.arange(days, dtype="u1"), {"step": numpy.int16(3)}),
                "ok": (("y",), numpy.array([True, False, True, True])),
                "name": (("y",), numpy.array(["ä", "", "it's", "d"], dtype=object)),
                "crs": ((), numpy.int32(7), {"epsg": 4326, "wkt": "GEOGCS[…]"}),
                "big": (("x",), numpy.array([1 << 62, -(1 << 62), 0])),
            },
            coords={"time": pandas.date_range("2013-01-01", periods=days, freq="D"), "y": [10.0, 20.0, 30.0, 40.0], "lat": (("y", "x"), source.uniform(size=(4, 3)))},
            attrs={"title": "an example", "version": numpy.float32(1.5), "Conventions": "CF-1.8"},
        )
        found["temp"].encoding = {"dtype": "int16", "scale_factor": 0.002, "add_offset": 10.0, "_FillValue": -32768}
        found["time"].encoding = {"units": "hours since 1900-01-01", "calendar": "gregorian", "dtype": "float64"}
        return found

    def test_equals_netcdf(self):
        import xarray

        if not __import__("importlib.util").util.find_spec("netCDF4"):
            self.skipTest("netCDF4 is not installed")
        self.example().to_netcdf(self.path("in.nc"), unlimited_dims=["time"])
        with xarray.open_dataset(self.path("in.nc")) as wanted:
            self.engine.write(wanted, self.path())
            found = self.engine.open(self.path())
            xarray.testing.assert_identical(found, wanted)
            self.assertEqual({name: one.dtype for name, one in found.variables.items()}, {name: one.dtype for name, one in wanted.variables.items()})
            xarray.testing.assert_identical(found.sel(time="2013-01-05", y=20.0).compute(), wanted.sel(time="2013-01-05", y=20.0).compute())
            xarray.testing.assert_allclose(found.temp.groupby("time.month").mean(), wanted.temp.groupby("time.month").mean())
            xarray.testing.assert_identical(found.isel(time=slice(3, 30, 4), x=[2, 0]).load(), wanted.isel(time=slice(3, 30, 4), x=[2, 0]).load())
            self.assertEqual(found.encoding["unlimited_dims"], {"time"})
            # Written back, the file has what xarray writes from the original.
            found.to_netcdf(self.path("out.nc"))
            wanted.to_netcdf(self.path("direct.nc"))
        with xarray.open_dataset(self.path("out.nc"), decode_cf=False) as out, xarray.open_dataset(self.path("direct.nc"), decode_cf=False) as direct:
            xarray.testing.assert_identical(out, direct)
            for name in direct.variables:
                self.assertEqual(out[name].dtype, direct[name].dtype)
                self.assertEqual({key: type(value) for key, value in out[name].attrs.items()}, {key: type(value) for key, value in direct[name].attrs.items()})

    def test_random_indexing(self):
        import numpy
        import xarray

        values = numpy.arange(23 * 7 * 5).reshape(23, 7, 5)
        self.engine.write(xarray.Dataset({"v": (("a", "b", "c"), values)}), self.path(), tiles={"a": 4, "b": 3, "c": 2})
        source = random.Random(5)
        lazy = self.engine.open(self.path()).v

        def part(extent):
            kind = source.randrange(6)
            if kind == 0:
                return source.randrange(-extent, extent)
            if kind == 1:
                return [source.randrange(-extent, extent) for _ in range(source.randrange(0, 6))]
            if kind == 2:
                return numpy.array([source.random() < 0.5 for _ in range(extent)])
            step = source.choice([None, 1, 2, -1, -2, 3, 11, -13])
            # xarray itself takes a start before the first element for the last one if the step is negative, with every backend.
            reach = 2 if step is None or step > 0 else 0
            bound = lambda: source.choice([None, source.randrange(-extent - reach, extent + reach)])  # noqa: E731
            chosen = slice(bound(), bound(), step)
            # Nor does xarray decompose slices of negative step without elements.
            return chosen if step is None or step > 0 or range(*chosen.indices(extent)) else slice(None, None, step)

        for _ in range(300):
            key = [part(extent) for extent in values.shape]
            with self.subTest(key=key):
                expected = values
                for axis, one in reversed(list(enumerate(key))):
                    expected = expected[(slice(None),) * axis + (numpy.asarray(one, dtype=None if len(one) else int) if isinstance(one, list) else one,)]
                numpy.testing.assert_array_equal(lazy.isel(dict(zip("abc", key))).values, expected)
        for wrong in [23, [0, 23]]:
            with self.subTest(wrong=wrong), self.assertRaises(IndexError):
                lazy.isel(a=wrong).load()
        points = xarray.DataArray([0, 22, 5], dims="p")
        numpy.testing.assert_array_equal(lazy.isel(a=points, b=points // 4).values, values[[0, 22, 5], [0, 5, 1]])

    def test_lazy(self):
        """Opening reads coordinates only, and a slice its tiles only: the others can be damaged."""
        import numpy
        import xarray

        self.engine.write(xarray.Dataset({"v": (("a",), numpy.arange(1 << 16))}), self.path(), tiles={"a": 1 << 10})
        found = self.engine.open(self.path(), config={"sm.chunk_cache_size": "0"})
        for file in Path(self.path("array"), "v").rglob("*.tdb"):
            if file.name.startswith("a0"):
                content = file.read_bytes()
                file.write_bytes(content[: len(content) // 2] + b"\xff" * (len(content) - len(content) // 2))
        self.assertEqual(found.v.isel(a=slice(10, 12)).values.tolist(), [10, 11])
        with self.assertRaises(Exception):
            found.v.load()

    def test_encodings_do_not_wrap_around(self):
        import numpy
        import xarray

        nan, day = float("nan"), numpy.array(["2000-01-01", "2200-01-01"], "M8[ns]")
        for at, (values, encoding) in enumerate(
            [
                ([1, 70_000], {"dtype": "int16"}),
                ([1.0, nan], {"dtype": "int16"}),
                ([0.1, 5000.0], {"dtype": "int16", "scale_factor": 0.1}),
                ([0.0, float("inf")], {"dtype": "int16", "scale_factor": 0.1, "_FillValue": -1}),
                ([1.0, -1.0], {"dtype": "int16", "_FillValue": -1}),
                (day, {"dtype": "int16", "units": "days since 2000-01-01"}),
            ]
        ):
            dataset = xarray.Dataset({"a": ("x", numpy.asarray(values))})
            dataset["a"].encoding = encoding
            with self.subTest(at=at), self.assertRaisesRegex(ValueError, "variable 'a' has .*, which its encoding as int"):
                self.engine.write(dataset, self.path(str(at)))
            self.assertFalse(tiledb_rs.exists(self.path(str(at))))
        for at, (values, encoding) in enumerate(
            [
                ([1, -32_768], {"dtype": "int16"}),
                ([1.04, nan, 3000.06], {"dtype": "int16", "scale_factor": 0.1, "_FillValue": -9999}),
                ([1.4, 2.6], {"dtype": "int8"}),
                (numpy.array([200, 255], "u1"), {"dtype": "int8", "_Unsigned": "true", "_FillValue": numpy.int8(1)}),
                (day[:1], {"dtype": "int16", "units": "days since 2000-01-01"}),
            ]
        ):
            dataset = xarray.Dataset({"a": ("x", numpy.asarray(values))})
            dataset["a"].encoding = encoding
            with self.subTest(good=at):
                self.engine.write(dataset, self.path(f"good {at}"), extendable={"x": 100})
                found = self.engine.open(self.path(f"good {at}"))["a"].values
                numpy.testing.assert_allclose(found.astype("f8"), numpy.asarray(values).astype("f8"), atol=0.5)
        scaled = self.path("good 1")
        self.engine.append(xarray.Dataset({"a": ("x", [7.0])}), scaled, "x")
        for value in (5000.0, float("inf")):
            with self.assertRaisesRegex(ValueError, "which its encoding as int16"):
                self.engine.append(xarray.Dataset({"a": ("x", [value])}), scaled, "x")
        self.assertEqual(self.engine.open(scaled).sizes["x"], 4)

    def test_appends_are_exact(self):
        import numpy
        import xarray

        def times(*texts):
            return numpy.array(texts, "M8[ns]")

        seconds, days = {"units": "seconds since 1970-01-01", "dtype": "f4"}, {"units": "days since 1970-01-01", "dtype": "f8"}
        for at, (first, encoding, second, message) in enumerate(
            [
                (numpy.array([1], "i2"), {"_FillValue": -1}, [3.5], "has 3.5, which"),
                (numpy.array([1], "i2"), {}, [3.5], "has 3.5, which"),
                (numpy.array([1], "i2"), {}, [numpy.nan], "has nan, which"),
                (numpy.array([1], "f4"), {}, [2**24 + 1], "has 16777217, which"),
                (numpy.array([1], "f8"), {}, [2**53 + 1], "has 9007199254740993, which"),
                (numpy.array([1.0]), {"_FillValue": -9999.0}, [-9999.0], "has -9999.0, which"),
                (numpy.array([1], "i2"), {"_FillValue": -9999}, [-9999], "has -9999, which"),
                (times("2000-01-01"), seconds, times("2020-01-01T01:02:03"), "has 2020-01-01T01:02:03"),
                (times("2000-01-01"), {}, numpy.array([1], "m8[ns]"), "and the array times"),
                (times("2000-01-01"), {}, [5], "and the array times"),
                (numpy.array([1], "m8[h]").astype("m8[ns]"), {}, [5], "and the array durations"),
                (numpy.array([1], "m8[h]").astype("m8[ns]"), {}, times("2000-01-01"), "and the array durations"),
                (numpy.array([1]), {}, times("2000-01-01"), "and the array numbers"),
                (numpy.array([1.0]), {}, [3], None),
                (numpy.array([1], "i2"), {}, [3.0], None),
                (numpy.array([1.0], "f4"), {}, [0.1], None),
                (numpy.array([1.0]), {"_FillValue": -9999.0}, [numpy.nan], None),
                (numpy.array([1.0]), {"missing_value": -99.0}, [numpy.nan], None),
                (numpy.array([1.0]), {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -99}, [2], None),
                (times("2000-01-01"), days, times("2020-01-01T01:02:03.000004"), None),
                (times("2000-01-01"), days, times("NaT"), None),
            ]
        ):
            path = self.path(str(at))
            self.engine.write(xarray.Dataset({"a": ("t", first, {}, encoding)}), path, extendable={"t": 9})
            later = xarray.Dataset({"a": ("t", numpy.asarray(second))})
            with self.subTest(at=at):
                if message is None:
                    self.engine.append(later, path, "t")
                    found = self.engine.open(path)["a"].values
                    tolerance = {"atol": 1e4} if found.dtype.kind == "M" else {}
                    numpy.testing.assert_allclose(found[1:].astype("f8"), later["a"].values.astype(found.dtype).astype("f8"), rtol=1e-7, **tolerance)
                    continue
                for write in (lambda: self.engine.append(later, path, "t"), lambda: self.engine.write(later, path, region={"t": slice(0, 1)})):
                    with self.assertRaisesRegex(ValueError, message):
                        write()
                numpy.testing.assert_array_equal(self.engine.open(path)["a"].values, first)

    def test_encoded_data_is_not_encoded_again(self):
        import numpy
        import xarray

        packed = {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -99}
        self.engine.write(xarray.Dataset({"a": ("t", [1.0, numpy.nan], {}, packed)}), self.path(), extendable={"t": 9})
        raw = self.engine.open(self.path(), mask_and_scale=False).load()
        self.engine.append(raw["a"], self.path(), "t")
        numpy.testing.assert_array_equal(self.engine.open(self.path())["a"].values, [1, numpy.nan] * 2)
        for attrs in ({"scale_factor": 0.25, "_FillValue": -99}, {"_FillValue": -99}, {"scale_factor": 0.5}):
            raw["a"].attrs = attrs
            with self.assertRaisesRegex(ValueError, "and the array otherwise"):
                self.engine.append(raw, self.path(), "t")

    def test_refused_regions_change_nothing(self):
        import numpy
        import xarray

        zeros = xarray.Dataset({name: ("t", numpy.zeros(1000, "i2")) for name in ("a", "b")})
        self.engine.write(zeros, self.path(), tiles={"t": 100})
        wrong = xarray.Dataset({"a": ("t", numpy.ones(1000, "i8")), "b": ("t", numpy.repeat([1, 40_000], [999, 1]))})
        with self.assertRaisesRegex(ValueError, "40000"):
            self.engine.write(wrong, self.path(), region={"t": slice(0, 1000)})
        found = self.engine.open(self.path())
        self.assertEqual((int(found["a"].sum()), int(found["b"].sum())), (0, 0))

    def test_bounds_of_times(self):
        import numpy
        import xarray

        for at, (calendar, dtype) in enumerate([("standard", "f8"), ("standard", "i4"), ("noleap", "f8")]):
            times = xarray.date_range("2000-01-01", periods=3, calendar=calendar, use_cftime=calendar != "standard")
            bounds = numpy.stack([times.values, times.values], axis=1)
            dataset = xarray.Dataset({"time_bnds": (("time", "nv"), bounds)}, {"time": ("time", times, {"bounds": "time_bnds"})})
            dataset["time"].encoding = {"units": "days since 1999-12-31", "dtype": dtype, "calendar": calendar}
            dataset.to_netcdf(self.path("bounds.nc"))
            with xarray.open_dataset(self.path("bounds.nc")) as opened:
                path = self.path(str(at))
                self.engine.write(opened, path, extendable={"time": 9})
                self.engine.append(opened, path, "time")
                self.engine.write(opened, path, region={"time": slice(0, 3)})
                raw = self.engine.open(path, decode_times=False).isel(time=slice(0, 3)).load()
                self.engine.write(raw, path, region={"time": slice(0, 3)})
                found = self.engine.open(path)
                numpy.testing.assert_array_equal(found["time_bnds"].values, numpy.concatenate([opened["time_bnds"].values] * 2))

    def test_many_small_variables_take_one_write_of_the_group(self):
        import numpy
        import xarray

        import tiledb_rs.xarray

        dataset = xarray.Dataset({f"v{at}": ("x", numpy.arange(10.0) + at, {"units": "m"}) for at in range(30)})
        dataset["time"] = ("x", numpy.arange(10).astype("M8[D]").astype("M8[ns]"))
        group = tiledb_rs.xarray.write(dataset, self.path())
        self.assertEqual([member.name for member in group.members], sorted(map(str, dataset.variables)))
        self.assertEqual(len(list((self.folder / "array" / "__group").iterdir())), 1)
        xarray.testing.assert_identical(tiledb_rs.xarray.open(self.path()).load(), dataset)
        # A variable that cannot be stored leaves nothing of the others.
        dataset["wrong"] = ("x", numpy.array([object()] * 10, dtype=object))
        with self.assertRaises((TypeError, ValueError)):
            tiledb_rs.xarray.write(dataset, self.path("failed"))
        self.assertFalse((self.folder / "failed").exists())

    def test_a_failed_write_leaves_no_group(self):
        import numpy
        import xarray

        folder = self.folder / "folder"
        folder.mkdir()
        (folder / "note").write_text("x")
        good = xarray.Dataset({"a": ("t", [1, 2])})
        with self.assertRaises(ValueError):
            self.engine.write(good.assign(b=("t", numpy.array(["a", "\ud800"]))), str(folder))
        self.assertEqual([one.name for one in folder.iterdir()], ["note"])
        (folder / "a").mkdir()
        (folder / "a" / "thesis.txt").write_text("a life's work")
        with self.assertRaises(ValueError):
            self.engine.write(good.assign(b=("t", numpy.array(["a", "\ud800"]))), str(folder))
        self.assertEqual((folder / "a" / "thesis.txt").read_text(), "a life's work")
        self.engine.write(good["a"].assign_coords(t=[5, 6])["t"], self.path("coordinate"))
        self.assertEqual(self.engine.open(self.path("coordinate"))["t"].values.tolist(), [5, 6])

    def test_characters_and_arguments(self):
        import numpy
        import xarray

        characters = xarray.Dataset({"a": ("t", numpy.array([b"a", b"b"], "S1"))})
        self.engine.write(characters, self.path("characters"))
        self.assertEqual(self.engine.open(self.path("characters"))["a"].values.tolist(), [b"a", b"b"])
        for options, error in (({"tiles": {"x": 1}}, KeyError), ({"extendable": {"t": 1 << 53}}, ValueError), ({"extendable": {"x": 5}}, KeyError)):
            with self.subTest(options=options), self.assertRaises(error):
                self.engine.write(characters, self.path("wrong"), **options)

    def test_appends_and_regions_keep_the_other_coordinates(self):
        import numpy
        import xarray

        def at(x, rows=2):
            return xarray.Dataset({"a": (("t", "x"), numpy.arange(rows * len(x)).reshape(rows, len(x)) + 0.0)}, {"x": x})

        self.engine.write(at([10, 20, 30]), self.path(), extendable={"t": 10})
        for wrong, message in ((at([30, 20, 10]), "coordinate 'x' is not that of the group"), (at([10, 20]), "dimension 'x' has 2 cells, and that of the group 3")):
            with self.assertRaisesRegex(ValueError, message):
                self.engine.append(wrong, self.path(), "t")
            with self.assertRaisesRegex(ValueError, message):
                self.engine.write(wrong, self.path(), region={"t": slice(0, 2)})
        with self.assertRaisesRegex(ValueError, "beyond its size 2"):
            self.engine.write(at([10, 20, 30]), self.path(), region={"t": slice(2, 4)})
        self.engine.append(at([10, 20, 30]), self.path(), "t")
        self.assertEqual(self.engine.open(self.path())["a"].shape, (4, 3))

    def test_a_failed_write_removes_nothing_that_was_there(self):
        import numpy
        import xarray

        wrong = xarray.Dataset({"a": ("x", numpy.array([300, 1]))})
        wrong["a"].encoding["dtype"] = "int8"
        array = tiledb_rs.from_numpy(self.path("array"), numpy.arange(3))
        for dataset in (wrong, xarray.Dataset({"a": ("x", [1])})):
            with self.assertRaisesRegex(ValueError, "there is an array at"):
                self.engine.write(dataset, array.uri)
        folder = self.folder / "folder"
        folder.mkdir()
        (folder / "thesis.txt").write_text("a life's work")
        self.engine.write(xarray.Dataset({"a": ("x", [1])}), str(folder / "inner"))
        with self.assertRaisesRegex(ValueError, "encoding"):
            self.engine.write(wrong, str(folder))
        self.assertEqual((array.reopen().count(), (folder / "thesis.txt").read_text()), (3, "a life's work"))
        self.assertEqual(self.engine.open(str(folder / "inner"))["a"].values.tolist(), [1])

    def test_good_encodings_are_written(self):
        import numpy
        import xarray

        times = xarray.date_range("2000-01-01", periods=3, use_cftime=True)
        lon = ("lon", [1.13, 2.27])
        for at, dataset in enumerate(
            [
                xarray.Dataset({"a": ("time", numpy.arange(3.0))}, {"time": times}),
                xarray.Dataset({"a": ("time", numpy.arange(3.0))}, {"time": xarray.date_range("2000-01-01", periods=3, calendar="noleap", use_cftime=True)}),
                xarray.Dataset({"a": ("x", numpy.array([1, -1], "i4"), {"units": "days since 2000-01-01", "_FillValue": numpy.int32(-1)})}),
                xarray.Dataset({"a": ("x", numpy.array([1, 2], "i4"), {"units": "months since 1900-01-01", "_FillValue": numpy.int32(-1)})}),
                xarray.Dataset({"a": ("x", [1.0, numpy.nan], {"units": "days"}, {"dtype": "int16", "_FillValue": -1})}),
                xarray.Dataset({"a": ("x", numpy.array([5, "NaT"], "m8[s]"))}),
                xarray.Dataset({"a": ("x", [True, False])}),
                xarray.Dataset({"a": ("x", [1.5, numpy.inf], {}, {"dtype": "float32"})}),
            ]
        ):
            with self.subTest(at=at):
                self.engine.write(dataset, self.path(f"good {at}"))
        static = xarray.Dataset({"a": (("t", "lon"), numpy.zeros((1, 2)))}, {"lon": lon})
        for at, encoding in enumerate(({"dtype": "int16", "scale_factor": 0.01}, {"dtype": "float32"}, {})):
            static["lon"].encoding = encoding
            with self.subTest(static=at):
                self.engine.write(static, self.path(f"static {at}"), extendable={"t": 9})
                self.engine.append(static, self.path(f"static {at}"), "t")
                with self.assertRaisesRegex(ValueError, "coordinate 'lon' is not that"):
                    self.engine.append(static.assign_coords(lon=[1.13, 3.0]), self.path(f"static {at}"), "t")
        large = xarray.Dataset({"a": ("x", [1e300], {}, {"dtype": "float32"})})
        with self.assertRaisesRegex(ValueError, "variable 'a' has 1e.300"):
            self.engine.write(large, self.path("large"))
        for region, error in (
            ({"tme": slice(0, 1)}, KeyError),
            ("auto", TypeError),
            ({"t": slice(1, None)}, None),
            ({"t": slice(2, None)}, ValueError),
            ({"t": slice(5, None)}, ValueError),
        ):
            with self.subTest(region=region):
                if error is None:
                    self.engine.write(static, self.path("static 2"), region=region)
                else:
                    self.assertRaises(error, self.engine.write, static, self.path("static 2"), region=region)

    def test_an_append_has_all_variables(self):
        import numpy
        import xarray

        first = xarray.Dataset({"a": ("t", numpy.arange(3)), "b": ("t", numpy.arange(3.0)), "c": ("x", numpy.arange(2))})
        self.engine.write(first, self.path(), extendable={"t": 10})
        with self.assertRaisesRegex(ValueError, "the dataset has no b, which would get fill values along 't'"):
            self.engine.append(first[["a"]], self.path(), "t")
        self.engine.append(first[["a", "b"]], self.path(), "t")
        self.assertEqual(self.engine.open(self.path())["b"].values.tolist(), [0, 1, 2, 0, 1, 2])

    def test_appends_and_regions(self):
        import numpy
        import xarray

        dataset = self.example(30)
        first, rest = dataset.isel(time=slice(0, 20)), dataset.isel(time=slice(20, 30))
        self.engine.write(first, self.path(), extendable={"time": 1000})
        old = self.engine.open(self.path())
        self.engine.append(rest, self.path(), "time")
        found = self.engine.open(self.path())
        self.assertEqual((old.sizes["time"], found.sizes["time"]), (20, 30))
        xarray.testing.assert_allclose(found.temp, dataset.temp, atol=0.0011)
        numpy.testing.assert_array_equal(found.time.values, dataset.time.values)
        changed = dataset.isel(time=slice(5, 7)).copy(deep=True)
        changed["temp"][:] = 1.0
        self.engine.write(changed[["temp"]].drop_vars(["y", "lat"]), self.path(), region={"time": slice(5, 7)})
        again = self.engine.open(self.path())
        self.assertEqual(float(again.temp.isel(time=slice(5, 7)).max()), 1.0)
        numpy.testing.assert_array_equal(again.temp.isel(time=7).values, found.temp.isel(time=7).values)
        for call, error in [
            (lambda: self.engine.append(rest, self.path(), "nothing"), KeyError),
            (lambda: self.engine.append(dataset.drop_dims("time"), self.path(), "time"), ValueError),
            (lambda: self.engine.append(self.example(990), self.path(), "time"), ValueError),
            (lambda: self.engine.write(changed, self.path(), region={"time": slice(5, 9)}), ValueError),
            (lambda: self.engine.write(changed.rename(temp="other"), self.path(), region={"time": slice(5, 7)}), KeyError),
        ]:
            with self.assertRaises(error):
                call()
        self.assertEqual(self.engine.open(self.path()).sizes["time"], 30)

    def test_cells_that_were_not_written(self):
        import numpy
        import xarray

        dataset = xarray.Dataset({"v": (("a",), numpy.array([1.5, 2.5]), {}, {"_FillValue": -1.0})})
        self.engine.write(dataset, self.path(), extendable={"a": 10})
        tiledb_rs.Group(self.path()).metadata["__tiledb_rs.sizes"] = '{"a": 4}'
        numpy.testing.assert_array_equal(self.engine.open(self.path()).v.values, [1.5, 2.5, numpy.nan, numpy.nan])
        # Sizes that lie do not lead beyond the array.
        tiledb_rs.Group(self.path()).metadata["__tiledb_rs.sizes"] = '{"a": 4000}'
        self.assertEqual(self.engine.open(self.path()).v.shape, (10,))
        for wrong in ["nonsense", "[1]", '{"a": "x"}']:
            tiledb_rs.Group(self.path()).metadata["__tiledb_rs.sizes"] = wrong
            with self.assertRaises((ValueError, AttributeError)):
                self.engine.open(self.path())

    def test_arrays_of_others(self):
        """A dense array that this module did not write: dates and numbers of dimensions are coordinates, nulls are missing."""
        import numpy

        schema = tiledb_rs.Schema(
            [
                tiledb_rs.Dimension("day", (numpy.datetime64("2020-01-01"), numpy.datetime64("2020-01-10")), tile=5),
                tiledb_rs.Dimension("month", (numpy.datetime64("1970-01-01"), numpy.datetime64("1970-01-04")), tile=2),
            ],
            [
                tiledb_rs.Attribute("t", "FLOAT32"),
                tiledb_rs.Attribute("n", "INT16", nullable=True),
                tiledb_rs.Attribute("s", str, nullable=True),
                tiledb_rs.Attribute("c", "INT8", enumeration=tiledb_rs.Enumeration("colors", ["red", "blue"])),
            ],
        )
        array = tiledb_rs.create(self.path(), schema)
        array.write({"t": numpy.arange(40, dtype="f4"), "n": [None, 1] * 20, "s": ["x", None] * 20, "c": ["red", "blue"] * 20})
        array.metadata["title"] = "days"
        array.metadata["__tiledb_attr.t.units"] = "K"
        found = self.engine.open(array.uri)
        self.assertEqual((dict(found.sizes), found.attrs, found.t.attrs), ({"day": 10, "month": 4}, {"title": "days"}, {"units": "K"}))
        self.assertEqual(found.t.sel(day="2020-01-03", month="1970-01-02").item(), 9.0)
        self.assertEqual(str(found.month.values[-1])[:10], "1970-01-04")
        self.assertTrue(numpy.isnan(found.n.values[0, 0]) and found.n.values[0, 1] == 1)
        self.assertEqual(found.s.values[0, :2].tolist(), ["x", None])
        self.assertEqual(found.c.values[0, :2].tolist(), ["red", "blue"])
        past = array.timestamp_range[1]
        array.write({"t": numpy.zeros(40, "f4"), "n": [1] * 40, "s": ["y"] * 40, "c": ["red"] * 40}, at=past + 10)
        self.assertEqual(self.engine.open(array.uri, at=past).t.sel(day="2020-01-03", month="1970-01-02").item(), 9.0)
        shifted = tiledb_rs.create(self.path("shifted"), tiledb_rs.Schema([tiledb_rs.Dimension("depth", (-2, 1), tile=2)], [tiledb_rs.Attribute("v", "INT8")]))
        shifted.write({"v": [1, 2, 3, 4]})
        self.assertEqual(self.engine.open(shifted.uri).v.sel(depth=[-1, 1]).values.tolist(), [2, 4])
        with self.assertRaisesRegex(ValueError, "sparse"):
            self.engine.open(self.sparse("sparse").uri)
        with self.assertRaises(FileNotFoundError):
            self.engine.open(self.path("nothing"))

    def test_awkward_datasets(self):
        import numpy
        import xarray

        dataset = xarray.Dataset(
            {
                "a/b": (("x",), numpy.arange(3)),
                "..": (("x",), numpy.zeros(3, "f4")),
                "it's ä": (("x",), numpy.arange(3, dtype="u8") + numpy.uint64((1 << 64) - 4)),
                "bytes": (("x",), numpy.array([b"ab", b"c", b""])),
                "none": (("empty",), numpy.zeros(0)),
                "both": (("x", "empty"), numpy.zeros((3, 0), "i4")),
                "nan": (("x",), numpy.array([numpy.nan, numpy.inf, -0.0])),
            },
            attrs={"": "no name", "nested": {"a": [1, {"b": None}]}, "empty": "", "bytes": b"\0\xff"},
        )
        self.engine.write(dataset, self.path())
        found = self.engine.open(self.path(), decode_cf=False) if False else self.engine.open(self.path())
        for name in dataset.variables:
            numpy.testing.assert_array_equal(found[name].values, dataset[name].values, str(name))
            self.assertEqual(found[name].dtype, dataset[name].dtype, name)
        self.assertEqual(found.attrs["nested"], {"a": [1, {"b": None}]})
        for wrong, error in [
            (xarray.Dataset({"c": (("x",), numpy.zeros(2, "c16"))}), TypeError),
            (xarray.Dataset({"o": (("x",), numpy.array([object(), 1], object))}), Exception),
            ("nothing", TypeError),
            (xarray.Dataset({"h": (("x",), numpy.zeros(2, "f2"))}), TypeError),
        ]:
            with self.assertRaises(error):
                self.engine.write(wrong, self.path("wrong"))
        with self.assertRaises(tiledb_rs.TileDBError):
            self.engine.write(dataset, self.path())

    def test_pickles_and_threads(self):
        import numpy
        import xarray

        self.engine.write(xarray.Dataset({"v": (("a",), numpy.arange(1000))}), self.path())
        lazy = self.engine.open(self.path(), config={"vfs.s3.aws_secret_access_key": "hidden"}).v
        content = pickle.dumps(lazy.variable._data)
        self.assertNotIn(b"hidden", content)
        self.assertEqual(int(numpy.asarray(pickle.loads(content)).sum()), 499_500)
        found = []
        threads = [threading.Thread(target=lambda at=at: found.append(int(lazy.isel(a=slice(at, None, 8)).sum()))) for at in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sum(found), 499_500)

    def test_entry_point(self):
        """As in an installed wheel, xarray finds the engine by its name, and by the folder."""
        declared = re.search(r'\[project\.entry-points\."xarray\.backends"\]\n(.*\n)', (PACKAGE / "pyproject.toml").read_text()).group(1).replace('"', "")
        info = self.folder / "site" / "tiledb_rs-0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiledb-rs\nVersion: 0\n")
        (info / "entry_points.txt").write_text(f"[xarray.backends]\n{declared}")
        program = textwrap.dedent(f"""
            import numpy, xarray, tiledb_rs.xarray
            tiledb_rs.xarray.write(xarray.Dataset({{"v": (("a",), numpy.arange(5))}}), {self.path()!r})
            print(int(xarray.open_dataset({self.path()!r}, engine="tiledb_rs").v.sum()), int(xarray.open_dataset({self.path()!r}).v.sum()))
        """)
        path = os.pathsep.join([str(info.parent), str(Path(tiledb_rs.__file__).parents[1])])
        run = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
        self.assertEqual(run.stdout.split(), ["10", "10"], run.stderr)


if __name__ == "__main__":
    unittest.main()
