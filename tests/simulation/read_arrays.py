"""Reads arrays with libtiledb: one path, key and JSON of options per line of the input, separated by tabs. One line of JSON per array: of
all cells the coordinates (numbers of places in dense arrays) and the values of attributes, in hexadecimal digits, or an error.

Options: `names` of attributes instead of the first four, `window` of timestamps, `condition` as TileDB-Py takes it."""

import json
import sys

import numpy as np
import tiledb

NAMES = ["number", "small", "text", "nullable"]


def digits(value):
    if value is None or value is np.ma.masked:
        return None
    if isinstance(value, str):
        value = value.encode()
    return (value if isinstance(value, bytes) else np.asarray(value).tobytes()).hex()


def cells(path, key, options):
    config = {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": key} if key else {}
    names = options.get("names", NAMES)
    window = options.get("window")
    with tiledb.open(path, ctx=tiledb.Ctx(config), timestamp=window and tuple(window)) as array:
        dimensions = [array.schema.domain.dim(at) for at in range(array.schema.domain.ndim)]
        order = "U" if array.schema.sparse else "C"
        result = array.query(attrs=names, cond=options.get("condition"), order=order)[:]
        columns = [result[name] for name in names]
        if array.schema.sparse:
            coordinates = [[digits(at) for at in result[dimension.name]] for dimension in dimensions]
        else:
            coordinates = [[int(at) for at in axis.ravel()] for axis in np.indices(columns[0].shape)]
            columns = [column.ravel() for column in columns]
        values = [[digits(value) for value in column] for column in columns]
        return list(zip(*coordinates, *values))


for line in sys.stdin:
    try:
        path, key, options = line.rstrip("\n").split("\t")
        result = {"cells": cells(path, key, json.loads(options))}
    except Exception as error:  # whatever it is, it is the result
        result = {"error": str(error)}
    print(json.dumps(result), flush=True)
