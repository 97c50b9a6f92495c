#!/usr/bin/env python3
"""torch's worker with a fake torch that only records how it is used.

torch_worker_calls.py WORKER        WORKER is the whole script; prints the torch calls of two compiled cells
torch_worker_calls.py WORKER api    prints the API calls that it finds in a profile
torch_worker_calls.py WORKER hold   prints how often the queue was held, by request
torch_worker_calls.py WORKER places prints in how many places a call is timed
"""
import collections
import json
import os
import sys
from unittest.mock import MagicMock

torch = MagicMock()
torch.__version__ = "9.9"
torch.cuda.memory_allocated.return_value = 100
torch.cuda.max_memory_allocated.return_value = 500
torch.cuda.get_device_capability.return_value = (9, 0)
torch.cuda.mem_get_info.return_value = (1 << 30, 1 << 31)
torch.cuda.get_device_properties.return_value = MagicMock(
    L2_cache_size=1 << 20, multi_processor_count=2, total_memory=1 << 31)
torch.profiler.profile.side_effect = RuntimeError("nothing to profile")
counters = torch._dynamo.utils.counters = collections.defaultdict(collections.Counter)
sys.modules.update({"torch": torch, "torch._dynamo": torch._dynamo,
                    "torch._dynamo.utils": torch._dynamo.utils, "torch.nn": torch.nn,
                    "torch.nn.attention": torch.nn.attention, "triton": MagicMock(__version__="3.3")})
tensor = MagicMock()
tensor.numel.return_value, tensor.element_size.return_value = 32, 4


def compiled(_function, **_options):
    """For the second cell the compiler finds the code on the disk."""
    was_there = torch.compile.call_count > 1
    counters["inductor"]["fxgraph_cache_hit" if was_there else "fxgraph_cache_miss"] += 1
    return lambda *_inputs: tensor


torch.compile.side_effect = compiled
environment = dict(os.environ)
names = {"__name__": "worker"}
with open(sys.argv[1], encoding="utf-8") as file:
    exec(compile(file.read(), sys.argv[1], "exec"), names)  # the whole script that strobe runs
names["case_of"].__globals__["make_input"] = lambda *_arguments: tensor

SHOWN = ("_dynamo.reset", "compile", "_C._cuda_clearCublasWorkspaces", "cuda.empty_cache")
LAUNCHES = ("ones", "empty", "zeros", "arange", "full", "sum", "cuda._sleep", "cuda.Event")

# A usual call in a profile between a short one and an interrupted one, with what lies around them: (category, name,
# ts, dur, thread).
PROFILE = (("user_annotation", "strobe_call", 40, 20, 1), ("cuda_runtime", "cudaLaunchKernel", 45, 1, 1),
           ("user_annotation", "strobe_call", 200, 90, 1), ("cuda_runtime", "cudaLaunchKernel", 210, 60, 1),
           ("cuda_runtime", "cudaLaunchKernel", 20, 9, 1), ("user_annotation", "strobe_call", 100, 50, 1),
           ("gpu_user_annotation", "strobe_call", 20, 500, 7), ("cuda_runtime", "cudaLaunchKernel", 110, 8, 1),
           ("cuda_driver", "cuLaunchKernel", 112, 5, 1), ("cuda_runtime", "cudaStreamIsCapturing", 105, 1, 1),
           ("cuda_runtime", "cudaStreamIsCapturing", 107, 1, 1), ("cuda_runtime", "cudaMallocAsync", 113, 2, 2),
           ("kernel", "triton_softmax", 118, 4, 7), ("cuda_runtime", "cudaDeviceSynchronize", 149, 30, 1))


def softmax(number):
    return {"id": number, "case": "softmax", "variant": "inductor", "shape": [4, 8], "dtype": "f32", "seed": 1}


def show_cells(worker):
    hello = worker.answer({"op": "hello"})
    print("hello:", hello["ok"], [call[0] for call in torch.mock_calls if call[0] in LAUNCHES])
    for number, case in enumerate(("softmax", "pointwise_chain")):
        torch.mock_calls.clear()
        cell = {**softmax(number), "case": case}
        print("prepare:", worker.answer({"op": "prepare", **cell}).get("status", "ok"))
        reply = worker.answer({"op": "finish", "id": number})
        print("cell:", *[call[0] for call in torch.mock_calls if call[0] in SHOWN])
        print("peak:", reply["peak_bytes"], "cached:", reply["is_cached"])
    worker.cuda = torch.driver  # written down with the rest
    worker.answer({"op": "prepare", **cell, "id": 7})
    torch.mock_calls.clear()
    worker.answer({"op": "count", "id": 7})
    COUNTED = ("driver.cuProfilerStart", "driver.cuProfilerStop", "sum", "cuda.synchronize")
    print("count:", *[call[0] for call in torch.mock_calls if call[0] in COUNTED])
    print("kernels of it:", worker.answer({"op": "finish", "id": 7}).get("kernels"), torch.profiler.profile.call_count)
    print("inductor was touched:", "_inductor" in torch._mock_children, os.environ != environment)


def write_profile(path, events):
    fields = ("cat", "name", "ts", "dur", "tid")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": [dict(zip(fields, event)) for event in events]}, file)


def show_api(worker):
    profiler = MagicMock()
    profiler.__enter__.return_value = profiler
    torch.profiler.profile.side_effect = None
    torch.profiler.profile.return_value = profiler
    for events in (PROFILE, [event for event in PROFILE if event[1] != "strobe_call"]):
        profiler.export_chrome_trace.side_effect = lambda path: write_profile(path, events)
        for asked in ({}, {"api": True}):
            worker.answer({"op": "prepare", **softmax(1)})
            reply = worker.answer({"op": "finish", "id": 1, **asked})
            print("kernels:", [kernel["name"] for kernel in reply["kernels"]])
            print("api:", json.dumps(reply.get("api")), reply.get("lacks"))


def show_hold(worker):
    def sleeps():
        count = sum(call[0] == "cuda._sleep" for call in torch.mock_calls)
        torch.mock_calls.clear()
        return count

    torch.cuda.Event.return_value.query.return_value = False
    torch.cuda.Event.return_value.elapsed_time.return_value = 0.01
    for told in ({}, {"hold": False}):
        torch.mock_calls.clear()
        worker.answer({"op": "prepare", **softmax(1), **told})
        print("prepare: flushed:", sum(call[0] == "sum" for call in torch.mock_calls), "held:", sleeps())
        for asked in ({}, {"hold": False}):
            sample = {"op": "sample", "id": 1, "mode": "device", "count": 3, "budget_ms": 1e9, **asked}
            print("sample:", worker.answer(sample)["samples_us"], "held:", sleeps())


def show_places(worker):
    def places(told, bytes_of_a_tensor, copies):
        tensor.element_size.return_value = bytes_of_a_tensor // 32
        tensor.clone.side_effect = copies
        worker.answer({"op": "prepare", **softmax(1), **told})
        cell = worker.cells[1]
        taken = [cell.sets.index(cell.next_set()) for _ in range(3)] if len(cell.sets) < 16 else "by turns"
        return len(cell.sets), len(cell.recent), taken

    torch.cuda.OutOfMemoryError = MemoryError
    torch.cuda.Event.return_value.query.return_value = False
    new = lambda: MagicMock(**{"numel.return_value": 32})
    print("small:", *places({}, 1 << 10, new))
    print("large:", *places({}, 1 << 28, new))
    print("no memory:", *places({}, 1 << 10, [new(), new(), new(), MemoryError()]))
    print("hot:", *places({"flush": "hot"}, 1 << 10, new))


{"": show_cells, "api": show_api, "hold": show_hold, "places": show_places}[(sys.argv + [""])[2]](names["Worker"]())
