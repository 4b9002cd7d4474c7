"""Reads arrays with libtiledb: one path per line of the input, one line of JSON per array: coordinates and numbers of all cells, or an
error."""

import json
import sys

import numpy as np
import tiledb


def cells(path):
    with tiledb.open(path) as array:
        dimensions = [array.schema.domain.dim(at) for at in range(array.schema.domain.ndim)]
        found = array.query(attrs=["number", "text"])[:]
        numbers = found["number"]
        if array.schema.sparse:
            coordinates = [found[dimension.name] for dimension in dimensions]
        else:
            coordinates = [axis.ravel() for axis in np.indices(numbers.shape)]
            numbers = numbers.ravel()
        if len(coordinates) == 1:
            coordinates.append(np.zeros_like(numbers))
        return [[int(x), int(y), int(number)] for x, y, number in zip(*coordinates, numbers)]


for line in sys.stdin:
    try:
        result = {"cells": cells(line.rstrip("\n"))}
    except Exception as error:  # whatever it is, it is the result
        result = {"error": str(error)}
    print(json.dumps(result), flush=True)
