"""What HDF5 has and metadata has not: attributes of other types, and named datatypes, as they were in the file."""

from __future__ import annotations

import base64
import json
from typing import Any, Dict, Mapping

from .._engines.cf_metadata import OWN, shown
from ._checks import check_size, naming
from .._native.errors import installed, require

# Begin the keys of an attribute, and of a named datatype, in the form of HDF5.
_ATTRIBUTE, _DATATYPE = f"{OWN}h5.attribute.", f"{OWN}h5.datatype."
# Attributes of dimension scales, whose references mean nothing elsewhere, and which mean something else on other objects.
_REFERENCES, _OF_SCALES = ("DIMENSION_LIST", "REFERENCE_LIST", "_Netcdf4Dimid"), ("CLASS", "NAME")


def attributes_in(node: Any) -> Dict[str, Any]:
    """The attributes of a group or a dataset as metadata has them: texts for strings of a fixed length, None for empty ones."""
    h5py, numpy = require("h5py", "HDF5 files"), require("numpy", "HDF5 files")
    is_scale = isinstance(node, h5py.Dataset) and h5py.h5ds.is_scale(node.id)
    attributes: Dict[str, Any] = {}
    for name, value in node.attrs.items():
        if name in _REFERENCES or is_scale and name in _OF_SCALES:
            continue
        if isinstance(value, h5py.Empty):
            value = None
        elif isinstance(value, numpy.bytes_):
            try:
                value = value.decode()
            except UnicodeDecodeError:
                value = bytes(value)
        elif isinstance(value, numpy.void) and value.dtype.names is None:
            value = value.tobytes()
        attributes[name] = value
    return attributes


def exact_attributes_in(node: Any, attributes: Mapping[str, Any]) -> Dict[str, str]:
    """Metadata from which the attributes are restored that other metadata has no type for: their type, shape and bytes in HDF5."""
    h5py, numpy = require("h5py", "HDF5 files"), require("numpy", "HDF5 files")
    exact: Dict[str, str] = {}
    for name, value in attributes.items():
        known = node.attrs.get_id(name)
        kind, shape, content = known.get_type(), known.shape, b""
        if known.get_space().get_simple_extent_type() == h5py.h5s.NULL:
            shape = None
        else:
            dtype = numpy.asarray(node.attrs[name]).dtype
            if (
                dtype.hasobject
                or dtype.kind in "biuf"
                and dtype.isnative
                and dtype.itemsize <= 8
                and dtype != "f2"
                and len(shape) <= 1
                and 0 not in shape
                and isinstance(kind, (h5py.h5t.TypeIntegerID, h5py.h5t.TypeFloatID) if dtype.kind != "b" else h5py.h5t.TypeEnumID)
            ):
                continue
            raw = numpy.zeros(shape, f"V{kind.get_size()}")
            if raw.size:
                known.read(raw, mtype=kind)
            content = raw.tobytes()
        described = {"type": _text(kind.encode()), "shape": shape, "data": _text(content), "shown": shown(value)}
        exact[f"{_ATTRIBUTE}{name}"] = json.dumps(described)
    return exact


def attributes_out(node: Any, attributes: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
    """Writes attributes, in their former types unless they have changed since."""
    for name, value in attributes.items():
        exact = metadata.get(f"{_ATTRIBUTE}{name}")
        if not isinstance(exact, str) or not _restore(node, name, exact, shown(value)):
            node.attrs[name] = _plain(value)


def _restore(node: Any, name: str, exact: str, value: str) -> bool:
    """Writes an attribute in its former type; False if it has another value now, or was none."""
    h5py, numpy = require("h5py", "HDF5 files"), require("numpy", "HDF5 files")
    try:
        described = json.loads(exact)
        if described["shown"] != value:
            return False
        kind, shape = h5py.h5t.decode(base64.b64decode(described["type"])), described["shape"]
        if shape is not None:
            _check_no_addresses(kind)
            values = numpy.frombuffer(base64.b64decode(described["data"]), f"V{kind.get_size()}").reshape(shape)
        space = h5py.h5s.create(h5py.h5s.NULL) if shape is None else h5py.h5s.create_simple(tuple(shape)) if shape else h5py.h5s.create(h5py.h5s.SCALAR)
        attribute = h5py.h5a.create(node.id, name.encode(), kind, space)
        if shape is not None and values.size:
            attribute.write(values, mtype=kind)
        return True
    except (ValueError, KeyError, TypeError, RuntimeError):
        return False


def _check_no_addresses(kind: Any) -> None:
    """Metadata may be from anyone: their bytes are values, and addresses in no type."""
    h5py = require("h5py", "HDF5 files")
    if any(kind.detect_class(one) for one in (h5py.h5t.VLEN, h5py.h5t.REFERENCE)) or _has_variable_text(kind):
        raise ValueError("values of variable length are not stored as bytes")


def _has_variable_text(kind: Any) -> bool:
    """Whether a datatype contains texts of variable length, which are of the class of all texts."""
    h5py = require("h5py", "HDF5 files")
    if isinstance(kind, h5py.h5t.TypeStringID):
        return bool(kind.is_variable_str())
    if isinstance(kind, h5py.h5t.TypeCompoundID):
        return any(_has_variable_text(kind.get_member_type(at)) for at in range(kind.get_nmembers()))
    if isinstance(kind, h5py.h5t.TypeArrayID):
        return _has_variable_text(kind.get_super())
    return False


def _plain(value: Any) -> Any:
    """A value of metadata as h5py takes it: bytes are a string if they are a text, and JSON stands for what HDF5 has no type for."""
    numpy = require("numpy", "HDF5 files")
    if isinstance(value, bytes):
        return numpy.bytes_(value) if b"\0" not in value and _is_text(value) else numpy.void(value)
    if isinstance(value, dict) or value is None:
        return json.dumps(value)
    if isinstance(value, list):
        try:
            kind = numpy.asarray(value).dtype.kind
        except ValueError:
            kind = "O"
        return value if kind in "biufU" else json.dumps(value)
    return value


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def datatype_in(datatype: Any, name: str) -> Dict[str, str]:
    """A named datatype as metadata of the group that contains it."""
    return {f"{_DATATYPE}{name}": _text(datatype.id.encode())}


def datatypes_out(node: Any, metadata: Mapping[str, Any]) -> None:
    """Restores the named datatypes of a group."""
    h5py = require("h5py", "HDF5 files")
    for key, value in metadata.items():
        if key.startswith(_DATATYPE) and isinstance(value, str):
            h5py.h5t.decode(base64.b64decode(value)).commit(node.id, key[len(_DATATYPE) :].encode())


def check_link(link: Any, external: bool) -> None:
    """Refuses a link to another file unless it is asked for: a file from elsewhere could name any file of this machine."""
    filename = getattr(link, "filename", None)
    if filename is not None and not external:
        raise ValueError(f"it leads to {link.path!r} in the file {filename!r}; external=True follows it")


def check_sources(data: Any, external: bool) -> None:
    """Refuses a dataset whose values are in other files, unless they are asked for."""
    if external or data.shape is None:
        return
    names = [one[0] for one in data.external or []] + [one.file_name for one in (data.virtual_sources() if data.is_virtual else []) if one.file_name != "."]
    if names:
        raise ValueError(f"its values are in the file {names[0]!r}; external=True reads them")


def check_file(path: str, selection: Any) -> None:
    """Checks all datasets and links of a file that another package reads, as far as h5py is installed."""
    h5py = installed("h5py")
    if h5py is None or not h5py.is_hdf5(path):
        return
    with h5py.File(path, "r") as file:
        pending, seen = [("", file)], set()
        while pending:
            above, node = pending.pop()
            for name in node:
                one = f"{above}/{name}".lstrip("/")
                if one in selection.paths:
                    continue
                link = node.get(name, getlink=True)
                with naming(f"variable {one!r}", one):
                    check_link(link, selection.external)
                    child = node[name] if isinstance(link, h5py.HardLink) else None
                    if isinstance(child, h5py.Group) and child.id.__hash__() not in seen:
                        # A group can contain itself.
                        seen.add(child.id.__hash__())
                        pending.append((one, child))
                    elif isinstance(child, h5py.Dataset):
                        check_sources(child, selection.external)
                        # Dimensions of netCDF without coordinates are datasets of which nothing is stored.
                        if not child.attrs.get("NAME", b"").startswith(b"This is a netCDF dimension but not a netCDF variable"):
                            check_size(child, selection.unallocated)


__all__ = ["attributes_in", "attributes_out", "check_file", "check_link", "check_sources", "datatype_in", "datatypes_out", "exact_attributes_in"]
