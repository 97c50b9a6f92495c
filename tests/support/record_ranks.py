#!/usr/bin/env python3
"""Records the ranks in tests/data/ranks: a small network, trained by several processes over gloo.

    tests/support/record_ranks.py tests/data/ranks/equal
    tests/support/record_ranks.py tests/data/ranks/rank_5_sleeps --slow 5

It needs PyTorch with gloo, and no accelerator. The times are those of PyTorch's first profiler,
which every build has; the spelling is that of its present one. Events that are shorter than 40 us
are left out, except ranges and collectives.
"""

import argparse
import gzip
import json
import os
import re
import tempfile
import time

import torch
import torch.distributed
import torch.multiprocessing
from torch.autograd import profiler
from torch.nn.parallel import DistributedDataParallel

WIDTH = 96
BATCH = 16
LEAST_US = 40
RANGES = re.compile(r"ProfilerStep#|Optimizer\.|DistributedDataParallel|gloo:")
OTHER_RANGES = re.compile(r"torch\.distributed")


def network():
    layers = []
    for _ in range(4):
        layers += [torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(WIDTH, 10))


def step(model, optimizer, seconds):
    values = torch.randn(BATCH, WIDTH)
    classes = torch.randint(10, (BATCH,))
    time.sleep(seconds)
    loss = torch.nn.functional.cross_entropy(model(values), classes)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def train(rank, options, trace):
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(options.port))
    torch.distributed.init_process_group("gloo", rank=rank, world_size=options.ranks)
    model = DistributedDataParallel(network(), bucket_cap_mb=0.02)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    seconds = options.sleep_ms / 1000 if rank == options.slow else 0
    for _ in range(3):
        step(model, optimizer, seconds)
    torch.distributed.barrier()
    with profiler.profile(use_kineto=False) as recorded:
        for number in range(options.steps):
            with profiler.record_function(f"ProfilerStep#{number}"):
                step(model, optimizer, seconds)
    recorded.export_chrome_trace(trace.format(rank))
    torch.distributed.barrier()


def kineto_event(event, rank):
    name = event["name"]
    is_range = RANGES.match(name)
    if OTHER_RANGES.match(name):
        return None
    if event["dur"] < LEAST_US and not is_range and not name.startswith("c10d::"):
        return None
    process = 4000 + rank
    return {
        "ph": "X", "cat": "user_annotation" if is_range else "cpu_op", "name": name,
        "pid": process, "tid": process + event["tid"] - 1, "ts": event["ts"], "dur": event["dur"],
    }


def write_kineto(source, target, rank, ranks):
    with open(source) as file:
        events = json.load(file)
    events.sort(key=lambda event: (event["ts"], -event["dur"]))
    kept = filter(None, (kineto_event(event, rank) for event in events))
    lines = ",\n".join(json.dumps(event, separators=(",", ":")) for event in kept)
    info = json.dumps({"backend": "gloo", "rank": rank, "world_size": ranks})
    text = f'{{"schemaVersion":1,"distributedInfo":{info},"traceEvents":[\n{lines}\n]}}\n'
    with open(target, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(text.encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--slow", type=int, help="the rank that sleeps in each step")
    parser.add_argument("--sleep-ms", type=float, default=30)
    parser.add_argument("--port", type=int, default=29511)
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "{}.json")
        torch.multiprocessing.spawn(train, (options, trace), nprocs=options.ranks)
        for rank in range(options.ranks):
            target = os.path.join(options.output, f"rank{rank}.json.gz")
            write_kineto(trace.format(rank), target, rank, options.ranks)


if __name__ == "__main__":
    main()
