"""What of a file with a tree of groups is converted, and what of it is refused."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterable, Iterator, Union

# Bytes of a dataset above which those that are stored have to be at least this part of it; compressed zeros are a thousandth.
_LARGE, _LARGEST_RATIO = 1 << 32, 10_000


class Selection:
    """What of a tree is converted: all but what is excluded, by name or path, without the slash that begins it.

    With ``external``, data of other files that a file names is read, too; with ``unallocated``, arrays of which next to nothing is stored.
    """

    def __init__(self, exclude: Union[str, Iterable[str]] = (), external: bool = False, unallocated: bool = False):
        self.external, self.unallocated = external, unallocated
        self.paths = {one.strip("/") for one in ([exclude] if isinstance(exclude, str) else exclude)}
        self.unused = set(self.paths)

    def excludes(self, path: str) -> bool:
        """Whether a path is excluded."""
        self.unused.discard(path)
        return path in self.paths

    def check(self) -> None:
        """Refuses names that there are not."""
        if self.unused:
            raise KeyError(f"exclude names {', '.join(sorted(self.unused))}, which the file has not")


_OPTIONS = {"npz": ("exclude",), "mat": ("exclude",), "zarr": ("exclude", "unallocated")}


def selection_of(kind: str, options: Dict[str, Any]) -> Selection:
    """What is converted, by the options of a call, from which it is taken."""
    names = _OPTIONS.get(kind, ("exclude", "external", "unallocated") if kind in ("hdf5", "netcdf") else ())
    return Selection(**{name: options.pop(name) for name in names if name in options})


@contextlib.contextmanager
def naming(subject: str, path: str) -> Iterator[None]:
    """Names what cannot be converted in an error, and how it is left out."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{subject}: {error}; exclude={[path]!r} leaves it out") from error


def check_size(data: Any, unallocated: bool) -> None:
    """Refuses a large dataset of HDF5 or array of Zarr of which next to nothing is stored: its fill values would be written for hours."""
    if unallocated or not data.shape:
        return
    size = product(data.shape) * max(data.dtype.itemsize, 1)
    if size <= _LARGE:
        return
    stored = data.id.get_storage_size() if hasattr(data, "id") and hasattr(data.id, "get_storage_size") else data.nbytes_stored
    stored = stored() if callable(stored) else stored
    if stored < size // _LARGEST_RATIO:
        raise ValueError(f"it has {size} bytes, of which {stored} are stored; unallocated=True writes the others as fill values")


def product(numbers: Any) -> int:
    """The product of the extents of a shape."""
    found = 1
    for number in numbers:
        found *= int(number)
    return found


__all__ = ["Selection", "check_size", "naming", "product", "selection_of"]
