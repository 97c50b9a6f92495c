#!/usr/bin/env python3
"""A worker that behaves as its arguments say; implements docs/formats/bench_worker.md with scripted numbers.

bench_worker.py [WORD=VALUE...]
  at=OP do=ACTION     what to do at request OP: crash, exit, hang, garbage, wrong-id, oom, error,
                      unsupported, endless, nan
  case=ID             only in cells of that case
  mode=MODE           only if that time is requested
  from=N              only from the Nth such request on
  once=FILE           only if FILE does not exist yet; it is then made
  us=NUMBER           the time of every sample
  mhz=NUMBER          the clock of every sample; graph_mhz=NUMBER of those of a mode
  heats=N,NUMBER      from the Nth device sample of a cell on the time is that
  kernels=NAME,...    the kernels that it reports
  values=right|wrong|none|short   wrong: half of it; none: no file; right: a copy of the input
  spoils=yes          what it has timed gives wrong values from then on
  starts=FILE         a line is added to it when the worker starts
  after=OP:FILE:N     before answering OP it waits until FILE has N lines
  resident=BYTES free=BYTES obstacle=TEXT only=cell device=TEXT modes=MODE,...
  driver=FILE         a libcuda.so.1, in which `count` launches the kernels (after one named flush)
  counts=FILE         a line is added to it for each `count`: $STROBE_COUNTS
  empty=yes           knows `count_empty` too
  gemm=NUMBER         its matrix roof
  tell=pid            a note with the number of its process
  tell=hold           a note with how often prepare, warm-up and sample had to run without a hold
  api=NAME:N:US,...   the API calls that it lists on request
"""
import array
import ctypes
import json
import os
import signal
import sys
import time

MASK = (1 << 64) - 1
OPS = ["plan", "prepare", "sample", "rows", "count", "finish", "floors", "roofs", "cell"]


def input_bits(seed, tensor, index):
    z = (seed * 0x9E3779B97F4A7C15 + (tensor << 56) + index + 1) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def normal(bits):
    total = (bits & 0xFFFF) + ((bits >> 16) & 0xFFFF) + ((bits >> 32) & 0xFFFF) + (bits >> 48)
    return (total - 131070) * 2.6429e-5


def bias_dropout_add(request, row):
    """The one case whose right answer needs nothing but two additions."""
    columns = request["shape"][1]
    value = lambda tensor, index: normal(input_bits(request["seed"], tensor, index))
    return [value(2, row * columns + c) + value(0, row * columns + c) + value(1, c)
            for c in range(columns)]


def rows_of(items):
    rows = []
    for item in items:
        rows += range(item[0], item[0] + item[1]) if isinstance(item, list) else [item]
    return rows


def lines_of(path):
    return len(open(path).readlines()) if os.path.exists(path) else 0


class Worker:
    def __init__(self, words):
        self.settings = dict(word.split("=", 1) for word in words if "=" in word)
        self.cells = {}
        self.asked = {}
        self.open = {"prepare": 0, "sample": 0}
        self.held = {"prepare": 0, "sample": 0}
        if self.get("starts"):
            with open(self.get("starts"), "a") as file:
                file.write("started\n")

    def get(self, name, fallback=""):
        return self.settings.get(name, fallback)

    has_compiled = False

    def say(self, reply):
        print(json.dumps(reply), flush=True)

    def wait(self, op):
        when, file, count = (self.get("after", "::").split(":"))
        while when == op and lines_of(file) < int(count):
            time.sleep(0.005)

    def misbehaves(self, request):
        if self.get("at") != request["op"]:
            return ""
        cell = request if "case" in request else self.cells.get(request.get("id"), {})
        if self.get("case") and cell.get("case") != self.get("case"):
            return ""
        if self.get("mode") and request.get("mode") != self.get("mode"):
            return ""
        self.asked[request["op"]] = self.asked.get(request["op"], 0) + 1
        if self.asked[request["op"]] < int(self.get("from", "1")):
            return ""
        once = self.get("once")
        if once:
            if os.path.exists(once):
                return ""
            open(once, "w").close()
        return self.get("do")

    def misbehave(self, how, request):
        if how == "crash":
            sys.stderr.write("loading the model\nabout to touch what is not there\n")
            sys.stderr.flush()
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGSEGV)
        elif how == "exit":
            sys.stderr.write("a license is missing\n")
            sys.exit(7)
        elif how == "hang":
            time.sleep(60)
        elif how == "garbage":
            print("Warning: this is a banner\n{\"half\": ", flush=True)
            time.sleep(60)
        elif how == "endless":
            while True:
                sys.stdout.write("x" * 65536 + "\n")
        elif how == "wrong-id":
            self.say({"id": request.get("id", 0) + 1000, "status": "ok"})
            time.sleep(60)
        elif how == "oom":
            self.say({"id": request.get("id"), "status": "oom", "reason": "tried to get 16.0 GiB",
                      "requested_bytes": 17179869184})
        elif how == "nan":
            self.say({"id": request.get("id"), "status": "ok",
                      "samples_us": {request.get("mode", "device"): [float("nan")] * 4}})
        else:
            self.say({"id": request.get("id"), "status": how, "reason": "as the script says"})

    def samples(self, request, modes):
        count = request.get("count", 40)
        return {mode: [self.time(request, mode) for _ in range(count)] for mode in modes}

    def time(self, request, mode):
        cell = self.cells.get(request["id"], {})
        cell[mode] = cell.get(mode, 0) + 1
        first, hot = self.get("heats", "inf,0").split(",")
        is_hot = mode == "device" and cell[mode] >= float(first)
        return float(hot if is_hot else self.get("us", "10"))

    def clocks(self, samples):
        mhz = {mode: self.get(mode + "_mhz") or self.get("mhz") for mode in samples}
        return {mode: [float(mhz[mode])] * len(times) for mode, times in samples.items() if mhz[mode]}

    def kernels(self):
        return [{"name": name, "grid": [4, 1, 1], "block": [128, 1, 1], "us": 1.5}
                for name in self.get("kernels", "scripted_kernel").split(",")]

    def write_rows(self, request):
        how = self.get("values", "right")
        if how == "none":
            return
        cell = self.cells.get(request["id"], request)
        if self.get("spoils") and "device" in cell:
            how = "wrong"
        values = array.array("f")
        for row in rows_of(request["rows"]):
            values.extend(bias_dropout_add(cell, row))
        if how == "wrong":
            for i in range(0, len(values), 2):
                values[i] += 1
        with open(request["file"], "wb") as file:
            file.write(values.tobytes()[:-4 if how == "short" else None])

    def count(self):
        """Like a real worker: the recorder's marks around the launches."""
        if self.get("counts"):
            with open(self.get("counts"), "a") as file:
                file.write(os.environ.get("STROBE_COUNTS", "") + "\n")
        if not self.get("driver"):
            return
        driver = ctypes.CDLL(self.get("driver"), ctypes.RTLD_GLOBAL)
        driver.cuInit(0)
        launch = lambda name: driver.cuLaunchKernel(name.encode(), 4, 1, 1, 128, 1, 1, 0, None, None, None)
        launch("before")
        driver.cuProfilerStart()
        launch("flush")
        driver.cuProfilerStart()
        for name in self.get("kernels", "scripted_kernel").split(","):
            launch(name)
        driver.cuProfilerStop()
        launch("after")

    def outcome(self):
        return {"kernels": self.kernels(), "first_call_ms": 1.0, "outputs": 1,
                "resident_bytes": float(self.get("resident", "4096")), "peak_bytes": 8192,
                "clocks": {"sm_mhz": 345.0, "power_w": 70.0},
                "notes": ["recompiles:0"] + self.tell()}

    def tell(self):
        if self.get("tell") == "pid":
            return ["pid:%d" % os.getpid()]
        if self.get("tell") == "hold":
            return ["open:%s" % json.dumps(self.open), "held:%s" % json.dumps(self.held)]
        return []

    def api(self, request):
        calls = [call.split(":") for call in self.get("api").split(",") if call]
        return {"api": [{"name": name, "count": int(count), "us": float(us)} for name, count, us in calls]
                } if request.get("api") else {}

    def answer(self, request):
        op = request["op"]
        if op in self.open:
            (self.held if request.get("hold", True) else self.open)[op] += 1
        reply = {"id": request.get("id"), "status": "ok", "a_word_of_tomorrow": {"is": ["ignored"]}}
        if op == "hello":
            reply.update(ok=not self.get("obstacle"), version="1.0", device=self.get("device", "script"),
                         obstacle=self.get("obstacle"), modes=self.get("modes", "device,call").split(","))
            if self.get("only") != "cell":
                reply["ops"] = OPS + (["count_empty"] if self.get("empty") else [])
            del reply["id"]
        elif op == "plan":
            reply["plan"] = {"resident_bytes": float(self.get("resident", "4096")), "kernels": 1}
            reply["free_bytes"] = float(self.get("free", "1e9"))
        elif op == "prepare":
            self.cells[request["id"]] = request
            reply.update(self.outcome())
            # Compiled once in the lifetime of this process.
            reply.update({"is_cached": True} if self.has_compiled else {"nvrtc_ms": 120.0})
            self.has_compiled = True
        elif op == "sample":
            reply["samples_us"] = self.samples(request, [request["mode"]])
            reply["sm_mhz"] = self.clocks(reply["samples_us"])
        elif op == "rows":
            self.write_rows(request)
        elif op in ("count", "count_empty"):
            self.count()
        elif op == "finish":
            self.cells.pop(request["id"], None)
            reply.update(self.outcome())
            reply.update(self.api(request))
        elif op == "floors":
            reply["floors"] = {"empty_kernel_events_us": 2.0}
        elif op == "roofs":
            reply["roofs"] = {"copy_gbps": 1000.0}
            if self.get("gemm"):
                reply["roofs"]["gemm_tflops"] = float(self.get("gemm"))
        elif op == "cell":
            reply.update(self.outcome())
            reply.update(self.api(request))
            reply["samples_us"] = self.samples(request, request["modes"])
            reply["sm_mhz"] = self.clocks(reply["samples_us"])
            if "file" in request:
                self.write_rows(request)
        self.say(reply)

    def serve(self):
        for line in sys.stdin:
            request = json.loads(line)
            if request["op"] == "bye":
                return
            self.wait(request["op"])
            how = self.misbehaves(request)
            if how:
                self.misbehave(how, request)
            else:
                self.answer(request)


Worker(sys.argv[1:]).serve()
