"""Programs for perf/record/check, the same work in every run.

    python3 programs.py train|decode|graph|serve|rank|neighbour [SECONDS] [--kineto FILE]
"""
import os
import sys
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


def rank():
    """A rank of eight: RANK + 100 launches of one kernel, copies of known size."""
    number = int(os.environ.get("RANK", "0"))
    x = torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    for _ in range(1000 + number):
        x.add_(1)
    torch.ones(2000 + number).cuda()


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


main()
