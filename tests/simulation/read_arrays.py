"""Reads arrays with libtiledb: one path and key per line of the input, separated by a tab. One line of JSON per array: of all cells the
coordinates (numbers of places in dense arrays) and the values of the first four attributes, in hexadecimal digits, or an error."""

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


def cells(path, key):
    config = {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": key} if key else {}
    with tiledb.open(path, ctx=tiledb.Ctx(config)) as array:
        dimensions = [array.schema.domain.dim(at) for at in range(array.schema.domain.ndim)]
        result = array.query(attrs=NAMES)[:]
        columns = [result[name] for name in NAMES]
        if array.schema.sparse:
            coordinates = [[digits(at) for at in result[dimension.name]] for dimension in dimensions]
        else:
            coordinates = [[int(at) for at in axis.ravel()] for axis in np.indices(columns[0].shape)]
            columns = [column.ravel() for column in columns]
        values = [[digits(value) for value in column] for column in columns]
        return list(zip(*coordinates, *values))


for line in sys.stdin:
    try:
        result = {"cells": cells(*line.rstrip("\n").split("\t"))}
    except Exception as error:  # whatever it is, it is the result
        result = {"error": str(error)}
    print(json.dumps(result), flush=True)
