"""xarray on dense arrays: from NetCDF to a group of arrays, sliced lazily, extended, and back."""
import numpy
import pandas
import xarray

import tiledb_rs.xarray

times = pandas.date_range("2013-01-01", periods=60)
weather = xarray.Dataset(
    {"temp": (("time", "station"), numpy.arange(180.0).reshape(60, 3), {"units": "degC"})},
    coords={"time": times, "station": ["JFK", "EWR", "LGA"]}, attrs={"title": "Weather in New York"},
)
weather.to_netcdf("weather.nc")

with xarray.open_dataset("weather.nc") as dataset:
    tiledb_rs.xarray.write(dataset, "weather", extendable={"time": 10_000})

weather = tiledb_rs.xarray.open("weather")
january = weather.temp.sel(time="2013-01", station="EWR").mean()
print(float(january))
print(weather.temp.groupby("time.month").mean().values)

later = weather.isel(time=slice(0, 2)).assign_coords(time=pandas.date_range("2013-03-02", periods=2))
tiledb_rs.xarray.append(later, "weather", "time")
print(tiledb_rs.xarray.open("weather").sizes)

tiledb_rs.xarray.open("weather").to_netcdf("again.nc")
