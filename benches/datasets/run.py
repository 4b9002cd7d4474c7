#!/usr/bin/env python3
"""Compares recommended schemas with the default one and with random ones, on ten public data sets.

usage: run.py LIBRARY PACKAGES FOLDER TABLE [NAME...]

LIBRARY is libtiledb_rs.so, PACKAGES the folder of downloaded packages, FOLDER where arrays are written, best in memory; TABLE is the
Markdown file that is written, beside it a file of JSON with all figures. NAMEs select data sets. RANDOM (200), FINALISTS (20) and
SAMPLE (60,000 cells) may be set.

For each objective of the library: bytes for `small`; the time to read the files at 500 MB/s and the processor time of a scan for
`fast`; the same at 200 MB/s for `balanced`. Random schemas are measured with a sample of consecutive cells first, and the best of each
objective with all; those of the table are then measured in turn."""

import json
import os
import pathlib
import shutil
import sys

import numpy

import data
import schemas
from engine import GE, OBJECTIVES, READ, ROW_MAJOR, UNORDERED, WRITE, Engine, packed, pointer, processor_time

RANDOM, FINALISTS, SAMPLE = (int(os.environ.get(name, value)) for name, value in (("RANDOM", 200), ("FINALISTS", 20), ("SAMPLE", 60_000)))
PROPERTIES = "capacity,tile_extents,cell_order,array_type,enumerations"
# Seconds to read a byte.
READ_BYTE = {"fast": 1 / 500e6, "balanced": 1 / 200e6}
REPETITIONS, SLICES, SLICE_CELLS, SEED = 5, 8, 1000, 2030


class Bench:
    def __init__(self, library, folder):
        self.engine, self.folder = Engine(library), folder

    def columns(self, array, dataset, is_dense):
        """The values of attributes and of dimensions that an array stores, and how they are read."""
        written, read = {}, {}
        everything = dict(dataset.attributes) if is_dense else {**dataset.dimensions, **dataset.attributes}
        for name, values in everything.items():
            starts = None
            if data.is_text(values):
                enumeration = self.engine.enumeration(array, name)
                if enumeration is None:
                    starts, values = packed(values.tolist())
                else:
                    codes = {value: code for code, value in enumerate(enumeration)}
                    values = numpy.array([codes[value] for value in values.tolist()], self.engine.datatype(array, name))
            written[name] = (values, starts, None)
            read[name] = (numpy.empty_like(values), None if starts is None else numpy.empty_like(starts), None)
        return written, read

    def write(self, uri, dataset):
        """Writes all cells to an array that was created."""
        engine = self.engine
        array = engine.open(uri, READ)
        is_dense = engine.is_dense(array)
        for name, values in dataset.attributes.items():
            enumeration = engine.enumeration(array, name) if data.is_text(values) else None
            more = sorted(set(values.tolist()) - set(enumeration or ())) if enumeration is not None else None
            if more:
                engine.extend(uri, name, more)
        engine.close(array)
        if is_dense and not dataset.dense:
            dataset = filled(dataset)
        array = engine.open(uri, WRITE)
        written, read = self.columns(array, dataset, is_dense)
        layout = ROW_MAJOR if is_dense else UNORDERED
        box = [(int(values.min()), int(values.max()), values.dtype) for values in dataset.dimensions.values()] if is_dense else ()
        engine.submit(array, WRITE, layout, written, box)
        engine.close(array)
        return read, is_dense

    def create(self, name, schema, dataset):
        """Writes an array; returns what measures it, and its size and kind. None if the schema does not accept the cells."""
        uri = str(self.folder / name)
        shutil.rmtree(uri, ignore_errors=True)
        try:
            self.engine.create(uri, schema if not isinstance(schema, dict) else self.engine.schema(schema))
            read, is_dense = self.write(uri, dataset)
        except RuntimeError as error:
            self.error = str(error)
            return None
        size = sum(path.stat().st_size for path in pathlib.Path(uri).rglob("*") if path.is_file())
        boxes = slices(dataset)
        name, values = dataset.condition, dataset.attributes[dataset.condition]
        value = (name, GE, numpy.nanpercentile(values, 99, method="nearest").astype(values.dtype).tobytes())
        work = {"scan": lambda: self.query(uri, read, is_dense),
                "slice": lambda: [self.query(uri, read, is_dense, box) for box in boxes],
                "condition": lambda: self.query(uri, read, is_dense, (), value)}
        return work, {"bytes": size, "kind": self.engine.describe(uri)}

    def measure(self, schema, dataset, repetitions=REPETITIONS):
        """Size and processor time of a scan with a schema; None if it does not accept the cells."""
        created = self.create("array", schema, dataset)
        return created and created[1] | {"scan": self.best(created[0]["scan"], repetitions)}

    def alternately(self, named, dataset):
        """Sizes and processor times of arrays with schemas, measured in turn."""
        created = {name: self.create(name, schema, dataset) for name, schema in named.items()}
        if None in created.values():
            raise RuntimeError(f"{dataset.name}: {self.error}")
        for _ in range(2 * REPETITIONS):
            for work, found in created.values():
                for name, one in work.items():
                    time = self.best(one, 1) / (SLICES if name == "slice" else 1)
                    found[name] = min(time, found.get(name, time))
        return {name: found for name, (_, found) in created.items()}

    def best(self, work, repetitions):
        times = []
        for _ in range(repetitions):
            self.engine.new_context()
            times.append(processor_time(work)[0])
        return min(times)

    def query(self, uri, read, is_dense, box=(), condition=None):
        if box:
            self.engine.new_context()
        array = self.engine.open(uri, READ)
        if is_dense and not box:
            box = self.whole
        self.engine.submit(array, READ, ROW_MAJOR if is_dense else UNORDERED, read, box, condition)
        self.engine.close(array)

    def advised(self, dataset, objective):
        """The recommended schema, the processor time of the recommendation, and that of the import before it."""
        uri = str(self.folder / "default")
        shutil.rmtree(uri, ignore_errors=True)
        self.engine.create(uri, self.engine.schema(schemas.default(dataset)))
        written = processor_time(lambda: self.write(uri, dataset))[0]
        self.engine.new_context()
        advice, schema = processor_time(lambda: self.engine.advise(uri, objective, PROPERTIES))
        return schema, advice, written


def filled(dataset):
    """The cells of a sparse data set as a dense one: cells that are not there have a value of their own."""
    lows = [int(values.min()) for values in dataset.dimensions.values()]
    sides = schemas.box(dataset)
    position = numpy.zeros(dataset.cells, "int64")
    for values, low, side in zip(dataset.dimensions.values(), lows, sides):
        position = position * side + (values.astype("int64") - low)
    cells = int(numpy.prod(sides))
    full = object.__new__(data.Dataset)
    full.__dict__.update(dataset.__dict__)
    full.dense, full.cells, full.attributes = True, cells, {}
    for name, values in dataset.attributes.items():
        fill = b"" if data.is_text(values) else (numpy.nan if values.dtype.kind == "f" else numpy.iinfo(values.dtype).min)
        column = numpy.full(cells, fill, values.dtype)
        column[position] = values
        full.attributes[name] = column
    return full


def slices(dataset):
    """Boxes of about SLICE_CELLS cells around cells that are spread over a data set."""
    types = [values.dtype for values in dataset.dimensions.values()]
    if dataset.dense:
        sides = schemas.box(dataset)
        lengths, boxes = schemas.cube(sides, SLICE_CELLS), []
        for number in range(SLICES):
            lows = [int(values.min()) + int((side - length) * ((number * 0.618 + axis * 0.37) % 1.0))
                    for axis, (values, side, length) in enumerate(zip(dataset.dimensions.values(), sides, lengths))]
            boxes.append([(low, low + length - 1, kind) for low, length, kind in zip(lows, lengths, types)])
        return boxes
    sorted_values = [numpy.sort(values) for values in dataset.dimensions.values()]
    boxes = []
    for number in range(SLICES):
        cell = dataset.cells * (2 * number + 1) // (2 * SLICES)
        center = [values[cell] for values in dataset.dimensions.values()]
        low_share, high_share = 0.0, 1.0
        for _ in range(16):
            share = (low_share + high_share) / 2
            box = around(sorted_values, center, share)
            count = numpy.ones(dataset.cells, bool)
            for values, (low, high) in zip(dataset.dimensions.values(), box):
                count &= (values >= low) & (values <= high)
            low_share, high_share = (share, high_share) if count.sum() < SLICE_CELLS else (low_share, share)
        boxes.append([(low, high, kind) for (low, high), kind in zip(around(sorted_values, center, high_share), types)])
    return boxes


def around(sorted_values, center, share):
    box = []
    for values, at in zip(sorted_values, center):
        half = int(share * len(values))
        low, high = numpy.searchsorted(values, at, "left") - half, numpy.searchsorted(values, at, "right") - 1 + half
        box.append((values[max(0, low)], values[min(len(values) - 1, high)]))
    return box


def cost(found, objective):
    if objective == "small":
        return found["bytes"]
    return found["bytes"] * READ_BYTE[objective] + found["scan"]


def sample(dataset):
    """Consecutive cells along the first dimension."""
    if dataset.cells <= SAMPLE:
        return dataset
    first = next(iter(dataset.dimensions.values()))
    bounds = numpy.sort(first)[[dataset.cells // 3, min(dataset.cells - 1, dataset.cells // 3 + SAMPLE)]]
    return dataset.part(numpy.flatnonzero((first >= bounds[0]) & (first <= bounds[1])))


def run(bench, dataset):
    whole = lambda one: [(int(values.min()), int(values.max()), values.dtype) for values in one.dimensions.values()]
    bench.whole = whole(dataset)
    named, advice = {"default": schemas.default(dataset)}, {}
    for objective in OBJECTIVES:
        named[f"advised, {objective}"], *advice[objective] = bench.advised(dataset, objective)
    random = schemas.Random(dataset, SEED)
    few, drawn = sample(dataset), [random.schema() for _ in range(RANDOM)]
    bench.whole = whole(few)
    ranked = [(found, schema) for schema in drawn if (found := bench.measure(fitted(schema, few), few, 2))]
    bench.whole = whole(dataset)
    measured = {}
    for objective in OBJECTIVES:
        ranked.sort(key=lambda one: cost(one[0], objective))
        for _, schema in ranked[:FINALISTS]:
            if id(schema) not in measured and (found := bench.measure(schema, dataset)):
                measured[id(schema)] = found, schema
    for objective in OBJECTIVES:
        named[f"random, {objective}"] = min(measured.values(), key=lambda one: cost(one[0], objective))[1]
    return {"name": dataset.name, "source": dataset.source, "cells": dataset.cells, "raw": dataset.raw_bytes(), "random": len(ranked),
            "advice": advice, "schemas": {name: schemas.text(schema) for name, schema in named.items() if isinstance(schema, dict)},
            "found": bench.alternately(named, dataset)}


def fitted(schema, dataset):
    """A schema with the domain of a sample."""
    dimensions = []
    for one, values in zip(schema["dimensions"], dataset.dimensions.values()):
        low, high = int(values.min()), int(values.max())
        dimensions.append(one | {"domain": [low, high], "extent": min(one["extent"], high - low + 1)})
    return schema | {"dimensions": dimensions}


def rows(results):
    """A table of costs, a line for each data set and objective, and one of all figures."""
    yield "| data set | cells | objective | default | best random | advised | advised / random |"
    yield "|---|--:|---|--:|--:|--:|--:|"
    for one in results:
        for objective in OBJECTIVES:
            named = (one["found"][name] for name in ("default", f"random, {objective}", f"advised, {objective}"))
            default, random, advised = (cost(found, objective) for found in named)
            unit = (lambda value: f"{value:,.0f} B") if objective == "small" else (lambda value: f"{value * 1e3:.2f} ms")
            yield (f"| {one['name']} | {one['cells']:,} | `{objective}` | {unit(default)} | {unit(random)} | {unit(advised)} "
                   f"| {advised / random:.2f} |")
    yield ""
    yield "| data set | schema | size | scan | slice | condition |"
    yield "|---|---|--:|--:|--:|--:|"
    for one in results:
        for name, found in one["found"].items():
            yield (f"| {one['name']} | {name}, {found['kind']} | {found['bytes']:,} | {found['scan'] * 1e3:.2f} ms "
                   f"| {found['slice'] * 1e3:.2f} ms | {found['condition'] * 1e3:.2f} ms |")


def main(library, packages, folder, table, *names):
    folder = pathlib.Path(folder) / f"datasets-{os.getpid()}"
    folder.mkdir()
    bench, results = Bench(library, folder), []
    try:
        for load in data.ALL:
            if names and load.__name__ not in names:
                continue
            dataset = load(pathlib.Path(packages))
            results.append(run(bench, dataset))
            for line in list(rows(results[-1:])):
                print(line, flush=True)
            pathlib.Path(table).write_text("\n".join(rows(results)) + "\n")
            pathlib.Path(table).with_suffix(".json").write_text(json.dumps(results, indent=1))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
