"""Takes something away from bundled recordings. The answer must say what it cannot tell, and why: silence would read as
healthy. The same question about the whole recording must not have that gap."""
import csv
import gzip
import io
import json
import os
import pathlib
import shutil
import tempfile
import unittest

from client import ROOT, Client

GPT = ROOT / "examples/gpt_inference_compiled.json.gz"
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation"}


def read(path):
    text = path.read_bytes()
    return json.loads(gzip.decompress(text) if path.suffix == ".gz" else text)


def without(keeps):
    """A function that writes a trace with only the events that `keeps` wants, changed as it returns them."""
    def strip(source, target):
        trace = read(source)
        trace["traceEvents"] = [kept for event in trace["traceEvents"] if (kept := keeps(dict(event)))]
        target.write_text(json.dumps(trace))
    return strip


def is_step(event):
    return str(event.get("name", "")).startswith("ProfilerStep")


def no_device(event):
    return None if event.get("cat") in DEVICE else event


def no_launch_ids(event):
    if event.get("ph") in ("s", "f", "t"):
        return None
    event["args"] = {key: value for key, value in event.get("args", {}).items()
                     if key not in ("correlation", "External id", "cbid")}
    return event


def no_host(event):
    return event if event.get("ph") == "M" or event.get("cat") in DEVICE else None


def no_steps_and_no_loop(source, target):
    """No marks of steps, and every name once, so that nothing repeats."""
    seen = set()

    def keeps(event):
        if event.get("ph") != "X":
            return event
        if is_step(event) or event.get("name") in seen:
            return None
        seen.add(event.get("name"))
        return event
    without(keeps)(source, target)


def two_steps(source, target):
    trace = read(source)
    steps = sorted(float(event["ts"]) for event in trace["traceEvents"] if is_step(event) and event.get("cat") == "user_annotation")
    trace["traceEvents"] = [event for event in trace["traceEvents"]
                            if event.get("ph") == "M" or float(event.get("ts", 0)) < steps[2]]
    target.write_text(json.dumps(trace))


def cut(source, target):
    text = gzip.decompress(source.read_bytes())
    target.write_bytes(text[:len(text) // 2])


def no_memory(event):
    return None if event.get("name") == "[memory]" else event


def no_collectives(event):
    return None if "allreduce" in str(event.get("name", "")).lower() or "gloo" in str(event.get("name", "")).lower() else event


def no_counters(source, target):
    """The list of kernels with its durations and nothing else that was measured."""
    lines = list(csv.reader(io.StringIO(gzip.decompress(source.read_bytes()).decode())))
    keeps = [i for i, name in enumerate(lines[0]) if "__" not in name or name == "gpu__time_duration.sum"]
    with target.open("w", newline="") as file:
        csv.writer(file).writerows([line[i] for i in keeps if i < len(line)] for line in lines)


class GapsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def gaps(self, tool, **arguments):
        """Question and reason of every gap."""
        for path in self.folder.rglob("*"):
            os.utime(path, (1, 1))  # it is not being written
        with Client(self.folder) as client:
            client.begin()
            answer = client.ask(tool, **arguments)
        self.assertFalse(answer["is_error"], answer["text"])
        for gap in answer["json"]["cannot_answer"]:
            self.assertTrue(gap["question"] and gap["reason"] and gap["record"], gap)
        return " | ".join(f"{gap['question']}: {gap['reason']}" for gap in answer["json"]["cannot_answer"])

    def put(self, source, name, strip=shutil.copy):
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        strip(pathlib.Path(source), target)

    def check(self, gap, whole, stripped):
        self.assertIn(gap, stripped)
        self.assertNotIn(gap, whole)

    def of_trace(self, gap, strip, source=GPT, name="stripped.json", tool="overview", **arguments):
        self.put(source, "whole" + "".join(source.suffixes))
        self.put(source, name, strip)
        self.check(gap, self.gaps(tool, trace="whole" + "".join(source.suffixes), **arguments),
                   self.gaps(tool, trace=name, **arguments))

    def test_without_device_work(self):
        self.of_trace("what the device did", without(no_device))

    def test_a_kernel_of_a_trace_without_kernels(self):
        self.of_trace("what the device did", without(no_device), tool="explain", kernel="nvjet")

    def test_kernels_of_a_trace_without_kernels(self):
        self.of_trace("how far the kernels are from the limits", without(no_device), tool="kernels")

    def test_without_steps(self):
        self.of_trace("how long a step takes", no_steps_and_no_loop)

    def test_a_step_of_a_trace_without_steps(self):
        self.of_trace("how long a step takes", no_steps_and_no_loop, tool="explain", step=2)

    def test_without_the_ids_of_launches(self):
        self.of_trace("operator times on the GPU, launch delays", without(no_launch_ids))

    def test_without_the_host(self):
        self.of_trace("what the host did", without(no_host))

    def test_cut_off(self):
        self.of_trace("cut off", cut)

    def test_without_memory_events(self):
        self.of_trace("who holds memory", without(no_memory), ROOT / "tests/golden/api/train.json")

    def test_without_any_event(self):
        self.of_trace("where the time went", without(lambda event: None))

    def test_without_counters(self):
        self.of_trace("what bounds each kernel", no_counters, ROOT / "examples/gpt_kernels_h200.csv.gz", "stripped.csv",
                      "kernels")

    def test_one_rank_only(self):
        ranks = ROOT / "tests/data/ranks/rank_5_sleeps"
        shutil.copytree(ranks, self.folder / "whole")
        self.put(ranks / "rank5.json.gz", "one/rank5.json.gz")
        self.check("which rank is slow or late", self.gaps("fleet", run="whole"), self.gaps("fleet", run="one"))

    def test_ranks_without_collectives(self):
        ranks = ROOT / "tests/data/ranks/rank_5_sleeps"
        shutil.copytree(ranks, self.folder / "whole")
        for path in ranks.glob("*.json.gz"):
            self.put(path, f"stripped/{path.stem}", without(no_collectives))
        self.check("who waits for whom", self.gaps("fleet", run="whole"), self.gaps("fleet", run="stripped"))

    def test_a_comparison_of_two_steps(self):
        for run in ("normal", "gpu_contention"):
            shutil.copytree(ROOT / "examples/serving" / run, self.folder / "whole" / run)
            self.put(ROOT / "examples/serving" / run / "trace.json.gz", f"short/{run}/trace.json", two_steps)
        gap = "whether the abnormal run is slower"
        self.check(gap, self.gaps("compare", normal="whole/normal", abnormal="whole/gpu_contention"),
                   self.gaps("compare", normal="short/normal", abnormal="short/gpu_contention"))

    def test_a_comparison_without_samples(self):
        for run in ("normal", "gpu_contention"):
            shutil.copytree(ROOT / "examples/serving" / run, self.folder / "whole" / run)
            self.put(ROOT / "examples/serving" / run / "trace.json.gz", f"bare/{run}/trace.json.gz")
        self.check("whether clocks", self.gaps("compare", normal="whole/normal", abnormal="whole/gpu_contention"),
                   self.gaps("compare", normal="bare/normal", abnormal="bare/gpu_contention"))

    def test_an_empty_folder(self):
        self.assertIn("anything", self.gaps("open"))

    def test_a_file_that_is_no_trace(self):
        (self.folder / "broken.pt.trace.json").write_text("{\"traceEvents\": 7}")
        self.assertIn("where the time went", self.gaps("overview", trace="broken.pt.trace.json"))


if __name__ == "__main__":
    unittest.main()
