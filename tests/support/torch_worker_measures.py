#!/usr/bin/env python3
"""torch's worker with a scripted torch, driver and NVML: what it measures, and what it reports.

torch_worker_measures.py WORKER clock|hold|graph|cache|activity|call|plan    WORKER is the whole script
"""
import collections
import ctypes
import itertools
import json
import sys
from types import SimpleNamespace
from unittest.mock import MagicMock

MEBI = 1 << 20
INPUT_BYTES = 256 << 10


class Tensor:
    """A number that represents all its values."""
    alive = most_alive = 0

    def __init__(self, size):
        self.size, self.value = size, 0.0
        Tensor.alive += 1
        Tensor.most_alive = max(Tensor.most_alive, Tensor.alive)

    def __del__(self):
        Tensor.alive -= 1

    def numel(self):
        return self.size // 4

    def element_size(self):
        return 4

    def dim(self):
        return 2

    def clone(self):
        return Tensor(self.size)

    def fill_(self, value):
        self.value = value

    def __getitem__(self, place):
        assert place == (-1, -1), place
        return SimpleNamespace(item=lambda: self.value)


class Library:
    """Calls by name; a missing one is not found."""

    def __init__(self, **calls):
        self.__dict__.update(calls)


def gives(number):
    def call(*arguments):
        arguments[-1]._obj.value = number() if callable(number) else number
        return 0
    return call


torch = MagicMock()
torch.__version__ = "9.9"
torch.cuda.memory_allocated.return_value = torch.cuda.max_memory_allocated.return_value = 0
torch.cuda.get_device_capability.return_value = (9, 0)
torch.cuda.mem_get_info.return_value = (1 << 30, 1 << 31)
PROPERTIES = {"multi_processor_count": 2, "total_memory": 1 << 31}
torch.cuda.get_device_properties.return_value = SimpleNamespace(**PROPERTIES, L2_cache_size=MEBI)
torch.cuda.Event.return_value.query.return_value = False
torch.cuda.Event.return_value.elapsed_time.return_value = 0.01
torch.profiler.profile.side_effect = RuntimeError("nothing to profile")
torch._dynamo.utils.counters = collections.defaultdict(collections.Counter)
sys.modules.update({"torch": torch, "torch._dynamo": torch._dynamo, "torch._dynamo.utils": torch._dynamo.utils,
                    "torch.nn": torch.nn, "torch.nn.attention": torch.nn.attention,
                    "triton": MagicMock(__version__="3.3")})
names = {"__name__": "worker"}
with open(sys.argv[1], encoding="utf-8") as file:
    exec(compile(file.read(), sys.argv[1], "exec"), names)
libraries = {}


def open_library(name):
    if name not in libraries:
        raise OSError("there is no " + name)
    return libraries[name]


ctypes.CDLL = open_library
names["make_input"] = lambda *_arguments: Tensor(names.get("input_bytes", INPUT_BYTES))


def new_worker(call=lambda _x: Tensor(names.get("input_bytes", INPUT_BYTES))):
    torch.compile.side_effect = lambda _function, **_options: call
    return names["Worker"]()


def prepare(worker, **told):
    return worker.answer({"op": "prepare", "id": 1, "case": "softmax", "variant": "inductor", "shape": [4, 8],
                          "dtype": "f32", "seed": 1, **told})


def answer_of(worker, request):
    """As strobe receives it: a failure is an answer."""
    replies = []
    out = SimpleNamespace(write=replies.append, flush=lambda: None)
    worker.serve([json.dumps(request)], out)
    return json.loads(replies[0])


def sample(worker, mode, count=2, **told):
    return answer_of(worker, {"op": "sample", "id": 1, "mode": mode, "count": count, "budget_ms": 1e9, **told})


def replays_of(worker, left_out=lambda: 0):
    """A replay writes what the captured calls have left, but for the first few sets."""
    def replay():
        for tensor in [tensor for outputs in worker.cells[1].written for tensor in outputs][left_out():]:
            tensor.value = 2.0

    torch.cuda.CUDAGraph.return_value.replay.side_effect = replay


def finish(worker):
    return worker.answer({"op": "finish", "id": 1})


# The process sees one device, which is 0 for the driver and in slot 7.
DRIVER = {"cuInit": lambda _flags: 0, "cuDeviceGet": lambda device, ordinal: gives(7 + ordinal)(device)}


def pci_id(text, _size, device):
    text.value = b"0000:%02d:00.0" % device.value
    return 0


def show_clock():
    heard = []
    now = {"power": 500_000, "reasons": 0x4, "mhz": 1980}

    def handle(bus_id, device):
        heard.append(bus_id.value.decode())
        return gives(99)(device) if bus_id.value else 2

    def clock_info(device, which, value):
        assert device.value == 99
        heard.append({1: "sm", 2: "memory"}[which])
        return gives(now["mhz"] if which == 1 else 3201)(value)

    torch.cuda.synchronize.side_effect = lambda: heard.append("synchronize")
    libraries["libcuda.so.1"] = Library(**DRIVER, cuDeviceGetPCIBusId=pci_id)
    libraries["libnvidia-ml.so.1"] = Library(
        nvmlInit_v2=lambda: 0, nvmlDeviceGetHandleByPciBusId_v2=handle, nvmlDeviceGetClockInfo=clock_info,
        nvmlDeviceGetPowerUsage=gives(lambda: now["power"]), nvmlDeviceGetTemperature=gives(41),
        nvmlDeviceGetCurrentClocksThrottleReasons=gives(lambda: now["reasons"]))
    worker = new_worker()
    print("hello:", worker.answer({"op": "hello"})["ok"], heard)
    replays_of(worker)
    prepare(worker)
    print("found by:", [word for word in heard if ":" in word])
    names["BETWEEN_READINGS_S"] = 0
    heard.clear()
    print(json.dumps(sample(worker, "device")))
    print("in the order:", *heard)
    now.update(mhz=1700, reasons=0x21)  # 0x1: idle, which holds nothing down
    print("graph:", sample(worker, "graph")["sm_mhz"])
    print("call:", sample(worker, "call").get("sm_mhz"))
    now.update(mhz=345, power=70_000, reasons=0x8)
    print(json.dumps({"clocks": finish(worker)["clocks"]}))
    for name, why in (("libnvidia-ml.so.1", "without NVML"), ("libcuda.so.1", "without a driver")):
        kept = libraries.pop(name)
        worker = new_worker()
        prepare(worker)
        print(why + ":", sample(worker, "device"), finish(worker)["clocks"])
        libraries[name] = kept
    libraries["libnvidia-ml.so.1"] = Library(nvmlInit_v2=lambda: 9)
    worker = new_worker()
    prepare(worker)
    print("with one that fails:", sample(worker, "device"), finish(worker)["clocks"])


def show_hold():
    held_us = []
    worker = new_worker()
    torch.cuda._sleep.side_effect = lambda cycles: held_us.append(cycles / 2000)
    for ran_dry in (itertools.chain([True] * 5, itertools.repeat(False)), itertools.repeat(True)):
        torch.cuda.Event.return_value.query.side_effect = lambda: next(ran_dry)
        prepare(worker)
        worker.cells[1].enqueue_us = 130  # the first hold of each sample is one of 500 us
        held_us.clear()
        reply = sample(worker, "device", 2)
        print("samples:", reply.get("samples_us"), "holds:", len(held_us), "the longest: %.0f us" % max(held_us))
        print(reply["status"], reply.get("reason"))
    # The cell can still be timed in other modes.
    print("without a hold:", sample(worker, "device", 2, hold=False)["samples_us"])


def show_graph():
    captured, left_out = [], 0

    def call(_input):
        out = Tensor(names.get("input_bytes", INPUT_BYTES))
        if capturing:
            captured.append(out)
        return out

    capturing = []
    torch.cuda.graph.return_value.__enter__.side_effect = lambda *_: (capturing.append(1), captured.clear())
    torch.cuda.graph.return_value.__exit__.side_effect = lambda *_: capturing.clear()
    worker = new_worker(call)
    replays_of(worker, lambda: left_out)
    for told, bytes_of_input, missing in (({}, INPUT_BYTES, 0), ({"flush": "rotate"}, INPUT_BYTES, 0),
                                          ({"flush": "hot"}, INPUT_BYTES, 0), ({}, 1 << 29, 0),
                                          ({"flush": "rotate"}, 512, 0), ({}, INPUT_BYTES, 3)):
        names["input_bytes"], left_out = bytes_of_input, missing
        prepare(worker, **told)
        reply = sample(worker, "graph", 1)
        calls = len(captured)
        captured.clear()
        if reply["status"] == "ok":
            print(calls, "calls;", *[note for note in finish(worker)["notes"] if note.startswith("graph")])
        else:
            print(reply["status"], reply["reason"])


def show_graph_memory():
    """Large calls of one set: twenty of them hold no more than one."""
    names["input_bytes"] = 1 << 29
    worker = new_worker()
    prepare(worker)
    replays_of(worker)
    before = Tensor.most_alive = Tensor.alive
    sample(worker, "graph", 1)
    print("results of 20 calls that are there at once:", Tensor.most_alive - before)


def show_cache():
    def l2_of(device, number, told):
        assert number == 38 and told == 7, (number, told)
        return gives(50 * MEBI)(device)

    torch.cuda.get_device_properties.return_value = SimpleNamespace(**PROPERTIES)
    for calls in ({"cuDeviceGetAttribute": lambda out, number, device: l2_of(out, number, device.value)}, {}):
        libraries["libcuda.so.1"] = Library(**DRIVER, **calls)
        worker = new_worker()
        print("facts:", worker.answer({"op": "hello"})["facts"])
        torch.zeros.reset_mock()
        prepare(worker)
        print("flushed: %d MiB" % (torch.zeros.call_args_list[0].args[0] * 4 // MEBI))
        print("notes:", [note for note in finish(worker)["notes"] if "unknown" in note])
        prepare(worker, flush="hot")
        print("hot:", [note for note in finish(worker)["notes"] if "unknown" in note])


def show_activity():
    """Device work is recorded; the n-th call has two kernels, of n and of 10 us."""
    ran, number, lost = [], itertools.count(1), 0

    def call(_input):
        ran.extend([("one", next(number)), ("other", 10)])
        return Tensor(INPUT_BYTES)

    def write_profile(path):
        events = [{"cat": "kernel", "name": name, "dur": us, "ts": at} for at, (name, us) in enumerate(ran)]
        events.append({"cat": "cuda_runtime", "name": "cudaLaunchKernel", "dur": 3, "ts": 0})
        with open(path, "w", encoding="utf-8") as trace:
            json.dump({"traceEvents": events[lost:]}, trace)

    profiler = MagicMock()
    profiler.__enter__.side_effect = lambda: (ran.clear(), profiler)[1]
    profiler.export_chrome_trace.side_effect = write_profile
    torch.profiler.profile.side_effect, torch.profiler.profile.return_value = None, profiler
    torch.cuda._sleep.side_effect = lambda _cycles: ran.append(("void spin_kernel(long)", 1))
    torch.sum.side_effect = lambda *_, **__: ran.append(("flush", 500))
    worker = new_worker(call)
    print("modes:", worker.answer({"op": "hello"})["modes"])
    for flush in ("cold", "hot"):
        prepare(worker, flush=flush)
        number = itertools.count(1)
        torch.profiler.profile.reset_mock()
        samples = sample(worker, "activity", 3)["samples_us"]
        print(flush + ":", samples, "recordings:", torch.profiler.profile.call_count)
        print("kernels:", [(kernel["name"], kernel["us"]) for kernel in finish(worker)["kernels"]],
              "recordings:", torch.profiler.profile.call_count)
    prepare(worker)
    number, lost = itertools.count(1), 2
    reply = sample(worker, "activity", 3)
    print(reply["status"], reply["reason"])
    number, lost = itertools.count(1), 0
    order = []
    names["Cell"].sample = lambda _cell, mode, *_: order.append(mode) or {"samples_us": {mode: [1]}}
    whole = worker.answer({"op": "cell", "id": 2, "case": "softmax", "variant": "inductor", "shape": [4, 8],
                           "dtype": "f32", "seed": 1, "modes": ["activity", "device", "call"]})
    print("whole cell:", order, whole["samples_us"])


def show_call():
    """Each reading of the host's clock is 5 us later than the one before."""
    ticks = itertools.count()
    names["time"] = SimpleNamespace(perf_counter=lambda: next(ticks) * 5e-6)
    worker = new_worker()
    prepare(worker)
    worker.log.lines.append("recompile limit hit: once")
    print("before:", worker.cells[1].describe()["notes"])
    print("call:", {mode: [round(us) for us in samples] for mode, samples in
                    sample(worker, "call", 3)["samples_us"].items()})
    print("after:", finish(worker)["notes"])


class Held:
    """A tensor that only has a size, and counts what exists at the same time."""
    live = most = 0

    def __init__(self, shape):
        self.shape, self.size = tuple(shape), 1
        for extent in self.shape:
            self.size *= extent
        Held.live += self.size
        Held.most = max(Held.most, Held.live)

    def __del__(self):
        Held.live -= getattr(self, "size", 0)

    def joined(self, other=None):
        shapes = [self.shape] + ([other.shape] if isinstance(other, Held) else [])
        rank = max(map(len, shapes))
        return Held([max(extents) for extents in zip(*[(1,) * (rank - len(shape)) + shape for shape in shapes])])

    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __truediv__ = joined

    def view(self, order):
        seen = Held.__new__(Held)  # memory of another
        seen.shape, seen.size, seen.of = tuple(self.shape[axis] for axis in order), 0, self
        return seen

    def t(self):
        return self.view((1, 0))

    def permute(self, *order):
        return self.view(order)

    def transpose(self, a, b):
        order = list(range(len(self.shape)))
        order[a], order[b] = b, a
        return self.view(order)

    def amax(self, _axis, keepdim=False):
        return Held((self.shape[0], 1) if keepdim else self.shape[:1])

    sum = amax

    def triu(self, _diagonal):
        return self


def matmul(a, b):
    return Held(a.shape[:-1] + b.shape[-1:])


def convolved(x, weight, stride, padding):
    extents = [(size + 2 * padding - kernel) // stride + 1 for size, kernel in zip(x.shape[2:], weight.shape[2:])]
    return Held([x.shape[0], weight.shape[0]] + extents)


COUNTED_TORCH = SimpleNamespace(
    cos=Held.joined, exp=Held.joined, tanh=Held.joined, relu=Held.joined, maximum=Held.joined, matmul=matmul,
    softmax=lambda x, _axis: x.joined(), _softmax_backward_data=lambda dy, y, _axis, _dtype: dy.joined(y),
    full=lambda shape, _value, dtype, device: Held(shape),
    nn=SimpleNamespace(functional=SimpleNamespace(
        dropout=lambda x, p, training: x, layer_norm=lambda x, *_: x.joined(), conv2d=convolved,
        batch_norm=lambda x, *_: x.joined())))
Held.dtype = None


def counted(request):
    """The peak memory of a case's function, operator by operator."""
    Held.live = 0
    shapes, function = names["case_of"](COUNTED_TORCH, request, None)
    inputs = [Held(shape) for shape in shapes]
    Held.most = 0
    outputs = function(*inputs)
    del inputs, outputs, function
    return Held.most


def show_plan():
    rows, product = [64, 4096], [1024, 512, 256]
    cases = [(case, rows) for case in names["row_cases"](COUNTED_TORCH) if not case.endswith("_train")]
    cases += [("matmul_" + rest, product) for rest in ("add", "relu", "add_relu", "matmul")]
    cases += [("conv_" + rest, [8, 30, 30, 32, 64, 3, 2]) for rest in ("add", "relu", "bn")]
    cases += [("attention", [2, 256, 4, 16])]
    for case, shape in cases:
        request = {"case": case, "variant": "eager", "shape": shape, "seed": 1}
        planned = names["planned_values"](COUNTED_TORCH, case, "eager", shape)
        held, least = counted(request), names["planned_values"](COUNTED_TORCH, case, "inductor", shape)
        print(case, "as held:" if abs(held - planned) < 0.005 * held else "off: %d held," % held, planned,
              "compiled:", least)
    for variant in ("eager", "inductor", "sdpa-math", "sdpa-flash"):
        print(variant, names["planned_values"](COUNTED_TORCH, "attention", variant, [1, 1000, 1, 1]))


{"clock": show_clock, "hold": show_hold, "graph": lambda: (show_graph(), show_graph_memory()), "cache": show_cache,
 "activity": show_activity, "call": show_call, "plan": show_plan}[sys.argv[2]]()
