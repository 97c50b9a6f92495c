"""Where the time goes on an accelerator: traces of AI profilers as tables, summaries and comparisons.

    import strobe
    t = strobe.open("trace.json.gz")
    t.kernels["dur"]                       # nanoseconds, as a numpy array
    t.kernels.to_pandas()                  # or to_polars(), to_arrow()
    t.findings                             # what a user should read first
    t.sql("select name, sum(dur) from kernels group by name")
    strobe.compare("normal/", "abnormal/").causes
    strobe.fleet("run/").stragglers        # of a job of many ranks

docs/python.md says more.
"""
from strobe._comparison import Comparison, compare
from strobe._core import version as __version__
from strobe._errors import Error, FileError, InvalidArgument, TraceWarning
from strobe._fleet import Fleet, fleet
from strobe._table import Field, Table
from strobe._trace import Trace, open

__all__ = ["Comparison", "Error", "Field", "FileError", "Fleet", "InvalidArgument", "Table", "Trace", "TraceWarning",
           "compare", "fleet", "open", "__version__"]
