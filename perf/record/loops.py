"""One process of perf/record/overhead: a loop that is timed in blocks, whenever stdin asks for one.

    python3 loops.py PROGRAM TOOL LIBRARY_FOLDER RUN_FOLDER

answers every line of stdin with one of stdout: `block` with the milliseconds of a turn, `start` once the tool records.
A tool of `EARLY` must be there before the first CUDA call and records from the beginning. The thread that launches stays
on the last core, so that two processes that take turns meet the same neighbours of the machine; other threads are free.
"""
import ctypes
import json
import os
import sys
import time

PROGRAM, TOOL, LIBRARIES, RUN = sys.argv[1:5]
WARM_BLOCKS = 12
ALL_CORES = os.sched_getaffinity(0)


def set_variables(**values):
    """For C as well as for Python."""
    for name, value in values.items():
        os.environ[name] = value
        ctypes.CDLL(None).setenv(name.encode(), value.encode(), 1)


def start_strobe(**settings):
    set_variables(STROBE_RUN_FOLDER=RUN, STROBE_RUN_RECORDER=str(os.getppid()), **settings)
    ctypes.CDLL(os.path.join(LIBRARIES, "libstrobe_inject.so")).InitializeInjection()


def start_bare(kinds):
    result = ctypes.CDLL(os.path.join(LIBRARIES, "bare_cupti.so")).bare_cupti_start(kinds.encode())
    assert result == 0, result


def start_kineto(*activities):
    import torch
    profiler = torch.profiler.profile(activities=[getattr(torch.profiler.ProfilerActivity, one) for one in activities])
    profiler.__enter__()


TOOLS = {
    "none": lambda: None,
    "bare kernels": lambda: start_bare("kernels"),
    "bare kernels+runtime": lambda: start_bare("kernels+runtime"),
    "bare kernels+runtime+driver": lambda: start_bare("kernels+runtime+driver"),
    "strobe": lambda: start_strobe(STROBE_RUN_GRAPHS="nodes"),
    "strobe --gpu-only": lambda: start_strobe(STROBE_RUN_GRAPHS="nodes", STROBE_RUN_CALLS="none", STROBE_RUN_RANGES="0"),
    "strobe, whole graphs": lambda: start_strobe(),
    "strobe --every 6s --for 1s": lambda: start_strobe(STROBE_RUN_EVERY_MS="6000", STROBE_RUN_FOR_MS="1000"),
    "kineto": lambda: start_kineto("CPU", "CUDA"),
    "kineto, CUDA only": lambda: start_kineto("CUDA"),
}
EARLY = {"strobe, whole graphs"}

if TOOL in EARLY:
    TOOLS[TOOL]()

import torch  # noqa: E402  after a tool that must be first

torch.manual_seed(0)
torch.set_grad_enabled(False)
WIDTH, LAYERS, HEADS, CONTEXT = 512, 12, 8, 128
KIND = torch.bfloat16


class Layer(torch.nn.Module):
    """One layer of a small GPT, one token at a time."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.qkv, self.out = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, HEADS, CONTEXT, WIDTH // HEADS))

    def forward(self, x, place):
        q, k, v = (part.view(1, 1, HEADS, WIDTH // HEADS).transpose(1, 2)
                   for part in self.qkv(self.norm1(x)).split(WIDTH, -1))
        self.keys.index_copy_(2, place, k)
        self.values.index_copy_(2, place, v)
        seen = torch.softmax((q @ self.keys.transpose(-1, -2)) * 0.125, -1) @ self.values
        x = x + self.out(seen.transpose(1, 2).reshape(1, 1, WIDTH))
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))


def decode_loop():
    layers = torch.nn.ModuleList([Layer() for _ in range(LAYERS)]).cuda().to(KIND)
    x, place = torch.randn(1, 1, WIDTH, device="cuda", dtype=KIND), torch.tensor([3], device="cuda")

    def step():
        y = x
        for layer in layers:
            y = layer(y, place)
        return y

    for _ in range(5):
        step()
    torch.cuda.synchronize()
    return step


def graph_loop():
    step = decode_loop()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def device_bound_loop():
    a = torch.randn(8192, 8192, device="cuda", dtype=KIND)

    def step():
        for _ in range(16):
            a @ a
    return step


TURNS = {"decode": 10, "graph": 40, "device-bound": 1}
step = {"decode": decode_loop, "graph": graph_loop, "device-bound": device_bound_loop}[PROGRAM]()


def block():
    torch.cuda.synchronize()
    since = time.perf_counter()
    for _ in range(TURNS[PROGRAM]):
        step()
    torch.cuda.synchronize()
    return (time.perf_counter() - since) / TURNS[PROGRAM] * 1e3


def start():
    os.sched_setaffinity(0, ALL_CORES)  # threads of the tool are born free
    if TOOL not in EARLY:
        TOOLS[TOOL]()
    block()
    os.sched_setaffinity(0, {max(ALL_CORES)})
    return 0


for _ in range(WARM_BLOCKS):
    block()
os.sched_setaffinity(0, {max(ALL_CORES)})
for line in sys.stdin:
    print({"block": block, "start": start}[line.strip()](), flush=True)
os._exit(0)
