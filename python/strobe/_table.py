"""Tables whose columns stay where strobe has them."""
from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from strobe import _core

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars
    import pyarrow


class Field(NamedTuple):
    """A column of a table: its name, SQL type, unit ("ns", "bytes" or "") and meaning."""

    name: str
    type: str
    unit: str
    meaning: str


def _wanted(library: str, method: str) -> Any:
    try:
        return __import__(library)
    except ImportError:
        raise ImportError(f"{method}() needs {library}, which is not installed", name=library) from None


def _numbers(column: _core.Column) -> Any:
    return _wanted("numpy", "a column as an array").asarray(column)


def _absent(column: _core.Column) -> Any:
    """True where a row has no value; None if there is no such row."""
    import numpy

    present = column.present()
    if present is None:
        return None
    bits = numpy.frombuffer(present, dtype=numpy.uint8)
    return numpy.unpackbits(bits, count=len(column), bitorder="little") == 0


def _array(column: _core.Column) -> Any:
    numpy = _wanted("numpy", "a column as an array")
    if column.type == "text":
        texts = numpy.empty(len(column), dtype=object)
        texts[:] = column.texts()
        return texts
    values, absent = _numbers(column), _absent(column)
    if column.type != "name":
        return values if absent is None else numpy.ma.MaskedArray(values, mask=absent)
    names = numpy.array([*column.texts(), None], dtype=object)
    return names[values if absent is None else numpy.where(absent, len(names) - 1, values)]


def _pandas_array(column: _core.Column) -> Any:
    import numpy
    import pandas

    if column.type == "text":
        return _array(column)
    values, absent = _numbers(column), _absent(column)
    if column.type == "name":
        codes = values if absent is None else numpy.where(absent, -1, values)
        return pandas.Categorical.from_codes(codes, categories=column.texts())
    if absent is None:
        return values
    if column.type == "float64":
        return numpy.where(absent, numpy.nan, values)
    nullable = pandas.arrays.BooleanArray if column.type == "bool" else pandas.arrays.IntegerArray
    return nullable(values, absent)


class Table:
    """A table of a trace, or the answer to a query.

    A column is made when it is asked for first, and numpy, pandas, polars and Arrow then see the memory in which it
    is: nothing is copied, and columns are read only. The table of columns is `fields`.
    """

    def __init__(self, name: str, meaning: str, fields: tuple[Field, ...],
                 load: Callable[[str], _core.Column], count: Callable[[], int]) -> None:
        self.name = name
        self.meaning = meaning
        self.fields = fields
        self._load = load
        self._count = count

    def __len__(self) -> int:
        return self._count()

    def __iter__(self) -> Iterator[str]:
        """The names of its columns."""
        return (field.name for field in self.fields)

    def __contains__(self, name: object) -> bool:
        return any(field.name == name for field in self.fields)

    def _column(self, name: str) -> _core.Column:
        if name not in self:
            raise KeyError(f"{self.name} has no column {name!r}; it has {', '.join(self)}")
        return self._load(name)

    def __getitem__(self, name: str) -> numpy.ndarray[Any, Any]:
        """A column as a numpy array.

        Numbers and truth values are not copied. If rows have no value, it is a masked array. Names and texts are an
        array of str, or None where there is none.
        """
        return _array(self._column(name))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table for every library that knows Arrow's PyCapsule interface; names are dictionary encoded."""
        return _core.stream([(name, self._column(name)) for name in self])

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame over the same memory: copy() it before changing it. Names are categories."""
        pandas = _wanted("pandas", "to_pandas")
        return pandas.DataFrame({name: _pandas_array(self._column(name)) for name in self}, copy=False)

    def to_polars(self) -> polars.DataFrame:
        """A DataFrame of polars."""
        return _wanted("polars", "to_polars").DataFrame(self)

    def to_arrow(self) -> pyarrow.Table:
        """A table of pyarrow over the same memory."""
        return _wanted("pyarrow", "to_arrow").table(self)

    def to_rows(self, limit: int | None = None) -> list[dict[str, Any]]:
        """A dictionary per row, which needs no other library; None where there is no value."""
        columns = [_values(self._column(name), limit) for name in self]
        return [dict(zip(self, row)) for row in zip(*columns)]

    def __repr__(self) -> str:
        return f"<strobe.Table {self.name}: {len(self):,} rows; {', '.join(self)}>"

    def _repr_html_(self) -> str:
        shown = 10
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self)
        body = "".join("<tr>" + "".join(f"<td>{'' if cell is None else html.escape(str(cell))}</td>"
                                        for cell in row.values()) + "</tr>\n" for row in self.to_rows(shown))
        more = f"<p>{len(self):,} rows</p>" if len(self) > shown else ""
        return f"<table>\n<tr>{head}</tr>\n{body}</table>{more}"


def _values(column: _core.Column, limit: int | None) -> list[Any]:
    if column.type == "text":
        return column.texts()[:limit]
    values = memoryview(column)[:limit].tolist()
    if column.type == "name":
        names = column.texts()
        values = [names[value] if names else None for value in values]
    present = column.present()
    if present is None:
        return values
    return [value if present[row >> 3] >> (row & 7) & 1 else None for row, value in enumerate(values)]
