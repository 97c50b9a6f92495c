"""Every number of a replay is what a plain program says (plain_replay.py): random jobs, and a published one."""
import csv
import gzip
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import pipeline_job
import plain_replay

ROOT = pathlib.Path(__file__).resolve().parents[2]
STROBE = os.environ.get("STROBE", str(ROOT / "build/strobe"))
STUDY = ROOT.parent / "shared/data/stragglers/ops-ST.csv.gz"
COLUMNS = ["dp_rank", "stage", "rank", "step", "optype", "start_ts", "duration", "seq_id", "mc", "mb_id", "gmc"]
TEXT, REAL = {"optype"}, {"start_ts", "duration"}
JOBS = int(os.environ.get("STROBE_REPLAYED_JOBS", "12"))


def as_written(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_read(text):
    return [{key: value if key in TEXT else float(value) if key in REAL else int(value) for key, value in row.items()}
            for row in csv.DictReader(io.StringIO(text))]


def answer_of_strobe(path):
    done = subprocess.run([STROBE, "fleet", path, "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    said = json.loads(done.stdout)
    answer = {"recorded": [step["recorded_s"] for step in said["steps"]],
              "without_delays": [step["without_delays_s"] for step in said["steps"]],
              "ideal": [step["ideal_s"] for step in said["steps"]],
              "kinds": {part["kind"]: part["by_step"] for part in said["kinds"]},
              "stages": {part["stage"]: part["by_step"] for part in said["stages"]},
              "data_ranks": {part["data_parallel_rank"]: part["by_step"] for part in said["data_parallel_ranks"]},
              "scores": {worker["rank"]: worker["score"] for worker in said["workers"]},
              "worst": [worker["rank"] for worker in said["worst_workers"]["workers"]]}
    for part in ("worst_workers", "last_stage"):
        answer[part] = {key: said[part][key] for key in ("repaired_s", "alone_s", "saved_share", "caused_share")}
    return answer


class Replay(unittest.TestCase):
    def same_answers(self, said, expected, place):
        for answer in (said, expected):  # shares of nothing
            if abs(sum(expected["without_delays"]) - sum(expected["ideal"])) < 1e-9:
                for part in ("worst_workers", "last_stage"):
                    del answer[part]["saved_share"], answer[part]["caused_share"]
        self.same(said, expected, place)

    def same(self, said, expected, place):
        if isinstance(expected, dict):
            self.assertEqual(said.keys(), expected.keys(), place)
            for key in expected:
                self.same(said[key], expected[key], f"{place}, {key}")
        elif isinstance(expected, list):
            self.assertEqual(len(said), len(expected), place)
            for i, (one, other) in enumerate(zip(said, expected)):
                self.same(one, other, f"{place} {i}")
        else:
            self.assertAlmostEqual(said, expected, delta=1e-9 * max(1, abs(expected)), msg=place)

    def test_random_jobs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "ops.csv"
            for seed in range(JOBS):
                shape = pipeline_job.random_shape(seed)
                text = as_written(pipeline_job.table_of(shape, seed))
                path.write_text(text, encoding="utf-8")
                self.same_answers(answer_of_strobe(path), plain_replay.replay(as_read(text)), f"job {seed}, {shape}")

    def test_a_published_job(self):
        if not STUDY.is_file():
            self.skipTest("the shared data is not there")
        self.same_answers(answer_of_strobe(STUDY), plain_replay.replay(as_read(gzip.decompress(STUDY.read_bytes()).decode())), "ST")


if __name__ == "__main__":
    unittest.main()
