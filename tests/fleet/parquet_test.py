"""A table of operations as Parquet is replayed as the same table as CSV. Needs DuckDB, as `strobe query` does."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STROBE = os.environ.get("STROBE", str(ROOT / "build/strobe"))
CSV = ROOT / "tests/data/fleet/uneven_stages.csv"
TRACE = ROOT / "examples/gpt_inference_compiled.json.gz"


def strobe(*words):
    return subprocess.run([STROBE, *map(str, words)], capture_output=True, text=True, check=False)


class Parquet(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.table = pathlib.Path(self.folder.name) / "it's.parquet"

    def copy(self, select):
        quoted = str(self.table).replace("'", "''")
        done = strobe("query", TRACE, "--unsafe", f"copy ({select}) to '{quoted}'")
        if done.returncode == 4:
            self.skipTest("DuckDB is not on this machine")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_answers_are_those_of_the_csv(self):
        self.copy(f"select * from read_csv('{CSV}')")
        answers = [json.loads(strobe("fleet", table, "--format", "json").stdout) for table in (self.table, CSV)]
        for answer in answers:
            for name in ("job", "table"):
                answer.pop(name)
        self.assertEqual(answers[0], answers[1])

    def test_another_table_is_refused(self):
        self.copy("select 1 as one")
        done = strobe("fleet", self.table)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("no table of operations", done.stderr)

    def test_a_damaged_file_is_named(self):
        self.copy(f"select * from read_csv('{CSV}')")
        self.table.write_bytes(self.table.read_bytes()[:-20])
        done = strobe("fleet", self.table)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("it's.parquet", done.stderr)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
