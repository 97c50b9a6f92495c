"""What changed between two runs."""
from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable
from typing import Any

from strobe import _core
from strobe._progress import Progress, progress_of

Path = str | os.PathLike[str]


class Comparison:
    """Two runs compared. Made by compare().

    `data` is all of what `strobe compare --format json` prints; docs/schemas/compare.v1.json describes it.
    """

    def __init__(self, data: dict[str, Any], text: str, page: str) -> None:
        self.data = data
        self._text = text
        self._page = page

    @property
    def answer(self) -> str:
        """slower, faster, no_change, shifted, unclear or cannot_tell"""
        return self.data["verdict"]["answer"]

    @property
    def causes(self) -> list[dict[str, Any]]:
        """Why, most likely first: each with its score, evidence for and against, and advice."""
        return self.data["causes"]

    def __str__(self) -> str:
        """The report of the command line."""
        return self._text

    def __repr__(self) -> str:
        return f"<strobe.Comparison: {self.answer}, {len(self.causes)} causes>"

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self._page)}" style="width:100%;height:40em;border:0" '
                f'sandbox="allow-scripts"></iframe>')


def compare(normal: Path, abnormal: Path, *, baseline: Iterable[Path] = (), repeat: Iterable[Path] = (),
            rank: int | None = None, threads: int = 0, cache: bool = True,
            progress: Progress | bool | None = None) -> Comparison:
    """Compares two runs of one workload: traces, folders, or digests of `strobe compare --digest`.

    `baseline` and `repeat` are more runs like `normal` and like `abnormal`, from which the noise is known. `rank`:
    only this one.
    """
    sides = [[os.fsencode(path) for path in (first, *more)] for first, more in ((normal, baseline), (abnormal, repeat))]
    with progress_of("two runs", progress) as told:
        made = _core.compare(*sides, -1 if rank is None else rank, threads, cache, told)
    return Comparison(json.loads(made[0]), made[1], made[2])
