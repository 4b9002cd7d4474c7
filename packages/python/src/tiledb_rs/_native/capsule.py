"""Arrow PyCapsules: streams and schemas for other packages, and those of other packages for a write.

A capsule of this package has no destructor. Python calls the destructor of a capsule also while an exception is propagating, when a
function that was given the capsule fails; a destructor written in Python would replace that exception. Instead each capsule stays in
a registry, and its struct is released when nobody else refers to the capsule: at the next export, and when a result is deleted.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from ctypes import c_char_p, c_int, c_void_p, py_object, pythonapi
from typing import Any, List, Tuple

from .arrow_struct import ArrowArray, ArrowArrayStream, ArrowSchema, release

STREAM, SCHEMA, ARRAY = b"arrow_array_stream", b"arrow_schema", b"arrow_array"
_KINDS = {STREAM: ArrowArrayStream, SCHEMA: ArrowSchema, ARRAY: ArrowArray}

_new = ctypes.PYFUNCTYPE(py_object, c_void_p, c_void_p, c_void_p)(("PyCapsule_New", pythonapi))
_is_valid = ctypes.PYFUNCTYPE(c_int, py_object, c_char_p)(("PyCapsule_IsValid", pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))
_retain = ctypes.PYFUNCTYPE(None, py_object)(("Py_IncRef", pythonapi))
_forget = ctypes.PYFUNCTYPE(None, py_object)(("Py_DecRef", pythonapi))

# Capsules point to their names: these are never freed, nor are structs of capsules that live when the interpreter exits.
_names = {name: ctypes.create_string_buffer(name) for name in _KINDS}
for _name in _names.values():
    _retain(_name)

Exported = List[Any]
_registry: List[Exported] = []
_lock = threading.Lock()


def _references(exported: Exported) -> int:
    return sys.getrefcount(exported[0])


# The number of references to an object that only the registry has.
_ALONE = _references([object(), None])


def export(raw: Any, name: bytes) -> Any:
    """A capsule with a struct, which is released as described above unless the consumer moves it out."""
    sweep()
    capsule = _new(ctypes.addressof(raw), ctypes.addressof(_names[name]), None)
    _retain(raw)
    _registry.append([capsule, raw])
    return capsule


def sweep() -> int:
    """Releases the structs of capsules that nobody refers to; returns how many capsules remain."""
    if not _registry or not _lock.acquire(blocking=False):
        # Another thread, or an outer call of this one, is doing it.
        return len(_registry)
    try:
        unused = [exported for exported in _registry if _references(exported) <= _ALONE]
        for exported in unused:
            _registry.remove(exported)
    finally:
        _lock.release()
    for _, raw in unused:
        release(raw)
        _forget(raw)
    return len(_registry)


def struct_in(capsule: Any, name: bytes) -> Any:
    """The struct in a capsule of another package, or of this one.

    Raises:
        TypeError: if it is no capsule of this kind.
        ValueError: if its struct was already consumed.
    """
    if not _is_valid(capsule, name):
        raise TypeError(f"expected a PyCapsule with the name {name.decode()!r}, not {capsule!r}")
    raw = _KINDS[name].from_address(_get_pointer(capsule, name))
    if not raw.release:
        raise ValueError(f"the {name.decode()} in the capsule was already consumed")
    return raw


def stream_of(data: Any, requested: Any = None) -> Tuple[ArrowArrayStream, Any]:
    """The stream of an object with ``__arrow_c_stream__`` or ``__arrow_c_array__``, and what has to stay alive while it is used."""
    if hasattr(data, "__arrow_c_stream__"):
        capsule = data.__arrow_c_stream__(requested)
        return struct_in(capsule, STREAM), (capsule, data)
    from .arrow_single import stream_of_batch

    schema, array = data.__arrow_c_array__(requested)
    made = stream_of_batch(struct_in(schema, SCHEMA), struct_in(array, ARRAY))
    return made.raw, (made, schema, array, data)
