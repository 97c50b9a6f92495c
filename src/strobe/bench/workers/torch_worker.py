#!/usr/bin/env python3
"""torch behind strobe's worker protocol: docs/formats/bench_worker.md.

Started by `strobe bench run --provider torch-eager,torch-inductor`. Needs torch with a CUDA device and
nothing else; without them it says so and strobe continues without it. strobe writes torch_cases.py,
torch_flush.py, torch_profile.py and this file into one. Long because one script must answer
all requests of a worker.
"""
import collections
import ctypes
import json
import logging
import math
import os
import re
import statistics
import sys
import time

MOST_REPLAYS = 16
LEAST_GRAPH_CALLS, MOST_SETS = 20, 1024
MOST_PLACES, MOST_PLACE_BYTES = 16, 256e6
MEBI, GIBI = 1 << 20, 1 << 30
FLUSHED_UNKNOWN_BYTES = 256 * MEBI  # if the size of the cache is unknown
LONGEST_HOLD_US = 1e6
POISON = -1024.0  # exact in every type, and no result
BETWEEN_READINGS_S = 0.1


def expand_rows(items):
    rows = []
    for item in items:
        rows.extend(range(item[0], item[0] + item[1]) if isinstance(item, list) else [item])
    return rows


# ---- one cell ----------------------------------------------------------------------------------------

class Cell:
    def __init__(self, worker, request):
        self.worker, self.torch = worker, worker.torch
        torch = self.torch
        self.flush = request.get("flush", "cold")
        self.hold = request.get("hold", True)
        variant = request["variant"]
        dtype = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[request["dtype"]]
        if self.flush != "hot":
            worker.cache_flush()  # the worker's, not the cell's
        self.held_bytes = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        shapes, function = case_of(torch, request, dtype)
        self.sets = [[self.input(request, shape, number, dtype) for number, shape in enumerate(shapes)]]
        self.notes = []
        if worker.flush is not None and worker.flush.obstacle:
            self.notes.append("lines with the priority to stay may outlive the flush (%s)" % worker.flush.obstacle)
        if self.flush != "hot" and not worker.l2_bytes:
            self.notes.append("the size of the L2 cache is unknown; flushing %d MiB" % (worker.flush_bytes // MEBI))
        if variant == "inductor":
            torch._dynamo.reset()
            forget_compilations()
            # inductor's disk cache stays and is used: `is_cached` says whether code came from it.
            function = torch.compile(function, fullgraph=True, dynamic=False)
        self.function = function
        start = time.perf_counter()
        self.outputs = self.run(self.sets[0])
        torch.cuda.synchronize()
        self.first_call_ms = (time.perf_counter() - start) * 1e3
        self.peak_bytes = torch.cuda.max_memory_allocated() - self.held_bytes
        self.turn, self.recent = 0, collections.deque(maxlen=1)
        self.graph, self.graph_note = None, ""
        self.call_enqueue_us, self.recorded_calls = [], []
        self.clock, self.read_at = {}, 0
        self.prime()
        self.enqueue_us = self.estimate_enqueue()
        self.was_counted = False

    def input(self, request, shape, number, dtype):
        law = request.get("law", "normal")
        if request["case"] == "conv_bn" and number == 5:
            law = "far_from_zero"
        if request["case"].endswith("_train") and number < 2:  # all but the residual
            law = "far_from_zero"
        if request["case"] == "softmax_backward" and number == 0:
            law = "normal"
        return make_input(self.torch, shape, law, request["seed"], number, request["shape"][1], dtype)

    def run(self, inputs):
        out = self.function(*inputs)
        return list(out) if isinstance(out, tuple) else [out]

    def prime(self):
        """Everything in a held queue must have run once: the first launch loads code and waits for the
        device, and so does the allocation of new memory."""
        self.flush_cache()
        if self.flush == "rotate":
            self.grow_sets()
        elif self.flush != "hot":
            self.grow_places()
        for _ in range(len(self.sets) + 1):
            self.outputs = self.run(self.next_set())
            self.recent.append(self.outputs)
        if self.hold:
            self.torch.cuda._sleep(1)
        self.torch.cuda.synchronize()

    def estimate_enqueue(self):
        start = time.perf_counter()
        for _ in range(3):
            self.outputs = self.run(self.sets[0])
        elapsed = time.perf_counter() - start
        self.torch.cuda.synchronize()
        return elapsed / 3 * 1e6

    def flush_cache(self):
        if self.flush == "hot":
            return
        if self.flush == "cold-dirty":
            self.worker.cache_flush().write()
        else:
            self.worker.cache_flush().read()

    def next_set(self):
        if self.flush == "hot":
            return self.sets[0]
        self.turn += 1
        return self.sets[self.turn % len(self.sets)]

    def sample(self, mode, count, budget_ms, hold=True):
        take = {"device": self.sample_held if hold and self.hold else self.sample_open, "call": self.sample_call,
                "graph": self.sample_graph, "activity": self.sample_activity}[mode]
        self.deadline = time.perf_counter() + budget_ms / 1e3
        samples = []
        while not samples or (len(samples) < count and time.perf_counter() < self.deadline):
            samples.extend(take(count - len(samples)))
        mhz = self.read_clock()
        reply = {"samples_us": {mode: samples}}
        if mhz and mode in ("device", "graph"):
            reply["sm_mhz"] = {mode: [mhz] * len(samples)}
        return reply

    def read_clock(self):
        """Right after a block, while the device is still at the clock of the block; never between two events."""
        sensors = self.worker.sensors()
        mhz, now = sensors.sm_mhz(), time.perf_counter()
        if now >= self.read_at + BETWEEN_READINGS_S:
            before = self.clock.get("reasons", [])
            self.clock, self.read_at = sensors.read(), now
            # A reason for a low clock counts if it was present once during the measurement.
            self.clock["reasons"] = before + [reason for reason in self.clock["reasons"] if reason not in before]
        return mhz

    def timed_call(self):
        inputs = self.next_set()
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        if self.flush != "rotate":
            self.flush_cache()
        begin.record()
        self.outputs = self.run(inputs)
        end.record()
        self.recent.append(self.outputs)
        return begin, end

    def sample_held(self, _count):
        """The whole call is queued behind a spinning kernel, so that the host's speed has no effect. One call
        only: fetching what is queued behind it would make it slower."""
        torch = self.torch
        hold_us = (self.enqueue_us + 70) * 1.5 + 200
        while True:
            hold_us = min(hold_us, LONGEST_HOLD_US)
            held = torch.cuda.Event()
            torch.cuda.synchronize()
            # Cycles at 2 GHz; a slower clock only holds longer.
            torch.cuda._sleep(int(hold_us * 2000))
            held.record()
            begin, end = self.timed_call()
            ran_dry = held.query()
            torch.cuda.synchronize()
            if not ran_dry:
                return [begin.elapsed_time(end) * 1e3]
            if hold_us >= LONGEST_HOLD_US:
                raise CellError("the host needs more than a hold of 1 s to queue one call, so its time on the device "
                                "alone cannot be measured (a debugger or profiler may make every launch wait, or the "
                                "call waits for the device itself; `--profile` holds no queue, `--mode call` and "
                                "`--mode graph` need none)")
            hold_us *= 2

    def sample_open(self, _count):
        """Without a hold: to warm up, and under a profiler, which may make every launch wait."""
        begin, end = self.timed_call()
        self.torch.cuda.synchronize()
        return [begin.elapsed_time(end) * 1e3]

    def sample_call(self, count):
        samples = []
        for _ in range(min(count, 64)):
            self.flush_cache()
            self.torch.cuda.synchronize()
            start = time.perf_counter()
            self.outputs = self.run(self.sets[0])
            queued = time.perf_counter()
            self.torch.cuda.synchronize()
            samples.append((time.perf_counter() - start) * 1e6)
            self.call_enqueue_us.append((queued - start) * 1e6)
        return samples

    def sample_activity(self, count):
        """The sums of the kernels' durations; the flush is recorded with them and left out."""
        def before():
            if self.flush != "rotate":
                self.flush_cache()

        def call():
            self.outputs = self.run(self.next_set())
            self.recent.append(self.outputs)

        def steps():
            for number in range(count):
                if number == 0 or time.perf_counter() < self.deadline:
                    yield before, call

        calls = kernels_by_call(self.torch, steps())
        self.recorded_calls.extend(calls)
        return [sum(kernel["us"] for kernel in kernels) for kernels in calls]

    def count(self):
        """One call between the marks of a recorder. The recorder sets itself up at the first mark; what it
        has seen until the second does not belong to the call."""
        driver = self.worker.driver()
        inputs = self.sets[0]
        for one in self.sets:  # of a rotation the first is then the one used longest ago
            self.outputs = self.run(one)
        self.torch.cuda.synchronize()
        driver.cuProfilerStart()
        try:
            if self.flush == "hot":
                self.outputs = self.run(inputs)
            elif self.flush != "rotate":
                self.flush_cache()
            self.torch.cuda.synchronize()
            driver.cuProfilerStart()
            self.outputs = self.run(inputs)
            self.torch.cuda.synchronize()
        finally:
            driver.cuProfilerStop()
        self.was_counted = True

    def bytes_of_a_set(self):
        return sum(t.numel() * t.element_size() for t in self.sets[0] + self.outputs)

    def grow_places(self):
        """Tensor placement changes 5 us by up to 8 % (H200), and a given placement always gives the same time: a
        call is timed in many. Results that are kept for a while do the same for its own allocations."""
        places = int(max(1, min(MOST_PLACES, MOST_PLACE_BYTES / max(1, self.bytes_of_a_set()))))
        try:
            while len(self.sets) < places:
                self.sets.append([tensor.clone() for tensor in self.sets[0]])
        except self.torch.cuda.OutOfMemoryError:
            pass  # in fewer, then
        self.recent = collections.deque(maxlen=len(self.sets))

    def grow_sets(self):
        """Copies of the inputs until all of them together are twice the cache."""
        wanted = min(MOST_SETS, math.ceil(self.worker.flush_bytes / self.bytes_of_a_set()))
        while len(self.sets) < wanted:
            self.sets.append([tensor.clone() for tensor in self.sets[0]])

    def capture(self):
        """Calls on all sets in turn, each set equally often. The results of a set's last call are freed for its
        next one: many calls need no more memory than one on each."""
        torch = self.torch
        if self.flush != "hot":
            self.grow_sets()
        sets = len(self.sets)
        self.calls = sets * math.ceil(LEAST_GRAPH_CALLS / sets)
        self.written = [None] * sets
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for call in range(self.calls):
                self.written[call % sets] = None
                self.written[call % sets] = self.run(self.sets[call % sets])
        self.prove_written(graph)
        self.graph, self.graph_note = graph, self.describe_graph()

    def prove_written(self, graph):
        """As in strobe's own cells: by the last value of every output."""
        for outputs in self.written:
            for tensor in outputs:
                tensor.fill_(POISON)
        graph.replay()
        self.torch.cuda.synchronize()
        written = sum(all(tensor[(-1,) * tensor.dim()].item() != POISON for tensor in outputs)
                      for outputs in self.written)
        if written != len(self.sets):
            raise CellError("a graph of %d calls wrote %d of its %d sets of buffers, so its times mean nothing"
                            % (self.calls, written, len(self.sets)))

    def describe_graph(self):
        sets, touched, l2_bytes = len(self.sets), self.bytes_of_a_set() * len(self.sets), self.worker.l2_bytes
        note = "graph: %d calls on %d %s of buffers, all written by a replay, %.1f MB in all: %s" % (
            self.calls, sets, "set" if sets == 1 else "sets", touched / 1e6,
            "%.1f times the L2 cache" % (touched / l2_bytes) if l2_bytes else "the size of the L2 cache is unknown")
        if self.flush == "hot":
            return note + " (hot on purpose)"
        return note + (" (%d sets are the most)" % MOST_SETS if touched < self.worker.flush_bytes else "")

    def sample_graph(self, count):
        torch = self.torch
        if self.graph is None:
            self.capture()
        pairs = []
        for _ in range(min(count, MOST_REPLAYS)):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            self.graph.replay()
            end.record()
            pairs.append((begin, end))
        torch.cuda.synchronize()
        return [begin.elapsed_time(end) * 1e3 / self.calls for begin, end in pairs]

    def rows(self, output, rows, path):
        torch = self.torch
        self.recent.clear()
        for tensor in self.outputs:
            tensor.fill_(float("nan"))
        self.outputs = None  # the allocator gives the same, poisoned memory again
        self.outputs = self.run(self.sets[0])
        torch.cuda.synchronize()
        tensor = self.outputs[output]
        width = tensor.shape[-1] if tensor.dim() > 1 else 1
        table = tensor.reshape(-1, width)
        index = torch.tensor(expand_rows(rows), dtype=torch.int64, device="cuda")
        values = table.index_select(0, index).to(torch.float32).cpu().contiguous()
        with open(path, "wb") as file:
            file.write(ctypes.string_at(values.data_ptr(), values.numel() * 4))

    def run_once(self):
        self.outputs = self.run(self.sets[0])

    def profile(self):
        """The kernels of one extra call, unless the mode was `activity`; no other timed call sees the profiler."""
        if self.recorded_calls:
            return median_kernels(self.recorded_calls)
        return kernels_of(self.torch, self.run_once)

    def describe(self):
        reply = {"first_call_ms": self.first_call_ms, "outputs": len(self.outputs),
                 "resident_bytes": self.bytes_of_a_set(),
                 "peak_bytes": self.peak_bytes}
        reply["is_cached"] = came_from_disk()
        reply["clocks"] = self.clock or self.worker.sensors().read()
        reply["notes"] = self.all_notes()
        return reply

    def all_notes(self):
        self.notes += self.worker.log.take()
        notes = list(self.notes)
        if self.call_enqueue_us:
            notes.append("call: queueing alone takes the host %.2f us (median of %d)"
                         % (statistics.median(self.call_enqueue_us), len(self.call_enqueue_us)))
        return notes + [self.graph_note] * bool(self.graph_note) + recompilations()


# ---- the worker --------------------------------------------------------------------------------------

class Worker:
    def __init__(self):
        self.cells = {}
        self.obstacle = ""
        self.torch = None
        self.flush = None
        self.cuda = None
        self.nvml = None
        self.log = CompilerLog()
        try:
            import torch
        except Exception as error:  # not only ImportError: a broken installation fails in many ways
            self.obstacle = ("python cannot import torch (%s); install it, or name an interpreter that "
                             "has it with --python" % (str(error).splitlines() or [repr(error)])[0])
            return
        self.torch = torch
        if not torch.cuda.is_available():
            self.obstacle = "torch %s sees no CUDA device; `strobe doctor` says what is missing" % (
                torch.__version__)
            return
        self.set_up()

    def set_up(self):
        torch = self.torch
        torch.set_grad_enabled(False)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        try:
            import torch._dynamo
            for limit in ("recompile_limit", "accumulated_recompile_limit", "cache_size_limit",
                          "accumulated_cache_size_limit"):
                if hasattr(torch._dynamo.config, limit):
                    setattr(torch._dynamo.config, limit, 1 << 20)
            logging.getLogger("torch._dynamo").addHandler(self.log)
        except Exception as error:
            print("torch._dynamo: %s" % error, file=sys.stderr)
        properties = torch.cuda.get_device_properties(0)
        self.l2_bytes = getattr(properties, "L2_cache_size", 0) or self.told_by_driver("attribute", L2_BYTES) or 0
        self.flush_bytes = 2 * self.l2_bytes or FLUSHED_UNKNOWN_BYTES
        self.facts = {"sm_count": properties.multi_processor_count, "memory_bytes": properties.total_memory}
        if self.l2_bytes:
            self.facts["l2_bytes"] = self.l2_bytes

    def driver(self):
        if self.cuda is None:
            self.cuda = ctypes.CDLL("libcuda.so.1")
        return self.cuda

    def told_by_driver(self, question, *arguments):
        try:
            return getattr(DriverDevice(self.driver()), question)(*arguments)
        except (OSError, AttributeError):
            return None

    def sensors(self):
        if self.nvml is None:
            self.nvml = Sensors(self.told_by_driver("pci_id") or b"")
        return self.nvml

    def cache_flush(self):
        if self.flush is None:
            self.flush = CacheFlush(self.torch, self.flush_bytes // 2, self.facts["sm_count"])
        return self.flush

    def triton_version(self):
        try:
            import triton
            return triton.__version__
        except Exception:
            return ""

    def hello(self):
        if self.obstacle:
            return {"ok": False, "status": "ok", "obstacle": self.obstacle}
        torch, triton = self.torch, self.triton_version()
        variants = ["eager"] + (["inductor"] if triton else [])
        try:
            from torch.nn.attention import SDPBackend
            variants += ["sdpa-math", "sdpa-flash", "sdpa-efficient"]
            variants += ["sdpa-cudnn"] if hasattr(SDPBackend, "CUDNN_ATTENTION") else []
        except ImportError:
            pass
        version = "torch %s" % torch.__version__ + (", triton %s" % triton if triton else "")
        return {"ok": True, "status": "ok", "version": version, "torch": torch.__version__,
                "triton": triton, "device": torch.cuda.get_device_name(0),
                "cc": "%d.%d" % torch.cuda.get_device_capability(0), "variants": variants,
                "ops": ["plan", "prepare", "sample", "rows", "count", "finish", "cell"],
                "modes": ["device", "graph", "call", "activity"], "facts": self.facts}

    def unsupported(self, request):
        variant = request["variant"]
        if variant.startswith("sdpa-") and request["case"] != "attention":
            return "%s computes attention only" % variant
        if variant in ("sdpa-flash", "sdpa-cudnn") and request["dtype"] == "f32":
            return "%s takes f16 and bf16" % variant
        known = list(row_cases(self.torch)) + ["matmul_add", "matmul_relu", "matmul_add_relu",
                                               "matmul_matmul", "conv_add", "conv_relu", "conv_bn",
                                               "attention"]
        return "" if request["case"] in known else "torch's worker has no case '%s'" % request["case"]

    def plan(self, request):
        free = self.torch.cuda.mem_get_info()[0]
        why = self.unsupported(request)
        if why:
            return {"status": "unsupported", "reason": why, "free_bytes": free}
        values = planned_values(self.torch, request["case"], request["variant"], request["shape"])
        size = 4 if request["dtype"] == "f32" else 2
        return {"plan": {"resident_bytes": values * size}, "free_bytes": free}

    def prepare(self, request):
        reply = self.plan(request)
        if reply.get("status", "ok") != "ok":
            return reply
        self.cells.pop(request["id"], None)
        cell = Cell(self, request)
        self.cells[request["id"]] = cell
        return {**reply, **cell.describe()}

    def finish(self, request):
        cell = self.cells.pop(request["id"])
        reply = cell.describe()
        try:
            if not cell.was_counted:  # two profilers do not share a process
                reply["kernels"] = cell.profile()
        except Exception as error:
            reply["notes"].append("no kernel list: %s" % (str(error).splitlines() or [""])[0])
        if request.get("api"):
            try:
                reply["api"] = api_calls_of(self.torch, cell.run_once)
            except Exception as error:
                reply["lacks"] = {"api": (str(error).splitlines() or [""])[0]}
        del cell
        self.free()
        return reply

    def whole_cell(self, request):
        reply = self.prepare(request)
        if reply.get("status", "ok") != "ok":
            return reply
        cell = self.cells[request["id"]]
        samples = {"samples_us": {}, "sm_mhz": {}}
        # Recording makes later launches slower.
        for mode in sorted(request.get("modes", ["device"]), key=lambda mode: mode == "activity"):
            for name, lists in cell.sample(mode, 100, request.get("budget_ms", 1000)).items():
                samples[name].update(lists)
        if request.get("return") == "file":
            cell.rows(request.get("output", 0), request["rows"], request["file"])
        return {**self.finish(request), **samples}

    def answer(self, request):
        op = request["op"]
        if op == "hello":
            return self.hello()
        if self.obstacle:
            return {"status": "error", "reason": self.obstacle}
        if "variant" in request and request["variant"].startswith("torch-"):
            request["variant"] = request["variant"][len("torch-"):]
        if op == "plan":
            return self.plan(request)
        if op == "prepare":
            return self.prepare(request)
        if op == "sample":
            cell = self.cells[request["id"]]
            return cell.sample(request["mode"], request["count"], request["budget_ms"], request.get("hold", True))
        if op == "rows":
            self.cells[request["id"]].rows(request["output"], request["rows"], request["file"])
            return {}
        if op == "count":
            self.cells[request["id"]].count()
            return {}
        if op == "finish":
            return self.finish(request)
        if op == "cell":
            return self.whole_cell(request)
        return {"status": "error", "reason": "torch's worker does not know '%s'" % op}

    def free(self):
        """The next cell finds the same state as the first one, whatever its case and size."""
        import gc
        gc.collect()
        clear_workspaces = getattr(self.torch._C, "_cuda_clearCublasWorkspaces", None)
        if clear_workspaces is not None:
            clear_workspaces()
        self.torch.cuda.empty_cache()

    def failure(self, request, error):
        text = (str(error).strip().splitlines() or [repr(error)])[0]
        is_memory = "out of memory" in str(error).lower()
        if is_memory or request.get("op") != "sample":  # another mode may still be able to time it
            self.cells.pop(request.get("id"), None)
        if isinstance(error, CellError):
            return {"status": "error", "reason": text}
        if not is_memory:
            return {"status": "error", "reason": "%s: %s" % (type(error).__name__, text)}
        reply = {"status": "oom", "reason": text}
        asked = re.search(r"Tried to allocate ([0-9.]+) ([KMG])iB", str(error))
        if asked:
            scale = {"K": 1 << 10, "M": 1 << 20, "G": GIBI}[asked.group(2)]
            reply["requested_bytes"] = float(asked.group(1)) * scale
        return reply

    def serve(self, lines, out):
        for line in lines:
            try:
                request = json.loads(line)
            except ValueError:
                continue
            if request.get("op") == "bye":
                return
            try:
                reply = self.answer(request)
            except Exception as error:
                reply = self.failure(request, error)
            if reply.get("status") == "oom":
                self.free()
            reply = {"id": request.get("id", 0), "status": "ok", **reply}
            out.write(json.dumps(reply) + "\n")
            out.flush()


def main():
    # Output of libraries must not get between the answers.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    Worker().serve(sys.stdin, out)


if __name__ == "__main__":
    main()
