"""The programs of the fault laboratory: loops whose cycles are NVTX ranges "step N", the same work in every run.

    python3 programs.py PROGRAM [--fault NAME] [--strength strong|medium|weak|one] [--amount X] [--seconds S] [--seed N]
    python3 programs.py PROGRAM --profile FOLDER ...     torch's profiler writes FOLDER/trace.json
    python3 programs.py PROGRAM --search

PROGRAM is one of loops.py, held_out.py, later.py or fresh.py; amounts.py says which faults each one knows. The last line of stdout is JSON
with the cycle as the program saw it. `--search` prints the amounts of all faults that are found by measuring; without
`--amount` such a fault is searched for first, which then is part of the recording. With `--profile` a program says on
stdout how far it is ("imported", "warm", "healthy", "measured"), and goes on after the first three when it gets a line.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile
import time

CACHE = os.path.join(tempfile.gettempdir(), "strobe_faults_inductor")
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", CACHE)  # only the first process compiles
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # no pool of processes beside the program
os.environ.setdefault("OMP_NUM_THREADS", "1")  # work on the host stays on the core that asked for it

import torch  # noqa: E402  after its variables

import amounts  # noqa: E402
import fresh  # noqa: E402
import held_out  # noqa: E402
import later  # noqa: E402
import loops  # noqa: E402

WARM_UP = 6  # cycles that are there but do not count
EFFECT_S = 0.25
# A program that runs can have these faults and lose them.
ADDED = {"sleep", "slow_input", "gc", "sync", "copies", "churn", "gil", "recompute", "empty_cache", "anomaly", "log"}
CYCLES = {"convnet": 140, "transformer": 180, "compiled": 220, "decode": 400, "prefill": 200, "graph": 400, "input": 200,
          "vit": 140, "recommender": 200, "diffusion": 200, "experts": 140, "speech": 140, "graphnet": 140, "policy": 400, "gan": 200, "search": 200, "translate": 60}
PROFILED = {"convnet": 32, "transformer": 16, "compiled": 32, "decode": 60, "prefill": 30, "graph": 50, "input": 24,
            "vit": 16, "recommender": 40, "diffusion": 40, "experts": 16, "speech": 12, "graphnet": 32, "policy": 60, "gan": 24, "search": 32, "translate": 14}

PROGRAMS = {**loops.PROGRAMS, **held_out.PROGRAMS, **later.PROGRAMS, **fresh.PROGRAMS}


def run_cycles(step, first, most, seconds, word="step", after=None):
    """The milliseconds of each cycle, by the host's clock and by the device's. `after` is called at the end of each."""
    marks, events = [time.perf_counter()], []
    until = marks[0] + seconds
    for number in range(first, first + most):
        torch.cuda.nvtx.range_push(f"{word} {number}")
        step(number)
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        torch.cuda.nvtx.range_pop()
        events.append(event)
        marks.append(time.perf_counter())
        if after is not None:
            after()
        if marks[-1] > until and len(events) >= 9:
            break
    torch.cuda.synchronize()
    host = [(b - a) * 1e3 for a, b in zip(marks, marks[1:])]
    return host, [a.elapsed_time(b) for a, b in zip(events, events[1:])]


def search_amounts(fault, step, names):
    """What `amounts.search` finds for each of these faults; there is none afterwards."""
    def measure(name, amount):
        fault.set(name, amount)
        cycles = run_cycles(step, 0, 1000, 0.1, "search")[1]
        fault.set("none", 0)
        return statistics.median(cycles[2:])  # the first ones may have been prepared before

    run_cycles(step, 0, 1000, 0.3, "search")
    healthy_ms = statistics.median(measure("none", 0) for _ in range(5))
    found = {}
    for name in names:
        try:
            found[name] = amounts.search(name, measure, healthy_ms)
        except Exception as error:  # the other faults can still be searched
            fault.set("none", 0)
            print(f"{name}: {error!r}", file=sys.stderr)
    return found


def say(stage):
    print(stage, flush=True)


def say_and_wait(stage):
    say(stage)
    sys.stdin.readline()


def run_profiled(options, step):
    """As `run_cycles`, for the cycles that are in the profiler's trace."""
    active = PROFILED[options.program]
    kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    file = os.path.join(options.profile, "trace.json")

    def finish(profiler):
        say("measured")
        profiler.export_chrome_trace(file)
    with torch.profiler.profile(activities=kinds, schedule=torch.profiler.schedule(wait=0, warmup=2, active=active, repeat=1),
                                on_trace_ready=finish) as profiler:
        host, device = run_cycles(step, WARM_UP, 2 + active, 600, after=profiler.step)
    return host[2:], device[1:]


def typical_ms(step):
    """Of a cycle, by the device's clock: the mean, because a fault may strike some cycles only."""
    return statistics.mean(run_cycles(step, 0, 1000, EFFECT_S, "effect")[1][2:])


def run_with_effect(options, fault, step, amount):
    """As `run_profiled`, with the factor by which the fault made the cycle longer in this process; None for a fault that it was built with."""
    is_added = fault.name in ADDED
    say_and_wait("warm")
    if is_added:
        fault.set("none", 0)
    healthy_ms = typical_ms(step)
    if is_added:
        fault.set(options.fault, amount)
    say_and_wait("healthy")  # a fault outside of the program begins here
    faulty_ms = typical_ms(step)
    host, device = run_profiled(options, step)
    return host, device, faulty_ms / healthy_ms if is_added or options.fault == "none" else None


def run(options, fault, step, amount):
    """The warm-up and the cycles that count: what the last line of stdout says."""
    warm_up = run_cycles(step, 0, WARM_UP, 600)[0]
    if amount is None:
        amount = search_amounts(fault, step, [options.fault])[options.fault].get(options.strength)
        if amount is None:
            sys.exit(f"{options.fault} of {options.program} cannot be made {options.strength}")
        fault.set(options.fault, amount)
    elif fault.name == "gc":
        fault.set("gc", amount)  # once more: what torch has imported by now is no part of the heap
    effect = None
    if options.profile:
        host, device, effect = run_with_effect(options, fault, step, amount)
    else:
        host, device = run_cycles(step, WARM_UP, CYCLES[options.program], options.seconds)
    return {"cycles": len(host), "host_ms": statistics.median(host), "device_ms": statistics.median(device),
            "span_ms": statistics.mean(host), "device_span_ms": statistics.mean(device), "first_ms": warm_up[0], "amount": amount,
            **({} if effect is None else {"effect": effect})}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", choices=PROGRAMS)
    parser.add_argument("--fault", default="none")
    parser.add_argument("--strength", default="strong", choices=[*amounts.STRENGTHS, "one"])
    parser.add_argument("--amount", type=float)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--search", action="store_true")
    parser.add_argument("--profile", metavar="FOLDER")
    options = parser.parse_args()
    known = amounts.INSIDE[options.program]
    how = {"none": {options.strength: 0}, **known}.get(options.fault)
    if how is None:
        parser.error(f"{options.program} knows {', '.join(known)}")
    if how != amounts.SEARCHED and options.strength not in how:
        parser.error(f"{options.fault} of {options.program} has the strengths {', '.join(how)}")
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    if options.profile:
        torch.profiler.supported_activities()  # imports what is not there yet
        say_and_wait("imported")

    amount = options.amount
    if amount is None and how != amounts.SEARCHED:
        amount = how[options.strength]
    fault = loops.Fault("none", 0) if options.search or amount is None else loops.Fault(options.fault, amount)
    step = PROGRAMS[options.program](fault)
    try:
        if options.search:
            names = [name for name in known if known[name] == amounts.SEARCHED]
            result = search_amounts(fault, step, names)
        else:
            result = run(options, fault, step, amount)
    finally:
        fault.stop_thread()
        getattr(step, "close", lambda: None)()
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
