#!/usr/bin/env python3
"""Counts a job again from the raw traces of its ranks, in the plainest way, and compares.

    recount_job.py JOB.json RANK0.json RANK1.json ...

JOB.json is what strobe says with the clocks of the files. The traces are Kineto's, of one step, and
all ranks meet in every collective: the n-th kernel of NCCL on one rank meets the n-th on the others.
"""

import json
import sys

OWN_WORK = ("compute_ns", "copy_ns", "transfer_ns", "wait_ns", "input_ns", "host_ns")


def read_rank(path):
    with open(path, encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X"]
    spans = {"compute_ns": [], "copy_ns": [], "input_ns": []}
    calls = []
    operators = []
    step = None
    for event in events:
        start = int(event["ts"]) * 1000
        span = (start, start + int(event["dur"]) * 1000)
        category, name = event.get("cat"), event["name"]
        if category == "kernel" and name.startswith("nccl"):
            calls.append(span)
        elif category == "kernel":
            spans["compute_ns"].append(span)
        elif category in ("gpu_memcpy", "gpu_memset"):
            spans["copy_ns"].append(span)
        elif name.startswith("enumerate(DataLoader)"):
            spans["input_ns"].append(span)
        elif category == "cpu_op":
            operators.append(span)
        elif name.startswith("ProfilerStep#"):
            assert step is None, "one step was expected"
            step = span
    return {"step": step, "spans": spans, "calls": sorted(calls), "operators": operators}


def label_times(rank):
    """Walks over all moments at which anything begins or ends."""
    begin, end = rank["step"]
    changes = []
    for label, spans in rank["spans"].items():
        for start, stop in spans:
            changes.append((start, label, 1))
            changes.append((stop, label, -1))
    for start, stop in rank["operators"]:
        changes.append((start, "in_operators_ns", 1))
        changes.append((stop, "in_operators_ns", -1))
    changes.sort(key=lambda change: change[0])
    sums = dict.fromkeys(OWN_WORK + ("in_operators_ns",), 0)
    is_open = dict.fromkeys(sums, 0)
    at = begin
    for moment, label, change in changes + [(end, None, 0)]:
        until = min(max(moment, begin), end)
        shown = next((name for name in OWN_WORK if is_open[name] > 0), "host_ns")
        sums[shown] += until - at
        if shown == "host_ns" and is_open["in_operators_ns"] > 0:
            sums["in_operators_ns"] += until - at
        at = until
        if label is not None:
            is_open[label] += change
    return sums


def recount(ranks):
    counts = {len(rank["calls"]) for rank in ranks}
    assert len(counts) == 1, f"ranks make different numbers of calls: {counts}"
    for rank in ranks:
        rank["spans"].update({"wait_ns": [], "transfer_ns": []})
        rank["last"] = 0
    for number in range(counts.pop()):
        starts = [rank["calls"][number][0] for rank in ranks]
        last = max(starts)
        for rank in ranks:
            start, end = rank["calls"][number]
            border = min(last, end)
            rank["spans"]["wait_ns"].append((start, border))
            rank["spans"]["transfer_ns"].append((border, end))
            inside = rank["step"][0] <= start < rank["step"][1]
            rank["last"] += inside and start == last and starts.count(last) == 1


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    ranks = [read_rank(path) for path in sys.argv[2:]]
    recount(ranks)
    wrong = 0
    for rank, said in zip(ranks, job["ranks"]):
        assert len(said["steps"]) == 1
        step = said["steps"][0]
        expected = label_times(rank)
        expected["last"] = rank["last"]
        expected["kernels"] = sum(
            rank["step"][0] <= start < rank["step"][1] for start, _ in rank["spans"]["compute_ns"]
        )
        for member, value in expected.items():
            if step[member] != value:
                print(f"rank {said['rank']}: {member} is {value}, not {step[member]}")
                wrong += 1
        if sum(step[member] for member in OWN_WORK) != rank["step"][1] - rank["step"][0]:
            print(f"rank {said['rank']}: the parts do not add up to the step")
            wrong += 1
    if len(ranks) != len(job["ranks"]):
        print(f"{len(ranks)} ranks, not {len(job['ranks'])}")
        wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
