"""Programs for perf/record/check, the same work in every run.

    python3 programs.py train|decode|graph|serve|rank|fork|spawn|threads|profiled|neighbour [SECONDS] [--kineto FILE]
"""
import multiprocessing
import os
import sys
import threading
import time

import torch

NAME = sys.argv[1]
torch.manual_seed(0)
KIND = torch.bfloat16


def linear_steps():
    layers = torch.nn.ModuleList([torch.nn.Linear(512, 512) for _ in range(40)]).cuda().to(KIND)
    x = torch.randn(1, 512, device="cuda", dtype=KIND)

    def step():
        y = x
        for layer in layers:
            y = torch.nn.functional.gelu(layer(y)) + x
        return y
    return step


def train():
    model = torch.nn.Sequential(
        *[torch.nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True) for _ in range(3)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    batch = torch.randn(8, 64, 256).pin_memory()
    for number in range(20):
        torch.cuda.nvtx.range_push(f"step {number}")
        loss = model(batch.cuda(non_blocking=True)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        loss.item()
        torch.cuda.nvtx.range_pop()


@torch.no_grad()
def decode():
    step = linear_steps()
    for _ in range(200):
        step()


@torch.no_grad()
def graph():
    step = linear_steps()
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        step()
    for _ in range(300):
        captured.replay()


@torch.no_grad()
def serve():
    """Requests one after the other, each a few host decisions and a few hundred kernels."""
    step = linear_steps()
    weight = torch.randn(4096, 4096, device="cuda", dtype=KIND)
    until = time.perf_counter() + float(sys.argv[2])
    while time.perf_counter() < until:
        torch.cuda.nvtx.range_push("request")
        words = [str(number * 7919 % 1000) for number in range(2000)]
        "".join(sorted(words))
        step()
        for _ in range(8):
            weight @ weight
        torch.cuda.synchronize()
        torch.cuda.nvtx.range_pop()


def rank(number=int(os.environ.get("RANK", "0"))):
    """A rank of eight: 1000 launches of one kernel and one more for each lower rank, copies of known size."""
    x = torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    for _ in range(1000 + number):
        x.add_(1)
    torch.ones(2000 + number).cuda()
    torch.cuda.synchronize()


def eight_ranks(way):
    context = multiprocessing.get_context(way)
    children = [context.Process(target=rank, args=(number,)) for number in range(8)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert all(child.exitcode == 0 for child in children)


def fork():
    eight_ranks("fork")


def spawn():
    eight_ranks("spawn")


def threads():
    """The same training in a thread of its own, and then in the main thread."""
    worker = threading.Thread(target=train)
    worker.start()
    worker.join()
    train()


def profiled():
    """A program with a profiler of its own for a part of its time."""
    train()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        train()
    train()


def neighbour():
    """Another program on the same GPU."""
    a = torch.randn(8192, 8192, device="cuda", dtype=KIND)
    until = time.perf_counter() + float(sys.argv[2])
    while time.perf_counter() < until:
        for _ in range(10):
            a @ a
        torch.cuda.synchronize()


def main():
    work = globals()[NAME]
    if "--kineto" in sys.argv:
        activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=activities) as profiler:
            work()
            torch.cuda.synchronize()
        profiler.export_chrome_trace(sys.argv[sys.argv.index("--kineto") + 1])
    else:
        work()
        torch.cuda.synchronize()


if __name__ == "__main__":  # not in the children of spawn
    main()
