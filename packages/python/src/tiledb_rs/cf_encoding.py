"""Encodings of variables by the CF conventions: units of times, scales, fill values, as xarray makes them, without the loss of a value."""
from __future__ import annotations

import warnings
from typing import Any, Mapping

from .array import Array
from .cf_metadata import decoded, prefix_of
from .errors import require

numpy = require("numpy", "tiledb_rs.xarray")
xarray = require("xarray", "tiledb_rs.xarray")


def encoded_like(variable: Any, array: Array, name: str) -> Any:
    """A variable in the encoding of an array: its units, scale, fill value and type."""
    attribute = array.schema.attributes[0]
    attrs = decoded(array.metadata, prefix_of(attribute.name))
    keys = ("units", "calendar", "scale_factor", "add_offset", "_FillValue", "missing_value", "dtype", "_Unsigned")
    variable = variable.copy(deep=False)
    dtype = numpy.dtype(object) if attribute.var else numpy.dtype(f"S{attribute.values}") if attribute.dtype.is_string else numpy.dtype(attribute.dtype.numpy)
    is_time = variable.dtype.kind in "mM" or (variable.dtype == object and "calendar" in attrs)
    if not is_time and " since " in str(attrs.get("units")) and variable.attrs.get("units") != attrs["units"]:
        raise ValueError(f"variable {name!r} has the dtype {variable.dtype}, and the array times: {attrs['units']}")
    if attrs.get("dtype") == "bool" and variable.dtype.kind != "b":
        raise ValueError(f"variable {name!r} has the dtype {variable.dtype}, and the array bool: convert it with astype(bool)")
    chosen = {key: attrs[key] for key in keys if key in attrs and (is_time or key not in ("units", "calendar"))}
    if dtype.kind in "iu" and not is_time and not set(chosen) - {"units", "calendar"}:
        if variable.dtype.kind not in "iub":
            raise ValueError(f"variable {name!r} has the dtype {variable.dtype}, and the array {dtype}, which would round it: convert it with astype({dtype.name!r})")
        # The write refuses numbers that do not fit.
        dtype = variable.dtype
    variable.encoding = {**chosen, **({"dtype": dtype} if dtype.kind in "iuf" else {})}
    if not is_time:
        variable.attrs = {key: value for key, value in variable.attrs.items() if key not in chosen}
    with warnings.catch_warnings():
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


def _unit(attrs: Mapping[str, Any]) -> str:
    """The unit of times, as xarray writes it: where a unit would round times, xarray chooses another one."""
    found = str(attrs.get("units", "")).partition(" since ")[0].strip().lower()
    return found if found.endswith("s") else f"{found}s"


def _are_near(wanted: Any, found: Any, attrs: Mapping[str, Any]) -> Any:
    """Which decoded values are those that were encoded, apart from rounding to the scale, and to FLOAT32 where xarray decodes to it."""
    if wanted.dtype.kind not in "iuf" or found.dtype.kind not in "iuf" or "f" not in wanted.dtype.kind + found.dtype.kind:
        return numpy.asarray((found == wanted) | ((found != found) & (wanted != wanted)))
    step = abs(float(numpy.max(numpy.abs(numpy.asarray(attrs.get("scale_factor", 1.0), "f8")))))
    with numpy.errstate(invalid="ignore", over="ignore"):
        wide, other = wanted.astype("f8"), found.astype("f8")
        is_near = numpy.isfinite(wide) & (numpy.abs(wide - other) <= 0.501 * step + 2e-6 * numpy.abs(wide))
        return is_near | (wide == other) | (numpy.isnan(wide) & numpy.isnan(other))


def check_encoded(variable: Any, original: Any, name: str) -> None:
    """Refuses values that an encoding cannot represent: xarray wraps integers around, and makes infinity of large numbers."""
    if original is None or original.dtype.kind not in "iufmMO":
        return
    attrs, wanted = variable.attrs, numpy.asarray(original.values)
    if variable.dtype.kind == "f" and original.dtype.kind in "iuf":
        found = numpy.asarray(variable.values)
        same = ~numpy.isinf(found) | numpy.isinf(wanted)
    elif variable.dtype.kind not in "iu" or original.dtype == variable.dtype and not set(attrs) - set(original.attrs):
        return
    else:
        # Times are decoded only if they were encoded, and in the same types.
        is_time = original.dtype.kind in "mMO"
        coder = {"use_cftime": True} if original.dtype == object else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            decoded_values = xarray.conventions.decode_cf_variable(name, variable.copy(deep=False), decode_times=is_time, decode_timedelta=is_time, **coder).values
        found = numpy.asarray(decoded_values)
        same = _are_near(wanted, found, attrs)
    if not same.all():
        at = tuple(int(one[0]) for one in numpy.nonzero(~same)) if same.ndim else ()
        raise ValueError(
            f"variable {name!r} has {wanted[at]!s}, which its encoding as {variable.dtype} would store as {found[at]!s}: encode it with another dtype, "
            "scale_factor or _FillValue"
        )


__all__ = ["check_encoded", "encoded_like"]
