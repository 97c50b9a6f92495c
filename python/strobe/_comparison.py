"""What changed between two runs."""
from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from strobe import _core
from strobe._progress import Progress, progress_of
from strobe._report import Path, Report


class Comparison(Report):
    """Two runs compared. Made by compare().

    `data` is all of what `strobe compare --format json` prints; docs/schemas/compare.v1.json describes it.
    """

    @property
    def answer(self) -> str:
        """slower, faster, no_change, shifted, unclear or cannot_tell"""
        return self.data["verdict"]["answer"]

    @property
    def causes(self) -> list[dict[str, Any]]:
        """Why, most likely first: each with its score, evidence for and against, and advice."""
        return self.data["causes"]

    def __repr__(self) -> str:
        return f"<strobe.Comparison: {self.answer}, {len(self.causes)} causes>"


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
    return Comparison(made)
