"""CSV and TSV files: types that lose no digit, and the dialect, recognized or given."""

from __future__ import annotations

import csv as dialects
import warnings
from collections import Counter
from typing import Any, Dict, List, Mapping, Optional, Sequence

from . import _tables as convert_tables
from .._native.errors import require

pyarrow = require("pyarrow", "tables of tiledb_rs.convert")
# What stands for no value among numbers, dates and booleans in pyarrow and pandas; NaN is a number. Among texts they are texts.
NULL_VALUES = ("", "NULL", "null", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "None", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN")
_TEXT_NULLS = ("", "NULL")
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_BYTES, _SAMPLE_RECORDS = 1 << 16, 100
_COMMA_NUMBER = r"^[+-]?([0-9]+|[0-9]*,[0-9]+)([eE][+-]?[0-9]+)?$"
# Numbers that can have a comma between thousands as well.
_THOUSANDS = r"^[+-]?([0-9]{1,3}(,[0-9]{3})*|[0-9]+)$"
_DATE = r"^[0-9]{1,2}([./-])[0-9]{1,2}[./-][0-9]{4}$"


def read(
    path: str,
    delimiter: Optional[str] = None,
    *,
    null_values: Optional[Sequence[str]] = None,
    decimal: Optional[str] = None,
    quote: str = '"',
    dates: Optional[str] = None,
    encoding: str = "utf8",
) -> Any:
    """The table of a file.

    Args:
        delimiter: Between fields; by default a comma, or what divides all records of a sample into as many fields.
        null_values: Texts that are nulls in all columns; by default those of pyarrow and pandas in columns that are no texts, empty fields and NULL in all.
        decimal: The decimal point; by default a point, or a comma where fields are divided by something else.
        quote: The quotation mark.
        dates: The format of dates such as ``%d.%m.%Y``; by default ISO 8601, or the only order of days and months that all values of a column have.
        encoding: The encoding of the file.
    """
    recognized: List[str] = []
    if delimiter is None:
        delimiter = _delimiter_of(path, quote, encoding)
        if delimiter != ",":
            recognized.append(f"delimiter={delimiter!r}")
    file = _File(path, delimiter, quote, encoding, null_values)
    table = file.typed(decimal or ".")
    twice = [name for name, count in Counter(table.schema.names).items() if count > 1]
    if twice:
        raise ValueError(f"several columns have the name {twice[0]!r}: rename them")
    if decimal is None and delimiter != "," and any(_has_decimal_commas(table[name]) for name in _texts_of(table)):
        recognized.append("decimal=','")
        table = file.typed(",")
    table = file.exact(table)
    for name in _texts_of(table):
        order = dates or _order_of(table[name])
        days = None if order is None else _days(table[name], order)
        if days is not None:
            table = table.set_column(table.schema.get_field_index(name), name, days)
            if dates is None:
                recognized.append(f"dates={order!r} in column {name!r}")
    if recognized:
        warnings.warn(f"{path} was read with {', '.join(recognized)}: give these options, or others, to avoid this warning", stacklevel=5)
    return table


class _File:
    """A file with a dialect."""

    def __init__(self, path: str, delimiter: str, quote: str, encoding: str, null_values: Optional[Sequence[str]]):
        self.csv = require("pyarrow.csv", "CSV files", "pyarrow")
        self.path, self.given = path, null_values
        self.read_options = self.csv.ReadOptions(encoding=encoding)
        self.parse_options = self.csv.ParseOptions(delimiter=delimiter, quote_char=quote, newlines_in_values=True)

    def load(self, nulls: Sequence[str], *, texts: bool, **options: Any) -> Any:
        # An empty field is null, and a quoted empty one the empty text.
        convert = self.csv.ConvertOptions(strings_can_be_null=texts, quoted_strings_can_be_null=False, null_values=list(nulls), **options)
        return self.csv.read_csv(self.path, read_options=self.read_options, parse_options=self.parse_options, convert_options=convert)

    def typed(self, decimal: str) -> Any:
        """The table with the types that pyarrow infers; columns of texts have the nulls of texts."""
        if self.given is not None:
            return self.load(self.given, texts=True, decimal_point=decimal)
        table = self.load(NULL_VALUES, texts=False, decimal_point=decimal)
        names = table.schema.names
        others = [field.name for field in table.schema if not _is_typed(field.type)]
        if not others or len(set(names)) != len(names):
            return table
        types = {name: table.schema.field(name).type for name in others if not pyarrow.types.is_null(table.schema.field(name).type)}
        again = self.load(_TEXT_NULLS, texts=True, include_columns=others, column_types=types, decimal_point=decimal)
        return _replaced(table, {name: again[name] for name in others})

    def exact(self, table: Any) -> Any:
        """The table with the texts of columns whose numbers are not the same."""
        numbers = [field.name for field in table.schema if pyarrow.types.is_integer(field.type) or pyarrow.types.is_floating(field.type)]
        if not numbers:
            return table
        texts = self.load(_TEXT_NULLS if self.given is None else self.given, texts=True, include_columns=numbers, column_types={name: pyarrow.string() for name in numbers})
        return _replaced(table, {name: _exact(table[name], texts[name]) for name in numbers})


def _is_typed(type: Any) -> bool:
    types = pyarrow.types
    return not (types.is_string(type) or types.is_binary(type) or types.is_null(type))


def _replaced(table: Any, columns: Mapping[str, Any]) -> Any:
    for name, column in columns.items():
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def _texts_of(table: Any) -> List[str]:
    return [field.name for field in table.schema if pyarrow.types.is_string(field.type)]


def _exact(numbers: Any, texts: Any) -> Any:
    """The numbers of a column; its texts where numbers are not the same: codes with leading zeros, hexadecimal numbers, and integers of more than 64 bits."""
    compute = require("pyarrow.compute", "CSV files", "pyarrow")
    present = texts.filter(numbers.is_valid())
    if compute.any(compute.match_substring_regex(present, r"^\s*[+-]?0([0-9]+|[xX][0-9a-fA-F]+)\s*$")).as_py():
        return texts
    if not pyarrow.types.is_floating(numbers.type) or not compute.all(compute.match_substring_regex(present, "^[+-]?[0-9]+$")).as_py():
        return numbers
    try:
        return compute.if_else(numbers.is_valid(), texts, None).cast(pyarrow.uint64())
    except pyarrow.ArrowInvalid:
        return texts


def _delimiter_of(path: str, quote: str, encoding: str) -> str:
    """The delimiter that divides all records of a sample into as many fields, at least two; a comma if there is none."""
    with open(path, "rb") as file:
        sample = file.read(_SAMPLE_BYTES)
        is_whole = not file.read(1)
    lines = sample.decode(encoding, "replace").lstrip("\ufeff").splitlines(keepends=True)
    lines = lines if is_whole else lines[:-1]
    found: Dict[str, int] = {}
    for delimiter in _DELIMITERS:
        try:
            records = [one for one, _ in zip(dialects.reader(lines, delimiter=delimiter, quotechar=quote), range(_SAMPLE_RECORDS)) if one]
        except dialects.Error:
            continue
        lengths = {len(one) for one in (records if len(records) < _SAMPLE_RECORDS and is_whole else records[:-1] or records)}
        if len(lengths) == 1 and max(lengths) > 1:
            found[delimiter] = max(lengths)
    return "," if "," in found or not found else max(found, key=lambda one: found[one])


def _has_decimal_commas(column: Any) -> bool:
    """Whether all texts of a column are numbers with a decimal comma, which is not one between thousands."""
    compute = require("pyarrow.compute", "CSV files", "pyarrow")

    def all_match(pattern: str) -> bool:
        return bool(compute.all(compute.match_substring_regex(present, pattern)).as_py())

    # Nulls of numbers are texts as long as the numbers are.
    present = column.filter(compute.invert(compute.is_in(column, pyarrow.array(NULL_VALUES)))).drop_null()
    return len(present) > 0 and all_match(_COMMA_NUMBER) and not all_match(_THOUSANDS)


def _order_of(column: Any) -> Optional[str]:
    """The format of the dates of a column of texts, if all of them are dates of the only possible order."""
    compute = require("pyarrow.compute", "CSV files", "pyarrow")
    present = column.drop_null()
    if not len(present) or not compute.all(compute.match_substring_regex(present, _DATE)).as_py():
        return None
    parts = compute.split_pattern_regex(present, "[./-]")
    separator = present[0].as_py().strip("0123456789")[0]
    if not compute.all(compute.match_substring_regex(present, rf"^[0-9]+[{separator}][0-9]+[{separator}]")).as_py():
        return None
    first, second = (compute.max(compute.list_element(parts, at).cast(pyarrow.int32())).as_py() for at in (0, 1))
    if second <= 12 and (separator == "." or 12 < first):
        return f"%d{separator}%m{separator}%Y"
    return f"%m{separator}%d{separator}%Y" if first <= 12 < second else None


def _days(column: Any, order: str) -> Optional[Any]:
    """The dates of a column of texts; None if not all of its texts are dates of this format."""
    compute = require("pyarrow.compute", "CSV files", "pyarrow")
    moments = compute.strptime(column, format=order, unit="s", error_is_null=True)
    if moments.null_count != column.null_count or len(moments) == column.null_count:
        return None
    is_day = compute.all(compute.equal(moments, compute.floor_temporal(moments, unit="day"))).as_py()
    days = moments.cast(pyarrow.date32()) if is_day else moments
    # A day that a month has not becomes one of the next month.
    padded = compute.strftime(moments, format=order)
    return days if _plain_digits(compute, padded).equals(_plain_digits(compute, column)) else None


def _plain_digits(compute: Any, texts: Any) -> Any:
    """Texts without leading zeros of numbers."""
    return compute.replace_substring_regex(texts, r"(^|[^0-9])0+([0-9])", r"\1\2")


def write(reader: Any, path: str, delimiter: str = ",") -> None:
    """Writes batches to a file."""
    csv = require("pyarrow.csv", "CSV files", "pyarrow")
    simple = convert_tables.simplified(reader, dictionaries=False, binary=False)
    with csv.CSVWriter(path, simple.schema, write_options=csv.WriteOptions(delimiter=delimiter)) as writer:
        for batch in simple:
            writer.write_batch(batch)


__all__ = ["NULL_VALUES", "read", "write"]
