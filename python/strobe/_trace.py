"""Opened traces."""
from __future__ import annotations

import functools
import json
import os
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from strobe import _core
from strobe._errors import TraceWarning
from strobe._progress import Progress, progress_of
from strobe._table import Field, Table


@functools.cache
def _schema() -> dict[str, tuple[str, tuple[Field, ...]]]:
    return {name: (meaning, tuple(Field(*field) for field in fields)) for name, meaning, fields in _core.schema()}


class Tables(Mapping[str, Table]):
    """The tables of a trace by their names."""

    def __init__(self, run: _core.Run) -> None:
        self._run = run

    def __getitem__(self, name: str) -> Table:
        meaning, fields = _schema()[name]
        return Table(name, meaning, fields, functools.partial(self._run.column, name),
                     functools.partial(self._run.rows, name))

    def __iter__(self) -> Iterator[str]:
        return iter(_schema())

    def __len__(self) -> int:
        return len(_schema())


class Trace:
    """A trace, or a run with one trace per rank. Made by open().

    Every table of docs/query.md is an attribute: `t.kernels`, `t.slices`, `t.operators`, ...; those whose name is
    something else here, such as `steps`, are in `t.tables`. A trace, its tables and their columns may be used by
    several threads at once.
    """

    def __init__(self, run: _core.Run, path: str) -> None:
        self._run = run
        self.path = path

    @property
    def tables(self) -> Tables:
        """All tables by their names; columns of a table are in its `fields`."""
        return Tables(self._run)

    def __getattr__(self, name: str) -> Table:
        if name.startswith("_") or name not in _schema():
            raise AttributeError(f"a trace has no table {name!r}; t.tables has all of them")
        return self.tables[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def sql(self, query: str, *, timeout: float | None = None) -> Table:
        """The answer to a query in DuckDB's SQL, or to a built-in question such as "families".

        It needs DuckDB (`tools/setup --with-query`). `timeout`: seconds after which the query ends with an error.
        """
        columns = dict(self._run.ask(query, timeout or 0.0))
        fields = tuple(Field(name, column.type, "", "") for name, column in columns.items())
        rows = len(next(iter(columns.values()), ()))
        return Table("answer", "the answer to a query", fields, columns.__getitem__, lambda: rows)

    @functools.cached_property
    def _summary(self) -> dict[str, Any]:
        return json.loads(self._run.summary())

    def summary(self) -> dict[str, Any]:
        """What `strobe summary --format json` prints; docs/schemas/summary.v2.json describes it."""
        return self._summary

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What a user should read, most important first: code, weight, share, headline, advice, against."""
        return self._summary["findings"]

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps of the summary. As a table of columns they are `t.tables["steps"]`."""
        return self._summary["tables"]["steps"]["rows"]

    def __repr__(self) -> str:
        return f"<strobe.Trace {self._run.label}: {len(self.slices):,} slices>"

    def _repr_html_(self) -> str:
        return self._run.overview()


def open(path: str | os.PathLike[str], *, threads: int = 0, cache: bool = True,
         progress: Progress | bool | None = None) -> Trace:
    """Opens a trace of any format that strobe knows, or a folder with one trace per rank.

    Other threads run meanwhile, and Ctrl-C stops it. `threads`: 0 is one per core. `cache`: whether a copy that
    `strobe summary` has kept may be used. `progress`: a function that gets bytes done and all bytes; by default a
    line in terminals and notebooks; False: nothing.
    """
    text = os.fspath(path)
    with progress_of(text, progress) as told:
        run = _core.open(os.fsencode(text), threads, cache, told)
    for warning in run.warnings():
        warnings.warn(warning, TraceWarning, stacklevel=2)
    return Trace(run, text)
