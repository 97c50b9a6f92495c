"""Facts besides the time: from torch's profiler the kernels of a call and its calls of CUDA's runtime and driver,
from its compiler whether it has given up, from the driver the device, from NVML its clocks and power."""
import ctypes
import json
import logging
import os
import statistics
import tempfile

DEVICE_KINDS = ("kernel", "gpu_memcpy", "gpu_memset")
API_KINDS = ("cuda_runtime", "cuda_driver")
CALL_MARK = "strobe_call"
RECORDED_CALLS = 5
DEVICE_MARK = "spin_kernel"  # what torch.cuda._sleep launches, and no case


class CellError(Exception):
    """Its text is the reason, for people."""


def recorded(torch, activities, work, wanted):
    """The events of these categories that the profiler recorded, in order of time."""
    with torch.profiler.profile(activities=activities) as profiler:
        work()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            events = json.load(file)["traceEvents"]
    return sorted((event for event in events if event.get("cat") in wanted), key=lambda event: event["ts"])


def kernel_of(event):
    facts = event.get("args", {})
    return {"name": event["name"], "grid": facts.get("grid", [1, 1, 1]),
            "block": facts.get("block", [1, 1, 1]), "us": event.get("dur", 0),
            "registers": facts.get("registers per thread"), "shared_bytes": facts.get("shared memory")}


def kernels_of(torch, call):
    events = recorded(torch, [torch.profiler.ProfilerActivity.CUDA], call, DEVICE_KINDS)
    return [kernel_of(event) for event in events]


def kernels_by_call(torch, steps):
    """The kernels of each call alone. Each of `steps` is a pair: what comes before a call, and the call; one recording
    has them all. Between two marks on the device there is alternately a call and what precedes the next one."""
    marks = 0

    def marked():
        nonlocal marks
        for before, call in steps:
            before()
            for work in (call, lambda: None):
                torch.cuda._sleep(1)
                torch.cuda.synchronize()
                work()
                torch.cuda.synchronize()
                marks += 1

    parts = [[]]
    for event in recorded(torch, [torch.profiler.ProfilerActivity.CUDA], marked, DEVICE_KINDS):
        if DEVICE_MARK in event["name"]:
            parts.append([])
        else:
            parts[-1].append(kernel_of(event))
    calls = parts[1::2]
    if len(parts) != marks + 1 or not all(calls):
        raise CellError("torch's profiler recorded %d of %d marks and kernels of %d calls (it needs CUPTI, and no "
                        "other profiler at work; `--mode device` needs neither)"
                        % (len(parts) - 1, marks, sum(map(bool, calls))))
    return calls


def median_kernels(calls):
    """Those of the first, each with the median of its durations in all calls that launched the same."""
    def launches(call):
        return [(kernel["name"], kernel["grid"], kernel["block"]) for kernel in call]

    alike = [call for call in calls if launches(call) == launches(calls[0])]
    return [{**same[0], "us": statistics.median(kernel["us"] for kernel in same)} for same in zip(*alike)]


def api_calls_of(torch, call):
    """As far as torch's profiler records them; waiting for the end of the call is not included. Returns the median
    of several calls by time, because any one may have been interrupted."""
    def marked():
        call()  # the first one under a profiler pays for more than itself
        for _ in range(RECORDED_CALLS):
            torch.cuda.synchronize()
            with torch.profiler.record_function(CALL_MARK):
                call()

    activity = torch.profiler.ProfilerActivity
    events = recorded(torch, [activity.CPU, activity.CUDA], marked, API_KINDS + ("user_annotation",))
    marks = [event for event in events if event["cat"] == "user_annotation" and event["name"] == CALL_MARK]
    if not marks:
        raise RuntimeError("the profiler lost the mark of the call")
    lists = [by_name(event for event in events if event["cat"] in API_KINDS
                     and mark["ts"] <= event["ts"] and event["ts"] + event["dur"] <= mark["ts"] + mark["dur"])
             for mark in marks]
    return sorted(lists, key=lambda calls: sum(each["us"] for each in calls))[len(lists) // 2]


def by_name(events):
    """How often each was called, and for how long without the calls that it made itself."""
    calls, around = {}, {}
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
        stop = event["ts"] + event["dur"]
        outer = around.setdefault(event.get("tid"), [])
        while outer and outer[-1][0] < stop:
            outer.pop()
        call = calls.setdefault(event["name"], {"name": event["name"], "count": 0, "us": 0.0})
        call["count"] += 1
        call["us"] += event["dur"]
        if outer:
            outer[-1][1]["us"] -= event["dur"]
        outer.append((stop, call))
    return list(calls.values())


class CompilerLog(logging.Handler):
    """Only the compiler's log says that it has given up."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        text = record.getMessage()
        if "recompile_limit" in text or "cache_size_limit" in text:
            self.lines.append("recompile limit hit: " + text.splitlines()[0][:160])

    def take(self):
        lines, self.lines = self.lines, []
        return lines


def compiler_counts(kind):
    """A missing count must not fail a cell: none if the compiler has no such counters or another name for them."""
    try:
        from torch._dynamo.utils import counters
        return counters[kind]
    except Exception:
        return {}


def forget_compilations():
    for kind in ("stats", "inductor"):
        compiler_counts(kind).clear()


def came_from_disk():
    """Everything that was compiled for this cell had been compiled before."""
    stats = compiler_counts("inductor")
    return stats.get("fxgraph_cache_hit", 0) > 0 and not stats.get("fxgraph_cache_miss", 0)


def recompilations():
    graphs = compiler_counts("stats").get("unique_graphs", 0)
    return ["recompiles:%d" % max(0, graphs - 1)] if graphs else []


# ---- the device, beside torch ------------------------------------------------------------------------

L2_BYTES = 38  # CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE


class DriverDevice:
    """torch's device as the driver knows it: CUDA_VISIBLE_DEVICES has chosen for both alike."""

    def __init__(self, cuda):
        self.cuda, self.device = cuda, ctypes.c_int()
        self.is_known = cuda.cuInit(0) == 0 and cuda.cuDeviceGet(ctypes.byref(self.device), 0) == 0

    def attribute(self, number):
        value = ctypes.c_int()
        reported = self.is_known and self.cuda.cuDeviceGetAttribute(ctypes.byref(value), number, self.device) == 0
        return value.value if reported else 0

    def pci_id(self):
        text = ctypes.create_string_buffer(32)
        reported = self.is_known and self.cuda.cuDeviceGetPCIBusId(text, len(text), self.device) == 0
        return text.value if reported else b""


class Sensors:
    """Like bench/providers/cuda/sensors.h, and also silent without NVML."""
    SM_CLOCK, MEMORY_CLOCK, GPU_SENSOR = 1, 2, 0
    # The words and the order of device/metric_info.cc, without an idle device.
    REASONS = {0x040: "heat (alarm)", 0x080: "power brake", 0x008: "hardware slowdown", 0x020: "heat",
               0x004: "power cap", 0x010: "sync boost", 0x100: "display clocks", 0x002: "application clocks"}

    def __init__(self, pci_id):
        self.nvml, self.device = None, ctypes.c_void_p()
        try:
            nvml = ctypes.CDLL("libnvidia-ml.so.1")
            if nvml.nvmlInit_v2() == 0 and nvml.nvmlDeviceGetHandleByPciBusId_v2(
                    ctypes.c_char_p(pci_id), ctypes.byref(self.device)) == 0:
                self.nvml = nvml
        except (OSError, AttributeError):
            pass

    def number(self, call, *arguments, kind=ctypes.c_uint):
        value, ask = kind(), getattr(self.nvml, call, None)
        reported = ask is not None and ask(self.device, *arguments, ctypes.byref(value)) == 0
        return value.value if reported else None

    def sm_mhz(self):
        return self.number("nvmlDeviceGetClockInfo", self.SM_CLOCK)

    def reasons(self):
        for call in ("nvmlDeviceGetCurrentClocksEventReasons",
                     "nvmlDeviceGetCurrentClocksThrottleReasons"):  # its name before 2023
            bits = self.number(call, kind=ctypes.c_ulonglong)
            if bits is not None:
                return [name for bit, name in self.REASONS.items() if bits & bit]
        return []

    def read(self):
        """The `clocks` of a record; unknown values are absent."""
        power_mw = self.number("nvmlDeviceGetPowerUsage")
        clock = {"sm_mhz": self.sm_mhz(), "memory_mhz": self.number("nvmlDeviceGetClockInfo", self.MEMORY_CLOCK),
                 "power_w": None if power_mw is None else power_mw / 1e3,
                 "temperature_c": self.number("nvmlDeviceGetTemperature", self.GPU_SENSOR)}
        return {**{name: value for name, value in clock.items() if value is not None}, "reasons": self.reasons()}


