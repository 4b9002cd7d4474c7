"""What programs do with HDF5, Zarr, NetCDF, NumPy, pandas and Parquet, done with arrays."""
import h5py
import numpy
import pandas
import pyarrow
import pyarrow.parquet
import xarray
import zarr

import tiledb_rs
import tiledb_rs.convert
import tiledb_rs.polars
import tiledb_rs.xarray

# HDF5
with h5py.File("run.h5", "w") as file:
    data = file.create_group("detector").create_dataset("image", data=numpy.arange(1_000_000).reshape(1000, 1000), chunks=(100, 100))
    data.attrs["exposure"] = 0.5

tiledb_rs.convert.from_file("run.h5", "run")
image = tiledb_rs.Group("run")["detector"]["image"]
corner = image[0:10, 0:10]
exposure = image.metadata["exposure"]
image[0:10, 0:10] = numpy.zeros((10, 10), dtype="i8")
print(corner.sum(), exposure, image[0:10, 0:10].sum())

tiledb_rs.convert.to_file("run", "copy.h5")

# Zarr
group = zarr.open_group("sea.zarr", mode="w")
group.create_array("level", data=numpy.arange(12.0).reshape(3, 4), dimension_names=["y", "x"])

tiledb_rs.convert.from_file("sea.zarr", "sea")
level = tiledb_rs.Group("sea")["level"]
print(level.read(ranges={"y": 1, "x": slice(0, 2)}).to_numpy())

# NetCDF
xarray.Dataset({"temp": ("time", [1.0, 2.0])}, coords={"time": pandas.date_range("2020-01-01", periods=2)}).to_netcdf("air.nc")

tiledb_rs.convert.from_file("air.nc", "air")
air = tiledb_rs.xarray.open("air")
print(float(air.temp.sel(time="2020-01-02")))

tiledb_rs.convert.to_file("air", "air_copy.nc")

# NumPy
grid = numpy.random.default_rng(1).uniform(size=(200, 300))
numpy.save("grid.npy", grid)

array = tiledb_rs.from_numpy("grid", grid, dimensions=["row", "column"])
part = array[50:60, 100]
array[50:60, 100] = numpy.zeros(10)
print(part.shape, array[50:60, 100].sum())

tiledb_rs.convert.to_file("grid", "grid_copy.npy")

# pandas
frame = pandas.DataFrame({"city": ["Oslo", "Rome", "Oslo"], "year": [2020, 2020, 2021], "rain": [763.0, None, 810.0]})

rain = tiledb_rs.from_pandas("rain", frame, index=["city", "year"])
oslo = rain.read(ranges={"city": "Oslo"}, where="rain > 800").to_pandas(index=True)
rain.write(pandas.DataFrame({"city": ["Rome"], "year": [2021], "rain": [590.0]}))
print(oslo, rain.count())

# Parquet
pyarrow.parquet.write_table(pyarrow.table({"origin": ["JFK", "EWR", "JFK"], "minute": [317, 333, 342], "carrier": ["UA", "UA", "AA"], "delay": [2, None, 4]}), "flights.parquet")

tiledb_rs.convert.from_file("flights.parquet", "flights", index=["origin", "minute"], categories=["carrier"])
late = tiledb_rs.polars.scan("flights").filter(origin="JFK").collect()
print(late.height)

tiledb_rs.convert.to_file("flights", "late.parquet", where="delay > 2")
