"""A table of operations, written as the traces of its ranks and read from them again, gives the same answers."""
import csv
import gzip
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STROBE = os.environ.get("STROBE", str(ROOT / "build/strobe"))
UNEVEN = ROOT / "tests/data/fleet/uneven_stages.csv"
STUDY = ROOT.parent / "shared/data/stragglers/ops-ST.csv.gz"
PASSES = ("forward-compute", "backward-compute")
ACTIONS = {"forward-compute": "F", "backward-compute": "B", "forward-send": "SEND_F", "forward-recv": "RECV_F",
           "backward-send": "SEND_B", "backward-recv": "RECV_B", "params-all-gather": "UNSHARD",
           "grads-reduce-scatter": "REDUCE_GRAD"}


def timer_name(row):
    return row["optype"].replace("-", "_")


def action_name(row):
    """As PyTorch's schedules call it, where they have a word for it."""
    action = ACTIONS.get(row["optype"])
    return f"PP:{row['stage']}{action}{row['seq_id']}" if action else timer_name(row)


def rows_of(path):
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return list(csv.DictReader(io.StringIO(text)))


def trace_of(rank, rows, zeros_us, name_of):
    """Passes and transfers run on the device, a little after the ranges that launch them."""
    events = []

    def add(name, cat, ts, dur, tid, **args):
        events.append({"ph": "X", "name": name, "cat": cat, "pid": 0 if cat == "kernel" else 100 + rank, "tid": tid,
                       "ts": round(ts, 3), "dur": round(dur, 3), "args": args})

    data_rank = next(row["dp_rank"] for row in rows if int(row["rank"]) == rank)
    stages = sorted({int(row["rank"]) for row in rows if row["dp_rank"] == data_rank})
    ends_us, threads = {}, {}
    for number, row in enumerate(one for one in rows if int(one["rank"]) == rank):
        kind, step = row["optype"], int(row["step"])
        start, duration = zeros_us[step] + float(row["start_ts"]) * 1e6, float(row["duration"]) * 1e6
        ends_us[step] = max(ends_us.get(step, 0), start + duration)
        thread = threads.setdefault(kind, len(threads) + 1)
        if kind not in ACTIONS:
            add(name_of(row), "user_annotation", start, duration, thread)
            continue
        add(name_of(row), "user_annotation", start - 3, 2, thread)
        add("cudaLaunchKernel", "cuda_runtime", start - 2.5, 1, thread, correlation=number)
        if kind in PASSES:
            add("gemm", "kernel", start, duration, 7, device=0, stream=7, correlation=number)
        else:
            add("ncclDevKernel_SendRecv", "kernel", start, duration, 20 + thread, device=0, stream=20 + thread,
                correlation=number, **{"Process Group Description": "pp", "Process Group Name": str(stages[0]),
                                       "Process Group Ranks": str(stages), "Group size": len(stages)})
    for step, end in ends_us.items():
        add(f"ProfilerStep#{step}", "user_annotation", zeros_us[step] - 1000, end - zeros_us[step] + 2000, 1000)
    return {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank}, "hostname": "one",
            "traceEvents": events}


def write_traces(folder, rows, name_of):
    zeros_us, now = {}, 1e6
    for step in sorted({int(row["step"]) for row in rows}):
        zeros_us[step] = now
        of_step = [row for row in rows if int(row["step"]) == step]
        zeros_us[step] = now - min(float(row["start_ts"]) for row in of_step) * 1e6
        now += 1e6 * max(float(row["start_ts"]) + float(row["duration"]) for row in of_step) + 1e5
    for rank in sorted({int(row["rank"]) for row in rows}):
        (folder / f"rank{rank}.json").write_text(json.dumps(trace_of(rank, rows, zeros_us, name_of)), encoding="utf-8")


def strobe(*words):
    return subprocess.run([STROBE, *map(str, words)], capture_output=True, text=True, check=False)


class PipelineTraces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "run"
        self.folder.mkdir()
        self.table = pathlib.Path(folder.name) / "ops.csv"

    def check_near(self, one, other, path=""):
        """Traces are rounded to nanoseconds."""
        if isinstance(one, dict):
            self.assertEqual(one.keys(), other.keys(), path)
            for key in one.keys() - {"job", "table", "verdict", "sizes"}:
                self.check_near(one[key], other[key], f"{path}.{key}")
        elif isinstance(one, list):
            self.assertEqual(len(one), len(other), path)
            for place, (a, b) in enumerate(zip(one, other)):
                self.check_near(a, b, f"{path}[{place}]")
        elif isinstance(one, (int, float)):
            self.assertAlmostEqual(one, other, delta=2e-6 * max(1, abs(one)), msg=path)
        else:
            self.assertEqual(one, other, path)

    def check(self, path, name_of):
        write_traces(self.folder, rows_of(path), name_of)
        done = strobe("fleet", self.folder, "--operations", self.table, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(strobe("fleet", path, "--format", "json").stdout)
        again = json.loads(strobe("fleet", self.table, "--format", "json").stdout)
        self.check_near(answer, again)
        self.assertIn(answer["verdict"][0], json.loads(done.stdout)["verdict"])
        self.check_schema(done.stdout)

    def check_schema(self, text):
        document = self.folder / "answer.txt"
        document.write_text(text, encoding="utf-8")
        done = subprocess.run([ROOT / "tools/check_schemas", "--only", document], capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 77), done.stdout + done.stderr)

    def test_ranges_with_the_names_of_timers(self):
        self.check(UNEVEN, timer_name)

    def test_ranges_with_the_names_of_a_schedule(self):
        self.check(UNEVEN, action_name)

    @unittest.skipUnless(STUDY.exists(), "the study's table is not here")
    def test_a_job_of_the_study(self):
        self.check(STUDY, timer_name)

    def test_what_cannot_be_replayed_is_said(self):
        rows = [row for row in rows_of(UNEVEN) if row["optype"] != "optimizer"]
        write_traces(self.folder, rows, timer_name)
        done = strobe("fleet", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no range of the optimizer", " ".join(done.stdout.split()))
        done = strobe("fleet", self.folder, "--operations", self.table)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("no range of the optimizer", done.stderr)

    def test_traces_without_passes_have_no_such_table(self):
        done = strobe("fleet", ROOT / "tests/data/ranks/rank_5_sleeps", "--operations", self.table)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("no ranges of these traces name", done.stderr)
        self.assertFalse(self.table.exists())


if __name__ == "__main__":
    unittest.main()
