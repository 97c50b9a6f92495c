#!/usr/bin/env python3
"""Records one small serving loop on a GPU, healthy and with one fault at a time, as `strobe compare` reads it:

    tests/support/record_faults.py OUT [--layers 6] [--cycles 16] [FAULT...]

    OUT/<fault>/trace.json.gz     PyTorch's profiler, one ProfilerStep a cycle
    OUT/<fault>/metrics.csv       the device's counters and the process's scheduling, sampled beside it

The traces under tests/data/faults were made with it. Needs PyTorch and a GPU; strobe itself needs neither.
"""
import argparse
import ctypes
import gzip
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

# ---------------------------------------------------------------- the serving loop


def serve(out, fault, layers, cycles):
    import torch
    from torch import nn

    width, heads, batch, history = 1024, 16, 16, 512
    dtype = torch.float32 if fault == "float32" else torch.bfloat16
    batch *= 2 if fault == "batch_doubled" else 1
    layers *= 2 if fault == "layers_doubled" else 1

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x, keys, values):
            q, k, v = self.qkv(self.norm1(x)).chunk(3, -1)
            split = lambda t: t.view(batch, -1, heads, width // heads).transpose(1, 2)
            k, v = torch.cat([keys, split(k)], 2), torch.cat([values, split(v)], 2)
            a = nn.functional.scaled_dot_product_attention(split(q), k, v)
            x = x + self.out(a.transpose(1, 2).reshape(batch, 1, width))
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    device = "cuda"
    torch.manual_seed(0)
    embed = nn.Embedding(32000, width).to(device, dtype)
    blocks = nn.ModuleList(Block() for _ in range(layers)).to(device, dtype)
    head = nn.Linear(width, 32000, bias=False).to(device, dtype)
    cache = [torch.randn(2, batch, heads, history, width // heads, device=device, dtype=dtype) for _ in range(layers)]
    image = torch.randn(4 << 20).pin_memory()  # 16 MB that every cycle uploads
    pantry = out / "input.bin"
    pantry.write_bytes(os.urandom(8 << 20))
    run = blocks
    if fault == "fused":
        run = [torch.compile(b) for b in blocks]

    def read_input():
        with torch.profiler.record_function("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
            if fault == "slow_input":
                time.sleep(0.02)
            if fault == "disk_writes":
                fd = os.open(out / "scratch.bin", os.O_CREAT | os.O_WRONLY, 0o600)
                os.write(fd, pantry.read_bytes())
                os.fsync(fd)
                os.close(fd)
            return torch.randint(0, 32000, (batch, 1))

    @torch.no_grad()
    def cycle():
        tokens = read_input()
        with torch.profiler.record_function("decode_cycle"):
            x = embed(tokens.to(device))
            x = x + image.to(device, non_blocking=True)[:width].to(dtype)
            for block, kv in zip(run, cache):
                x = block(x, kv[0], kv[1])
                if fault == "sync_added":
                    torch.cuda.synchronize()
                if fault == "item_added":
                    x.sum().item()
                if fault == "allocator_churn":
                    torch.cuda.empty_cache()
                if fault == "host_code":
                    end = time.perf_counter() + 0.0015
                    while time.perf_counter() < end:
                        pass
                if fault == "extra_copies":
                    x = x.cpu().to(device)
            return head(x).argmax(-1).cpu()

    for _ in range(20):
        cycle()
    torch.cuda.synchronize()
    (out / "ready").touch()
    while not (out / "go").exists():
        time.sleep(0.01)
    warm = time.time() + 1.5
    while time.time() < warm:
        cycle()
    with torch.profiler.profile(schedule=torch.profiler.schedule(wait=1, warmup=3, active=cycles)) as profile:
        for _ in range(cycles + 4):
            cycle()
            profile.step()
    profile.export_chrome_trace(str(out / "trace.json"))


# ---------------------------------------------------------------- what disturbs it


def multiply_matrices():
    import torch
    a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    while True:
        for _ in range(20):
            b = a @ a
        torch.cuda.synchronize()


def copy_memory():
    import torch
    a = torch.empty(2 << 30, device="cuda", dtype=torch.uint8)
    b = torch.empty_like(a)
    while True:
        for _ in range(20):
            b.copy_(a)
        torch.cuda.synchronize()


def copy_over_the_bus():
    import torch
    a = torch.empty(256 << 20, dtype=torch.uint8).pin_memory()
    b = torch.empty(256 << 20, device="cuda", dtype=torch.uint8)
    while True:
        for _ in range(20):
            b.copy_(a, non_blocking=True)
        torch.cuda.synchronize()


def burn():
    while True:
        pass


# Name: (who disturbs, how many of them, cores to share with the loop or None)
DISTURBERS = {
    "gpu_contention": ("multiply_matrices", 1, None),
    "bandwidth_contention": ("copy_memory", 1, None),
    "bus_contention": ("copy_over_the_bus", 2, None),
    "cpu_contention": ("burn", 4 * (os.cpu_count() or 1), None),
    "core_shared": ("burn", 2, {0}),
}
COMMANDS = {  # before, after; only where the machine allows it
    "clock_locked": (["nvidia-smi", "-lgc", "600"], ["nvidia-smi", "-rgc"]),
    "power_capped": (["nvidia-smi", "-pl", "200"], ["nvidia-smi", "-pl", "700"]),
}
OWN = ["none", "none_again", "none_third", "float32", "batch_doubled", "layers_doubled", "fused", "slow_input", "disk_writes",
       "sync_added", "item_added", "allocator_churn", "host_code", "extra_copies"]

# ---------------------------------------------------------------- the sampler


class Nvml:
    def __init__(self):
        self.lib = ctypes.CDLL("libnvidia-ml.so.1")
        self.lib.nvmlInit_v2()
        self.device = ctypes.c_void_p()
        self.lib.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device))

    def number(self, function, *more):
        value = ctypes.c_uint(0)
        code = getattr(self.lib, function)(self.device, *more, ctypes.byref(value))
        return value.value if code == 0 else None

    def read(self):
        class Pair(ctypes.Structure):
            _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]

        class Memory(ctypes.Structure):
            _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]

        use, memory, reasons = Pair(), Memory(), ctypes.c_ulonglong(0)
        self.lib.nvmlDeviceGetUtilizationRates(self.device, ctypes.byref(use))
        self.lib.nvmlDeviceGetMemoryInfo(self.device, ctypes.byref(memory))
        known = self.lib.nvmlDeviceGetCurrentClocksThrottleReasons(self.device, ctypes.byref(reasons)) == 0
        rows = {
            "gpu_sm_frequency": self.number("nvmlDeviceGetClockInfo", 1),
            "gpu_mem_frequency": self.number("nvmlDeviceGetClockInfo", 2),
            "gpu_frequency": self.number("nvmlDeviceGetClockInfo", 0),
            "gpu_usage": use.gpu,
            "gpu_mem_util": use.memory,
            "gpu_mem_used": 100 * memory.used / max(1, memory.total),
            "gpu_power_mw": self.number("nvmlDeviceGetPowerUsage"),
            "gpu_temperature_c": self.number("nvmlDeviceGetTemperature", 0),
            "gpu_throttle_reasons": reasons.value if known else None,
        }
        for name, which in (("transmit", 0), ("receive", 1)):  # blocks for 20 ms each
            kilobytes = self.number("nvmlDeviceGetPcieThroughput", which)
            rows[f"gpu_pcie_{name}"] = None if kilobytes is None else kilobytes * 1024
        return rows


def words(path):
    try:
        return pathlib.Path(path).read_text().split()
    except OSError:
        return None


def sample(pid, path, stop):
    nvml = Nvml()
    before = None
    with open(path, "w") as out:
        out.write("ts_us,device,metric,value\n")
        while not stop.is_set():
            rows = [("GPU 0", name, value) for name, value in nvml.read().items() if value is not None]
            now = time.time_ns() // 1000
            scheduled, own, whole = words(f"/proc/{pid}/schedstat"), words(f"/proc/{pid}/stat"), words("/proc/stat")
            if scheduled and own:
                ticks = int(own[13]) + int(own[14])
                numbers = [int(n) for n in whole[1:9]]
                if before:
                    busy = sum(numbers) - numbers[3] - numbers[4] - before[2]
                    everything = sum(numbers) - before[3]
                    seconds = (now - before[0]) / 1e6
                    rows.append(("Host", "host_cpu_usage", 100 * busy / max(1, everything)))
                    rows.append(("Host", "process_cpu_usage",
                                 100 * (ticks - before[1]) / os.sysconf("SC_CLK_TCK") / seconds))
                before = (now, ticks, sum(numbers) - numbers[3] - numbers[4], sum(numbers))
                rows.append(("Host", "schedstat_oncpu_ns", scheduled[0]))
                rows.append(("Host", "schedstat_runq_ns", scheduled[1]))
            for row in rows:
                out.write("%d,%s,%s,%s\n" % (now, *row))
            time.sleep(0.01)


# ---------------------------------------------------------------- one fault after another


def record(out, fault, layers, cycles):
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    if fault in COMMANDS:
        done = subprocess.run(COMMANDS[fault][0], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{fault}: not allowed here: {done.stdout.strip()} {done.stderr.strip()}")
            shutil.rmtree(out)
            return
    me = [sys.executable, __file__]
    loop = subprocess.Popen(me + ["--serve", str(out), fault, "--layers", str(layers), "--cycles", str(cycles)])
    others = []
    try:
        while not (out / "ready").exists() and loop.poll() is None:
            time.sleep(0.05)
        if fault in DISTURBERS:
            who, count, cores = DISTURBERS[fault]
            for _ in range(count):
                others.append(subprocess.Popen(me + ["--disturb", who]))
            if cores:
                for process in [loop, *others]:
                    for thread in os.listdir(f"/proc/{process.pid}/task"):
                        os.sched_setaffinity(int(thread), cores)
            time.sleep(8 if who != "burn" else 1)
        stop = threading.Event()
        sampler = threading.Thread(target=sample, args=(loop.pid, out / "metrics.csv", stop))
        sampler.start()
        (out / "go").touch()
        code = loop.wait(timeout=180)
        stop.set()
        sampler.join()
    finally:
        for process in others:
            process.send_signal(signal.SIGKILL)
        if fault in COMMANDS:
            subprocess.run(COMMANDS[fault][1], capture_output=True)
    with open(out / "trace.json", "rb") as plain, gzip.open(out / "trace.json.gz", "wb", 9) as packed:
        shutil.copyfileobj(plain, packed)
    for name in ("trace.json", "ready", "go", "input.bin", "scratch.bin"):
        (out / name).unlink(missing_ok=True)
    print(f"{fault}: exit {code}, {(out / 'trace.json.gz').stat().st_size} bytes", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?", type=pathlib.Path)
    parser.add_argument("faults", nargs="*")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--cycles", type=int, default=16)
    parser.add_argument("--serve", nargs=2)
    parser.add_argument("--disturb")
    args = parser.parse_args()
    if args.serve:
        serve(pathlib.Path(args.serve[0]), args.serve[1], args.layers, args.cycles)
    elif args.disturb:
        globals()[args.disturb]()
    else:
        for fault in args.faults or [*OWN, *DISTURBERS, *COMMANDS]:
            try:
                record(args.out / fault, fault, args.layers, args.cycles)
            except Exception as error:  # the next fault is still worth recording
                print(f"{fault}: {error}", flush=True)


if __name__ == "__main__":
    main()
