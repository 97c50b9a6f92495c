#!/usr/bin/env python3
"""torch's worker before a torch that only writes down how it is used.

torch_worker_calls.py WORKER    WORKER is the whole script; prints what two compiled cells asked of torch
"""
import collections
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
    """Of the second cell the compiler finds the code on the disk."""
    was_there = torch.compile.call_count > 1
    counters["inductor"]["fxgraph_cache_hit" if was_there else "fxgraph_cache_miss"] += 1
    return lambda *_inputs: tensor


torch.compile.side_effect = compiled
environment = dict(os.environ)
names = {"__name__": "worker"}
with open(sys.argv[1], encoding="utf-8") as file:
    exec(compile(file.read(), sys.argv[1], "exec"), names)  # what strobe runs, whole
names["case_of"].__globals__["make_input"] = lambda *_arguments: tensor

SHOWN = ("_dynamo.reset", "compile", "_C._cuda_clearCublasWorkspaces", "cuda.empty_cache")
LAUNCHES = ("ones", "empty", "zeros", "arange", "full", "sum", "cuda._sleep", "cuda.Event")

worker = names["Worker"]()
hello = worker.answer({"op": "hello"})
print("hello:", hello["ok"], [call[0] for call in torch.mock_calls if call[0] in LAUNCHES])
for number, case in enumerate(("softmax", "pointwise_chain")):
    torch.mock_calls.clear()
    cell = {"id": number, "case": case, "variant": "inductor", "shape": [4, 8], "dtype": "f32", "seed": 1}
    print("prepare:", worker.answer({"op": "prepare", **cell}).get("status", "ok"))
    reply = worker.answer({"op": "finish", "id": number})
    print("cell:", *[call[0] for call in torch.mock_calls if call[0] in SHOWN])
    print("peak:", reply["peak_bytes"], "cached:", reply["cached"])
worker.cuda = torch.driver  # written down with the rest
worker.answer({"op": "prepare", **cell, "id": 7})
torch.mock_calls.clear()
worker.answer({"op": "count", "id": 7})
COUNTED = ("driver.cuProfilerStart", "driver.cuProfilerStop", "sum", "cuda.synchronize")
print("count:", *[call[0] for call in torch.mock_calls if call[0] in COUNTED])
print("kernels of it:", worker.answer({"op": "finish", "id": 7}).get("kernels"), torch.profiler.profile.call_count)
print("inductor was touched:", "_inductor" in torch._mock_children, os.environ != environment)
