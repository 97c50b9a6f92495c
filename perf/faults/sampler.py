"""Writes the metrics of a device and of a process to a CSV file, like samplers that people run beside torch's profiler.

    python3 sampler.py PROCESS FILE          until its stdin or the process ends

The columns are time in us, device, metric and value. Times are those of the machine's clock, as in a trace of Kineto.
"""
import ctypes
import os
import select
import sys
import time

PERIOD_S = 0.020
CLOCKS = {"gpu_frequency": 0, "gpu_sm_frequency": 1, "gpu_mem_frequency": 2}
BUS = {"gpu_pcie_transmit": 0, "gpu_pcie_receive": 1}


class Pair(ctypes.Structure):
    _fields_ = [("device", ctypes.c_uint), ("memory", ctypes.c_uint)]


class Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class Device:
    def __init__(self):
        self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self.handle = ctypes.c_void_p()
        assert self.nvml.nvmlInit_v2() == 0
        assert self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.handle)) == 0

    def ask(self, name, kind, *words):
        value = kind()
        failed = getattr(self.nvml, name)(self.handle, *words, ctypes.byref(value))
        return None if failed else value

    def sample(self):
        for metric, clock in CLOCKS.items():
            if value := self.ask("nvmlDeviceGetClockInfo", ctypes.c_uint, clock):
                yield metric, value.value
        if value := self.ask("nvmlDeviceGetUtilizationRates", Pair):
            yield "gpu_usage", value.device
            yield "gpu_mem_util", value.memory
        if value := self.ask("nvmlDeviceGetMemoryInfo", Memory):
            yield "gpu_mem_used", value.used / 2**30
        if value := self.ask("nvmlDeviceGetPowerUsage", ctypes.c_uint):
            yield "gpu_power_mw", value.value
        if value := self.ask("nvmlDeviceGetTemperature", ctypes.c_uint, 0):
            yield "gpu_temperature_c", value.value
        for metric, way in BUS.items():
            if value := self.ask("nvmlDeviceGetPcieThroughput", ctypes.c_uint, way):
                yield metric, value.value


class Host:
    def __init__(self, process):
        self.process, self.last = process, None

    def times(self):
        """Seconds of all cores, those in use, and those of the process."""
        ticks = os.sysconf("SC_CLK_TCK")
        with open("/proc/stat") as file:
            fields = [int(word) / ticks for word in file.readline().split()[1:9]]
        with open(f"/proc/{self.process}/stat") as file:
            mine = file.read().rpartition(")")[2].split()
        return sum(fields), sum(fields) - fields[3] - fields[4], (int(mine[11]) + int(mine[12])) / ticks

    def sample(self):
        now = (time.monotonic(), *self.times())
        if self.last and now[1] > self.last[1]:
            spent = [b - a for a, b in zip(self.last, now)]
            yield "host_cpu_usage", round(100 * spent[2] / spent[1], 1)
            yield "process_cpu_usage", round(100 * spent[3] / spent[0], 1)
        self.last = now
        with open(f"/proc/{self.process}/schedstat") as file:
            on_cpu, waiting = file.read().split()[:2]
        yield "schedstat_oncpu_ns", on_cpu
        yield "schedstat_runq_ns", waiting


def main():
    device, host = Device(), Host(sys.argv[1])
    with open(sys.argv[2], "w") as file:
        file.write("ts_us,device,metric,value\n")
        print("ready", flush=True)
        while not select.select([sys.stdin], [], [], PERIOD_S)[0]:
            at = time.time_ns() // 1000
            try:
                rows = [(name, *row) for name, part in (("GPU 0", device), ("Host", host)) for row in part.sample()]
            except OSError:
                break  # the process is gone
            file.writelines(f"{at},{name},{metric},{value}\n" for name, metric, value in rows)


if __name__ == "__main__":
    main()
