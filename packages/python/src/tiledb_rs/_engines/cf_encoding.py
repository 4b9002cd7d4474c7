"""Encodings of variables by the CF conventions: units of times, scales, fill values, as xarray makes them, without the loss of a value."""

from __future__ import annotations

import threading
import warnings
from typing import Any, Mapping

from .._arrays.array import Array
from .cf_metadata import decoded, prefix_of
from .._native.errors import require

# Filters of warnings belong to the process: variables that are written at the same time change them one after another.
_WARNINGS = threading.Lock()
numpy = require("numpy", "tiledb_rs.xarray")
xarray = require("xarray", "tiledb_rs.xarray")

# Attributes that say how values are encoded.
_PACKED = ("scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned")


def encoded_like(variable: Any, array: Array, name: str, inherited: Mapping[str, Any]) -> Any:
    """A variable in the encoding of an array: its units, scale, fill value and type.

    ``inherited`` are attributes of the variable that a variable of bounds belongs to, which has its units. A variable whose attributes are
    those of an encoding, as of a dataset that was opened with ``mask_and_scale=False``, is encoded already.
    """
    attribute = array.schema.attributes[0]
    attrs = {**inherited, **decoded(array.metadata, prefix_of(attribute.name))}
    variable = variable.copy(deep=False)
    dtype = numpy.dtype(object) if attribute.var else numpy.dtype(f"S{attribute.values}") if attribute.dtype.is_string else numpy.dtype(attribute.dtype.numpy)
    is_time = variable.dtype.kind in "mM" or (variable.dtype == object and "calendar" in attrs)
    _check_kind(variable, attrs, name)
    packed = {key: variable.attrs[key] for key in _PACKED if key in variable.attrs}
    if packed:
        if variable.dtype != dtype or any(not _are_same(variable.attrs.get(key), attrs.get(key)) for key in _PACKED):
            raise ValueError(f"variable {name!r} is encoded with the attributes {packed} as {variable.dtype}, and the array otherwise: decode it with xarray.decode_cf()")
        return variable
    chosen = {key: attrs[key] for key in (*_PACKED, "units", "calendar", "dtype") if key in attrs and (is_time or key not in ("units", "calendar"))}
    if "missing_value" in chosen and _are_same(chosen.get("_FillValue"), numpy.nan):
        # xarray adds this one itself, and takes only one of them.
        del chosen["_FillValue"]
    if dtype.kind in "iu" and not is_time and not set(chosen) - {"dtype"}:
        if variable.dtype.kind not in "iubf":
            raise ValueError(f"variable {name!r} has the dtype {variable.dtype}, and the array {dtype}: convert it with astype({dtype.name!r})")
        if variable.dtype.kind in "iu":
            # The write refuses numbers that do not fit.
            dtype = variable.dtype
    if {"scale_factor", "add_offset"} & set(chosen) and variable.dtype.kind in "iu":
        variable = variable.astype("f8")
    variable.encoding = {**chosen, **({"dtype": dtype} if dtype.kind in "iuf" else {})}
    if not is_time:
        variable.attrs = {key: value for key, value in variable.attrs.items() if key not in chosen}
    with _WARNINGS, warnings.catch_warnings():
        # That the units are others is an error here, not a warning.
        warnings.filterwarnings("ignore", message=".*can't be serialized faithfully")
        found = xarray.conventions.encode_cf_variable(variable, name=name)
    if is_time and (_unit(found.attrs) != _unit(attrs) or found.attrs.get("calendar") != attrs.get("calendar", found.attrs.get("calendar"))):
        raise ValueError(
            f"the times of variable {name!r} need the units {found.attrs.get('units')!r}, and the array has {attrs.get('units')!r}: write the dataset with "
            "units that suit all times, by encoding['units'] of the variable"
        )
    if dtype.kind in "iufb" and found.dtype != dtype:
        found = found.astype(dtype)
    return found


def _check_kind(variable: Any, attrs: Mapping[str, Any], name: str) -> None:
    """Refuses times for numbers, numbers for times, durations for dates, and numbers for booleans: one would be taken for the other."""
    units = str(attrs.get("units", ""))
    is_raw = variable.attrs.get("units") == attrs.get("units")
    kind = "times" if " since " in units else "durations" if str(attrs.get("dtype", "")).startswith("timedelta64") else "numbers"
    given = {"M": "times", "m": "durations", "O": kind}.get(variable.dtype.kind, "numbers")
    if kind == "numbers" and given == "durations" and units:
        # Before it had an attribute for them, xarray stored durations as numbers with units.
        return
    if given != kind and not (given == "numbers" and is_raw):
        raise ValueError(f"variable {name!r} has the dtype {variable.dtype}, and the array {kind}{f': {units}' if units else ''}")
    if attrs.get("dtype") == "bool" and variable.dtype.kind != "b":
        raise ValueError(f"variable {name!r} has the dtype {variable.dtype}, and the array bool: convert it with astype(bool)")


def _are_same(one: Any, other: Any) -> bool:
    """Whether two attributes have the same value; NaN is one."""
    if one is None or other is None:
        return one is other
    return bool(numpy.all((numpy.asarray(one) == numpy.asarray(other)) | (numpy.asarray(one) != one) & (numpy.asarray(other) != other)))


def _unit(attrs: Mapping[str, Any]) -> str:
    """The unit of times, as xarray writes it: where a unit would round times, xarray chooses another one."""
    found = str(attrs.get("units", "")).partition(" since ")[0].strip().lower()
    return found if found.endswith("s") else f"{found}s"


def _are_near(wanted: Any, found: Any, attrs: Mapping[str, Any]) -> Any:
    """Which decoded numbers are those that were encoded, apart from rounding to the scale, and to FLOAT32 where xarray decodes to it."""
    step = abs(float(numpy.max(numpy.abs(numpy.asarray(attrs.get("scale_factor", 1.0), "f8")))))
    with numpy.errstate(invalid="ignore", over="ignore"):
        wide, other = wanted.astype("f8"), found.astype("f8")
        is_near = numpy.isfinite(wide) & (numpy.abs(wide - other) <= 0.501 * step + 2e-6 * numpy.abs(wide))
        return is_near | (wide == other) | (numpy.isnan(wide) & numpy.isnan(other))


def _are_stored(wanted: Any, stored: Any, attrs: Mapping[str, Any], rounds: bool) -> Any:
    """Which numbers are stored without a scale: integers exactly, others as far as the type has the digits, and none as a fill value.

    ``rounds`` permits fractions to be stored as integers.
    """
    fills = [numpy.asarray(attrs[key]).ravel() for key in ("_FillValue", "missing_value") if key in attrs]
    is_fill = numpy.zeros(wanted.shape, bool)
    for fill in (one for some in fills for one in some):
        is_fill |= stored == fill
    with numpy.errstate(invalid="ignore", over="ignore"):
        if wanted.dtype.kind == "f" and stored.dtype.kind == "f":
            same = ~numpy.isinf(stored) | numpy.isinf(wanted)
        elif rounds and wanted.dtype.kind == "f":
            same = numpy.abs(stored - wanted) <= 0.5
        else:
            same = (stored.astype(wanted.dtype) == wanted) & (stored == wanted)
    is_none = wanted != wanted
    return numpy.where(is_none, is_fill | (stored != stored), same & ~is_fill)


def _are_close_times(wanted: Any, found: Any) -> Any:
    """Which times are the same within the precision of floating-point numbers of days."""
    if wanted.dtype == object:
        same = [one == other or abs((one - other).total_seconds()) <= 1e-5 for one, other in zip(wanted.ravel(), found.ravel())]
        return numpy.asarray(same, bool).reshape(wanted.shape)
    limit = numpy.timedelta64(10, "us")
    return (found == wanted) | (numpy.isnat(found) & numpy.isnat(wanted)) | (numpy.abs(found - wanted) <= limit)


def check_encoded(variable: Any, original: Any, name: str, rounds: bool, inherited: Mapping[str, Any]) -> None:
    """Refuses values that an encoding cannot represent: xarray wraps integers around, and makes infinity of large numbers.

    It rounds to integers, too, which is accepted with ``rounds``, where the encoding is that of the variable. ``inherited`` are attributes that
    the variable has from another one, as in :func:`encoded_like`.
    """
    if original is None or original.dtype.kind not in "iufmMO" or variable.dtype.kind not in "iuf":
        return
    if original.dtype == variable.dtype and not set(variable.attrs) - set(original.attrs):
        return
    attrs, wanted, stored = variable.attrs, numpy.asarray(original.values), numpy.asarray(variable.values)
    if original.dtype.kind in "iuf" and not {"scale_factor", "add_offset", "_Unsigned"} & set(attrs):
        found, same = stored, _are_stored(wanted, stored, attrs, rounds)
    else:
        # Times are decoded only if they were encoded, and in the same types.
        is_time = original.dtype.kind in "mMO"
        coder = {"use_cftime": True} if original.dtype == object else {}
        with _WARNINGS, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            copy = variable.copy(deep=False)
            copy.attrs = {**inherited, **attrs}
            decoded_values = xarray.conventions.decode_cf_variable(name, copy, decode_times=is_time, decode_timedelta=is_time, **coder).values
        found = numpy.asarray(decoded_values)
        if not is_time:
            same = _are_near(wanted, found, attrs)
        elif variable.dtype.kind == "f":
            same = _are_close_times(wanted, found)
        else:
            same = numpy.asarray((found == wanted) | ((found != found) & (wanted != wanted)))
    if not same.all():
        at = tuple(int(one[0]) for one in numpy.nonzero(~same)) if same.ndim else ()
        raise ValueError(
            f"variable {name!r} has {wanted[at]!s}, which its encoding as {variable.dtype} would store as {found[at]!s}: encode it with another dtype, scale_factor or _FillValue"
        )


__all__ = ["check_encoded", "encoded_like"]
