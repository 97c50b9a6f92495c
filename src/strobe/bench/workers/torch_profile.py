"""What torch tells of itself: its profiler the kernels of a call and what it asked of CUDA's runtime and
driver, its compiler that it has given up."""
import json
import logging
import os
import tempfile

DEVICE_KINDS = ("kernel", "gpu_memcpy", "gpu_memset")
API_KINDS = ("cuda_runtime", "cuda_driver")
CALL_MARK = "strobe_call"
RECORDED_CALLS = 5


def recorded(torch, activities, work, wanted):
    """What the profiler saw of these categories while it worked, in the order of time."""
    with torch.profiler.profile(activities=activities) as profiler:
        work()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            events = json.load(file)["traceEvents"]
    return sorted((event for event in events if event.get("cat") in wanted), key=lambda event: event["ts"])


def kernels_of(torch, call):
    kernels = []
    for event in recorded(torch, [torch.profiler.ProfilerActivity.CUDA], call, DEVICE_KINDS):
        facts = event.get("args", {})
        kernels.append({"name": event["name"], "grid": facts.get("grid", [1, 1, 1]),
                        "block": facts.get("block", [1, 1, 1]), "us": event.get("dur", 0),
                        "regs": facts.get("registers per thread"), "smem": facts.get("shared memory")})
    return kernels


def api_calls_of(torch, call):
    """As far as torch's profiler writes them down; waiting for the end of the call is no part of them. Of several
    calls the one in the middle by its time: any one may have been interrupted."""
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
    """The compiler says in its log, and nowhere else, that it has given up."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        text = record.getMessage()
        if "recompile_limit" in text or "cache_size_limit" in text:
            self.lines.append("recompile limit hit: " + text.splitlines()[0][:160])


