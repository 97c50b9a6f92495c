"""Exceptions with the sentence and the hint of the command line."""
from __future__ import annotations


class Error(Exception):
    """Something that strobe cannot do. Its text is that of the command line, the hint on a line of its own.

    `code` says what kind of error it is: "not_found", "malformed", "too_little_data", "invalid_argument",
    "machine_lacks", "out_of_memory", "unsupported". `where` is a file or an argument; `hint` the next thing to try,
    or "".
    """

    def __init__(self, code: str, sentence: str, where: str, hint: str) -> None:
        super().__init__(f"{sentence}\n  hint: {hint}" if hint else sentence)
        self.code = code
        self.where = where
        self.hint = hint


class FileError(Error, OSError):
    """A file or folder that is not there or cannot be opened."""


class InvalidArgument(Error, ValueError):
    """A request that makes no sense, such as a query with a mistake in it."""


class TraceWarning(UserWarning):
    """Part of a trace was lost; the rest was read."""


_KINDS = {"not_found": FileError, "invalid_argument": InvalidArgument}


def error_of(code: str, sentence: str, where: str, hint: str) -> Error:
    return _KINDS.get(code, Error)(code, sentence, where, hint)


for _kind in (Error, FileError, InvalidArgument, TraceWarning):
    _kind.__module__ = "strobe"
