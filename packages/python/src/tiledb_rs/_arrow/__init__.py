"""Cells between buffers of the library and Arrow, NumPy, pandas and polars."""
