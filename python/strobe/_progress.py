"""A line that shows how far a load is, in terminals and notebooks."""
from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

Progress = Callable[[int, int], object]

_QUIET_SECONDS = 0.3


class _Line:
    def __init__(self, what: str) -> None:
        self._what = what
        self._begin = time.monotonic()
        self._is_drawn = False

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() - self._begin < _QUIET_SECONDS:
            return
        share = f"{100 * min(done, total) / total:.0f} % of " if total else ""
        sys.stderr.write(f"\r\x1b[Kloading {self._what}: {share}{max(done, total) / 1e6:.0f} MB")
        sys.stderr.flush()
        self._is_drawn = True

    def erase(self) -> None:
        if self._is_drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _has_reader() -> bool:
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


@contextlib.contextmanager
def progress_of(what: str, chosen: Progress | bool | None) -> Iterator[Progress | None]:
    """The function to call with bytes done and all bytes; None: nobody looks."""
    if callable(chosen):
        yield chosen
        return
    if chosen is False or (chosen is None and not _has_reader()):
        yield None
        return
    line = _Line(what)
    try:
        yield line
    finally:
        line.erase()
