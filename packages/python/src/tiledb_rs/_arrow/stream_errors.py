"""Exceptions of the program in a stream that feeds a write: Arrow hands them on as texts."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Iterator, List

from .._native.errors import TileDBError
from .._native.interrupts import code_of_the_program


@contextlib.contextmanager
def original_errors(data: Any) -> Iterator[Any]:
    """The data for a write, and in the block instead of an error of the library the exception of the reader's own code, such as Ctrl-C."""
    errors: List[BaseException] = []
    try:
        yield _watched(data, errors)
    except TileDBError as error:
        if errors:
            raise errors[0] from None
        if "Python exception: " in str(error) and "KeyboardInterrupt" in str(error):
            # It came before any code of this module ran.
            raise KeyboardInterrupt from error
        raise


def _watched(data: Any, errors: List[BaseException]) -> Any:
    """A reader of pyarrow with notes of its exceptions; other data as it is."""
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None or not isinstance(data, pyarrow.RecordBatchReader):
        return data

    def batches() -> Iterator[Any]:
        try:
            source = iter(data)
            while True:
                with code_of_the_program():
                    batch = next(source, None)
                if batch is None:
                    return
                yield batch
        except GeneratorExit:
            raise
        except BaseException as error:
            errors.append(error)
            raise

    return pyarrow.RecordBatchReader.from_batches(data.schema, batches())


__all__ = ["original_errors"]
