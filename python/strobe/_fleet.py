"""Who holds a job of many ranks up."""
from __future__ import annotations

import os
from typing import Any

from strobe import _core
from strobe._progress import Progress, progress_of
from strobe._report import Path, Report


class Fleet(Report):
    """The ranks of a job. Made by fleet().

    `data` is all of what `strobe fleet --format json` prints; docs/schemas/job.v1.json describes it.
    """

    @property
    def stragglers(self) -> list[dict[str, Any]]:
        """Who holds the others up, the costliest first: kind, who, reason, lost_share, and the evidence."""
        return self._rows("stragglers")

    @property
    def ranks(self) -> list[dict[str, Any]]:
        """What the average step of each rank is made of, and how long others waited for it."""
        return self._rows("ranks")

    @property
    def collectives(self) -> list[dict[str, Any]]:
        """What the ranks exchanged, and how long they waited and transferred."""
        return self._rows("collectives")

    @property
    def verdict(self) -> list[str]:
        """The answer in sentences."""
        return self.data["verdict"]

    def _rows(self, table: str) -> list[dict[str, Any]]:
        return self.data["tables"].get(table, {"rows": []})["rows"]

    def __repr__(self) -> str:
        return f"<strobe.Fleet: {self.data['facts']['ranks']} ranks, {len(self.stragglers)} stragglers>"


def fleet(path: Path, *, allow_missing: int = 0, threads: int = 0, cache: bool = True,
          progress: Progress | bool | None = None) -> Fleet:
    """Says which rank of a job holds the others up, why, and what that costs.

    `path` is a folder with one trace per rank. Each trace is read and dropped again, so that a job of any size fits.
    `allow_missing`: how many of them may be unreadable.
    """
    text = os.fspath(path)
    with progress_of(text, progress) as told:
        made = _core.fleet(os.fsencode(text), allow_missing, threads, cache, told)
    return Fleet(made)
