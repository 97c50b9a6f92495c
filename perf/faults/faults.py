"""Faults outside of the program: busy cores, a quota, other programs on the GPU, a lower clock, less power.

`applied` holds one of them while a run is recorded: it is there before the recording begins and gone afterwards.

    python3 faults.py busy COUNT SHARE SECONDS     COUNT processes, each on a core in SHARE of the time; prints "ready"
"""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

PERIOD_S = 0.010
LIFE_S = 90  # a neighbour ends by itself, should the laboratory be killed
CGROUPS = pathlib.Path("/sys/fs/cgroup")


class CannotApply(Exception):
    """This machine does not permit the fault, or lacks something for it."""


def work(share, until):
    while time.monotonic() < until:
        began = time.monotonic()
        while time.monotonic() < began + share * PERIOD_S:
            pass
        if share < 1:
            time.sleep(max(0, began + PERIOD_S - time.monotonic()))


def busy(count, share, seconds):
    until = time.monotonic() + seconds
    for _ in range(count - 1):
        if os.fork() == 0:
            work(share, until)
            os._exit(0)
    print("ready", flush=True)
    work(share, until)


@contextlib.contextmanager
def neighbour(command):
    """A process, and all that it starts, from the time it is ready."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               process_group=0)
    try:
        if process.stdout.readline() != "ready\n":
            raise CannotApply(f"{command[0]}: {process.stderr.read()[-300:].strip()}")
        yield
        if process.poll() is not None:
            raise CannotApply("the neighbour ended before the run did")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def busy_command(count, share):
    return [sys.executable, "-S", os.path.abspath(__file__), "busy", count, share, LIFE_S]


def own_core():
    return str(max(os.sched_getaffinity(0)))


@contextlib.contextmanager
def quota(cores):
    """A group of processes that gets so many cores; yields the file that takes the number of a process."""
    try:
        if (CGROUPS / "cgroup.controllers").exists():
            group = CGROUPS / "strobe_faults"
            group.mkdir(exist_ok=True)
            if not (group / "cpu.max").exists():
                (CGROUPS / "cgroup.subtree_control").write_text("+cpu")
            (group / "cpu.max").write_text(f"{int(cores * 100_000)} 100000")
        else:
            group = CGROUPS / "cpu/strobe_faults"
            group.mkdir(exist_ok=True)
            (group / "cpu.cfs_period_us").write_text("100000")
            (group / "cpu.cfs_quota_us").write_text(str(int(cores * 100_000)))
    except OSError as error:
        raise CannotApply(f"no quota can be set: {error}") from error
    try:
        yield group / "cgroup.procs"
    finally:
        for process in (group / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):  # it has ended
                (group.parent / "cgroup.procs").write_text(process)
        for _ in range(20):  # the last process may be about to end
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.1)


def smi(*words):
    try:
        done = subprocess.run(["nvidia-smi", *words], capture_output=True, text=True)
    except OSError as error:
        raise CannotApply(f"nvidia-smi: {error}") from error
    if done.returncode != 0:
        raise CannotApply(f"nvidia-smi {' '.join(words)}: {(done.stdout + done.stderr).strip()[-300:]}")
    return done.stdout.strip()


def asked(name):
    answer = smi(f"--query-gpu={name}", "--format=csv,noheader,nounits").splitlines()[0]
    try:
        return float(answer)
    except ValueError as error:
        raise CannotApply(f"{name} is {answer}") from error


@contextlib.contextmanager
def lower_clock(share):
    mhz = round(share * asked("clocks.max.sm"))
    smi("-lgc", f"{mhz},{mhz}")
    try:
        yield
    finally:
        smi("-rgc")


@contextlib.contextmanager
def power_cap(share):
    usual = asked("power.default_limit")
    smi("-pl", str(round(max(share * usual, asked("power.min_limit")))))
    try:
        yield
    finally:
        smi("-pl", str(round(usual)))


def reset():
    """Takes back what an earlier laboratory may have left, if it was killed."""
    with contextlib.suppress(CannotApply):
        smi("-pm", "1")  # else a lower clock is forgotten while no program uses the device
    with contextlib.suppress(CannotApply):
        smi("-rgc")
    with contextlib.suppress(CannotApply):
        smi("-pl", str(round(asked("power.default_limit"))))


class Place:
    """Where a program must run: on one core, in a group of processes, or anywhere."""

    def __init__(self, core=None, group=None):
        self.core, self.group = core, group

    def before_recorder(self):
        """Words before the command of the recorder, which moves into the group with its program."""
        return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(self.group)] if self.group else []

    def before_program(self):
        return ["taskset", "-c", self.core] if self.core else []

    def move(self, process):
        """Moves a process that already runs."""
        if self.core:
            for thread in os.listdir(f"/proc/{process}/task"):
                os.sched_setaffinity(int(thread), [int(self.core)])
        if self.group:
            self.group.write_text(str(process))


@contextlib.contextmanager
def applied(fault, amount, tools):
    """Yields the Place where the program must run."""
    with contextlib.ExitStack() as stack:
        place = Place(core=own_core() if fault in ("own_core", "pinned") else None)
        if fault == "host_cores":
            stack.enter_context(neighbour(busy_command(amount, 1)))
        elif fault == "own_core":
            stack.enter_context(neighbour([*place.before_program(), *busy_command(1, amount)]))
        elif fault == "quota":
            place.group = stack.enter_context(quota(amount))
        elif fault.startswith("foreign_"):
            stack.enter_context(neighbour([tools / "neighbour", fault.removeprefix("foreign_"), amount, LIFE_S]))
        elif fault == "lower_clock":
            stack.enter_context(lower_clock(amount))
        elif fault == "power_cap":
            stack.enter_context(power_cap(amount))
        yield place


if __name__ == "__main__":
    busy(int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
