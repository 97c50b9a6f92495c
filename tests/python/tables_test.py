"""Columns of a trace as numpy arrays, DataFrames and Arrow streams, all over the same memory."""
import ctypes
import gc
import pathlib
import threading
import unittest

import strobe

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
COMPILED = EXAMPLES / "gpt_inference_compiled.json.gz"
needs_numpy = unittest.skipIf(numpy is None, "numpy is not installed")
needs_pandas = unittest.skipIf(pandas is None, "pandas is not installed")


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p),
                   ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
                   ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))), ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                  ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
                  ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", ctypes.POINTER(Array)), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
                  ("private_data", ctypes.c_void_p)]
Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
                   ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
                   ("get_last_error", ctypes.c_void_p), ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]


class Arrived:
    """What a library gets that reads a table through Arrow's C stream."""

    def __init__(self, table):
        capsule = table.__arrow_c_stream__()
        get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
        get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        stream = ctypes.cast(get_pointer(capsule, b"arrow_array_stream"), ctypes.POINTER(Stream))
        self.schema, self.batch, end = Schema(), Array(), Array()
        assert stream.contents.get_schema(stream, ctypes.byref(self.schema)) == 0
        assert stream.contents.get_next(stream, ctypes.byref(self.batch)) == 0
        assert stream.contents.get_next(stream, ctypes.byref(end)) == 0
        assert not end.release
        names = [self.schema.children[i].contents.name.decode() for i in range(self.schema.n_children)]
        self.columns = {name: self.batch.children[i].contents for i, name in enumerate(names)}
        self.formats = {name: self.schema.children[i].contents.format.decode() for i, name in enumerate(names)}

    def release(self):
        self.schema.release(ctypes.byref(self.schema))
        self.batch.release(ctypes.byref(self.batch))


def address_of(array):
    return array.__array_interface__["data"][0]


class TablesTest(unittest.TestCase):
    def setUp(self):
        self.trace = strobe.open(COMPILED)

    def test_a_table_has_the_rows_and_columns_of_the_documentation(self):
        self.assertEqual(len(self.trace.slices), 10_862)
        self.assertIn("dur", self.trace.kernels)
        self.assertEqual({field.unit for field in self.trace.kernels.fields if field.name == "dur"}, {"ns"})
        documented = (EXAMPLES.parent / "docs/query.md").read_text(encoding="utf-8")
        for name, table in self.trace.tables.items():
            self.assertIn(f"### `{name}`", documented)
            self.assertEqual(len(table.fields), len(set(table)))

    @needs_numpy
    def test_numbers_are_the_memory_that_arrow_sees(self):
        arrived = Arrived(self.trace.kernels)
        for name in ("start", "dur", "slice_id", "device"):
            column = self.trace.kernels[name]
            self.assertEqual(address_of(column), arrived.columns[name].buffers[1], name)
            self.assertEqual(address_of(column), address_of(self.trace.kernels[name]), name)
            self.assertFalse(column.flags.writeable)
            self.assertFalse(column.flags.owndata)
        self.assertEqual(arrived.formats["dur"], "l")
        arrived.release()

    @needs_numpy
    def test_a_column_outlives_its_trace(self):
        durations = strobe.open(COMPILED).slices["dur"]
        gc.collect()
        strobe.open(EXAMPLES / "paddle_attention.json.gz").slices["dur"].sum()
        self.assertEqual(int(durations.sum()), int(self.trace.slices["dur"].sum()))

    @needs_numpy
    def test_a_stream_outlives_its_trace(self):
        arrived = Arrived(strobe.open(COMPILED).kernels)
        gc.collect()
        count = arrived.columns["dur"].length
        values = (ctypes.c_int64 * count).from_address(arrived.columns["dur"].buffers[1])
        self.assertEqual(sum(values), int(self.trace.kernels["dur"].sum()))
        arrived.release()

    @needs_numpy
    def test_rows_without_a_value_are_masked(self):
        correlations = self.trace.slices["correlation"]
        rows = self.trace.slices.to_rows()
        self.assertIsInstance(correlations, numpy.ma.MaskedArray)
        self.assertEqual(correlations.tolist(), [row["correlation"] for row in rows])
        self.assertIn(None, correlations.tolist())

    @needs_numpy
    def test_names_are_text(self):
        names = self.trace.kernels["name"]
        self.assertEqual(names.tolist(), [row["name"] for row in self.trace.kernels.to_rows()])
        self.assertIsInstance(names[0], str)
        self.assertEqual(self.trace.slices["communicates"].dtype, numpy.dtype(bool))

    @needs_pandas
    def test_a_frame_of_pandas_is_over_the_same_memory(self):
        frame = self.trace.kernels.to_pandas()
        self.assertEqual(len(frame), len(self.trace.kernels))
        self.assertEqual(address_of(frame["dur"].to_numpy()), address_of(self.trace.kernels["dur"]))
        self.assertEqual(frame["name"].dtype, "category")
        by_name = frame.groupby("name", observed=True)["dur"].sum()
        expected = {}
        for row in self.trace.kernels.to_rows():
            expected[row["name"]] = expected.get(row["name"], 0) + row["dur"]
        self.assertEqual(by_name.to_dict(), expected)

    @needs_pandas
    def test_every_table_becomes_a_frame_with_the_values_of_its_rows(self):
        for name, table in self.trace.tables.items():
            frame = table.to_pandas()
            self.assertEqual(list(frame), list(table), name)
            self.assertEqual(len(frame), len(table), name)
            for row, expected in zip(frame.head(20).to_dict("records"), table.to_rows(20)):
                plain = {key: None if pandas.isna(value) else value for key, value in row.items()}
                self.assertEqual(plain, expected, name)

    def test_a_column_that_is_not_there_names_those_that_are(self):
        with self.assertRaisesRegex(KeyError, "kernels has no column 'duration'; it has run, rank, slice_id"):
            self.trace.kernels["duration"]
        with self.assertRaisesRegex(AttributeError, "no table 'kernel'"):
            self.trace.kernel

    def test_a_library_that_is_missing_is_named(self):
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ImportError, r"to_arrow\(\) needs pyarrow"):
                self.trace.kernels.to_arrow()
        else:
            self.assertEqual(self.trace.kernels.to_arrow().num_rows, len(self.trace.kernels))

    def test_a_table_shows_its_first_rows_in_a_notebook(self):
        page = self.trace.kernels._repr_html_()
        self.assertIn("<th>dur</th>", page)
        self.assertEqual(page.count("<tr>"), 11)
        self.assertIn(f"{len(self.trace.kernels):,} rows", page)

    @needs_numpy
    def test_threads_open_and_read_at_once(self):
        results, failures = [], []

        def work():
            try:
                trace = strobe.open(COMPILED)
                shared = self.trace.operators["dur"]
                results.append((int(trace.kernels["dur"].sum()), int(shared.sum()), len(trace.findings)))
            except Exception as error:  # shown by the test
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(len(set(results)), 1)
        self.assertEqual(len(results), 4)


if __name__ == "__main__":
    unittest.main()
