"""TileDB-Vector-Search, which knows nothing of the library beneath: indexes of vectors, and the nearest of some; see
docs/languages.md."""

import numpy
from tiledb.vector_search.ingestion import ingest

vectors = numpy.random.default_rng(5).random((1000, 16), dtype=numpy.float32)
for kind, how in (("FLAT", {}), ("IVF_FLAT", {"nprobe": 10})):
    index = ingest(index_type=kind, index_uri=f"quickstart_{kind}", input_vectors=vectors, partitions=10)
    distances, ids = index.query(vectors[[17, 400, 999]], k=3, **how)
    for of, near in zip(ids, distances):
        print(kind, *(f"{number}: {distance:.3f}" for number, distance in zip(of, near)))
