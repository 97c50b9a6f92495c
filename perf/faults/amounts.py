"""Which program knows which fault, and how much of it makes a cycle longer by how much.

An amount is what the fault needs: milliseconds, megabytes, a count, the size of a batch. Where it is SEARCHED, `search`
finds it by measuring; a table holds what cannot be changed in the middle of a run, and `one` stands for "there is only
one strength". Whatever was asked for, `lab` tells the strength from the cycle that was measured.
"""
STRENGTHS = ["strong", "medium", "weak"]
TARGETS = {"strong": 1.35, "medium": 1.11, "weak": 1.03}
SEARCHED = "searched"
ONE = {"one": 1}

# Faults that a program of torch can have while it runs, and those of one that learns as well.
RUNNING = {"gil": {"strong": 0.3, "medium": 0.1, "weak": 0.03}, "empty_cache": ONE, "log": SEARCHED}
LEARNING = {**RUNNING, "anomaly": ONE}

# Faults inside of the program. Amounts: sleep and slow_input in ms, gc in objects, sync, churn and launches in calls,
# log in lines, gil in share of the time, copies in MB; batch is the size of the batch (or the length of the text, or the rows of the grid).
INSIDE = {
    "convnet": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED, "sync": SEARCHED, "copies": SEARCHED, "churn": SEARCHED,
        "pageable": ONE, "precision": ONE, "layout": ONE, "launches": ONE, **LEARNING,
        "batch": {"strong": 128, "medium": 106, "weak": 99}},
    "transformer": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED, "sync": SEARCHED, "copies": SEARCHED, "churn": SEARCHED,
        "kernels_attention": ONE, "recompute": ONE, **LEARNING,
        "launches": {"strong": 32, "medium": 9, "weak": 3}},  # parameters that the optimizer updates one by one
    "compiled": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED, "copies": SEARCHED, "churn": SEARCHED,
        "launches": ONE},  # not compiled
    "decode": {
        "sleep": SEARCHED, "gc": SEARCHED, "sync": SEARCHED, "copies": SEARCHED, "churn": SEARCHED, "launches": SEARCHED,
        "kernels_attention": ONE, **RUNNING},
    "prefill": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "sync": SEARCHED, "copies": SEARCHED, "churn": SEARCHED, "launches": SEARCHED,
        "pageable": ONE, "precision": ONE, "kernels_attention": ONE,
        "batch": {"strong": 2560, "medium": 2240, "weak": 2112}},
    "graph": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED, "copies": SEARCHED, "churn": SEARCHED,
        "launches": ONE,  # without the graph
        "kernels_attention": ONE},
    "input": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED,
        "batch": {"strong": 84, "medium": 71, "weak": 66}},
    "stencil": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "sync": SEARCHED, "copies": SEARCHED, "churn": SEARCHED, "launches": SEARCHED,
        "pageable": ONE, "precision": ONE,
        "batch": {"strong": 11000, "medium": 9100, "weak": 8448}},
    "vit": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED, "sync": SEARCHED, "copies": SEARCHED, "churn": SEARCHED,
        "precision": ONE, "launches": ONE, "kernels_attention": ONE, "recompute": ONE, **LEARNING,
        "batch": {"strong": 184, "medium": 144, "weak": 132}},
    "recommender": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED, "sync": SEARCHED, "copies": SEARCHED, "churn": SEARCHED,
        "launches": SEARCHED, "pageable": ONE,
        "batch": {"strong": 12288, "medium": 9216, "weak": 8448}},
    "diffusion": {
        "sleep": SEARCHED, "gc": SEARCHED, "sync": SEARCHED, "copies": SEARCHED, "churn": SEARCHED, "launches": SEARCHED,
        "precision": ONE, "layout": ONE, "kernels_attention": ONE,
        "batch": {"strong": 12, "medium": 9}},
    "experts": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED, "copies": SEARCHED, "churn": SEARCHED,
        "precision": ONE, "launches": ONE,
        "batch": {"strong": 12288, "medium": 9216, "weak": 8448}},
    "speech": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED, "sync": SEARCHED, "copies": SEARCHED, "churn": SEARCHED,
        "pageable": ONE, "precision": ONE, "launches": ONE, "recompute": ONE, **LEARNING,
        "batch": {"strong": 672, "medium": 536, "weak": 500}},
    "graphnet": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED, "sync": SEARCHED, "copies": SEARCHED, "churn": SEARCHED,
        "launches": SEARCHED, "pageable": ONE, "precision": ONE, "recompute": ONE, **LEARNING,
        "batch": {"strong": 560_000, "medium": 450_000, "weak": 416_000}},
    "policy": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED, "copies": SEARCHED, "churn": SEARCHED, "launches": SEARCHED,
        **LEARNING},
    "gan": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED, "sync": SEARCHED, "copies": SEARCHED, "churn": SEARCHED,
        "pageable": ONE, "precision": ONE, "layout": ONE, "launches": ONE, "recompute": ONE, **LEARNING,
        "batch": {"strong": 90, "medium": 72, "weak": 66}},
    "search": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED, "sync": SEARCHED, "copies": SEARCHED, "churn": SEARCHED,
        "launches": SEARCHED, "pageable": ONE, "precision": ONE, "kernels_attention": ONE, **RUNNING,
        "batch": {"strong": 132, "medium": 108, "weak": 100}},
    "translate": {
        "sleep": SEARCHED, "slow_input": SEARCHED, "gc": SEARCHED, "sync": SEARCHED, "copies": SEARCHED, "churn": SEARCHED,
        "precision": ONE, "launches": ONE, "kernels_attention": ONE, "recompute": ONE, **LEARNING,
        "batch": {"strong": 66, "medium": 53, "weak": 49}},
}

# The first amount that a search tries, and the last.
LIMITS = {
    "sleep": (0.2, 200), "slow_input": (0.2, 200), "gc": (10_000, 4_000_000), "sync": (1, 16), "copies": (2, 2048),
    "churn": (1, 128), "launches": (4, 1024), "log": (1, 1024),
}
COUNTED = {"gc", "sync", "churn", "launches", "log"}

# Faults outside of the program, see faults.py: how much, and to which programs it is done.
OUTSIDE = {
    "host_cores": {"strong": 40, "medium": 24, "weak": 16},  # busy processes on 16 cores
    "own_core": {"strong": 0.4, "medium": 0.1, "weak": 0.03},  # share of the program's only core that another one takes
    "quota": {"strong": 0.7, "medium": 0.88, "weak": 0.96},  # cores
    "foreign_compute": {"strong": 0.45, "medium": 0.12, "weak": 0.04},  # share of the device that the other one asks for
    "foreign_memory": {"strong": 0.45, "medium": 0.12, "weak": 0.04},
    "foreign_copies": {"strong": 0.9, "medium": 0.4, "weak": 0.1},  # of the bus
    "lower_clock": {"strong": 0.6, "medium": 0.86, "weak": 0.96},  # of the highest clock
    "power_cap": {"strong": 0.45, "medium": 0.65, "weak": 0.85},  # of the usual limit
}
HOST_FAULTS = ["host_cores", "own_core", "quota"]  # they strike some cycles more than others
DEVICE_FAULTS = ["foreign_compute", "foreign_memory", "lower_clock"]
DONE_TO = {
    "convnet": ["host_cores", *DEVICE_FAULTS, "foreign_copies", "power_cap"],
    "transformer": [*HOST_FAULTS, "foreign_compute"],
    "compiled": ["host_cores", *DEVICE_FAULTS],
    "decode": [*HOST_FAULTS, "foreign_compute", "lower_clock"],
    "prefill": [*DEVICE_FAULTS, "foreign_copies", "power_cap"],
    "graph": [*HOST_FAULTS, *DEVICE_FAULTS],
    "input": [*HOST_FAULTS, "foreign_copies"],
    "stencil": [*DEVICE_FAULTS, "foreign_copies", "own_core"],
    "vit": ["host_cores", *DEVICE_FAULTS],
    "recommender": ["host_cores", "quota", "foreign_memory", "foreign_copies"],
    "diffusion": ["host_cores", "foreign_compute", "lower_clock", "power_cap"],
    "experts": ["host_cores", "own_core", "foreign_memory", "lower_clock"],
    "speech": ["host_cores", *DEVICE_FAULTS],
    "graphnet": DEVICE_FAULTS,
    "policy": ["host_cores", "foreign_compute"],
    "gan": ["host_cores", *DEVICE_FAULTS, "foreign_copies"],
    "search": ["host_cores", *DEVICE_FAULTS, "power_cap"],
    "translate": ["host_cores", *DEVICE_FAULTS, "power_cap"],
}
PINNED = "pinned"  # a program on one core with nobody else there: what own_core must be compared with


def amount_for(points, wanted_ms):
    """Where the line through the measured points first reaches a cycle of `wanted_ms`; None if it never does."""
    for (less, shorter_ms), (more, longer_ms) in zip(points, points[1:]):
        if longer_ms >= wanted_ms:
            return less + (more - less) * (wanted_ms - shorter_ms) / (longer_ms - shorter_ms)
    return None


def search(fault, measure, healthy_ms):
    """The amount for each strength. `measure(fault, amount)` gives the milliseconds of a cycle."""
    first, last = LIMITS[fault]

    def usable(amount):
        return max(1, round(amount)) if fault in COUNTED else amount

    points, amount = [(0, healthy_ms)], first
    while True:
        points.append((amount, measure(fault, amount)))
        if points[-1][1] >= TARGETS["strong"] * healthy_ms or amount >= last:
            break
        amount = min(2 * amount, last)
    found = {}
    for strength in STRENGTHS:
        wanted_ms = TARGETS[strength] * healthy_ms
        for _ in range(2):  # the line bends where the fault stops to hide behind other work: look again near there
            amount = amount_for(points, wanted_ms)
            if amount is None or usable(amount) in dict(points):
                break
            points = sorted([*points, (usable(amount), measure(fault, usable(amount)))])
        amount = amount_for(points, wanted_ms)
        if amount is not None and usable(amount) not in found.values():
            found[strength] = usable(amount)
    return found
