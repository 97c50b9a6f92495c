"""What reports of strobe have in common."""
from __future__ import annotations

import html
import json
import os
import warnings
from typing import Any

from strobe._errors import TraceWarning

Path = str | os.PathLike[str]


class Report:
    """An answer of the command line.

    `data` is all of what it prints with --format json; docs/schemas describes it. str() is its text, and a notebook
    shows the page.
    """

    def __init__(self, made: tuple[str, str, str, list[str]]) -> None:
        self.data: dict[str, Any] = json.loads(made[0])
        self._text = made[1]
        self._page = made[2]
        for warning in made[3]:
            warnings.warn(warning, TraceWarning, stacklevel=3)

    def __str__(self) -> str:
        """The report of the command line."""
        return self._text

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self._page)}" style="width:100%;height:40em;border:0" '
                f'sandbox="allow-scripts"></iframe>')
