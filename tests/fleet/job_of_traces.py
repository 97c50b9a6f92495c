"""Writes the traces of a small job: ranks that compute, wait for each other, and reduce."""
import json
import pathlib

MS = 1000  # microseconds, in which traces count


def trace_of(rank, ranks, steps, sleeper=None, sleep_ms=30, offset_us=0.0):
    """One rank. A collective begins when the rank arrives, and ends for all when the last one has."""
    events = []

    def add(name, cat, ts, dur, tid, **args):
        events.append({"ph": "X", "name": name, "cat": cat, "pid": 0 if cat == "kernel" else 100 + rank, "tid": tid,
                       "ts": ts + offset_us, "dur": dur, "args": args})

    now = 1_000_000.0
    for step in range(steps):
        begin = now
        arrivals = [begin + 20 * MS + 0.3 * MS * ((5 * one + 3 * step) % 7) + (sleep_ms * MS if one == sleeper else 0)
                    for one in range(ranks)]
        own = arrivals[rank]
        idle = sleep_ms * MS if rank == sleeper else 0
        add("gemm", "kernel", begin + 1 * MS + idle, own - begin - 1 * MS - idle - 50, 7, device=0, stream=7,
            correlation=1000 * step + 1)
        end = max(arrivals) + 2 * MS
        add("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "kernel", own, end - own, 20, device=0, stream=20,
            correlation=1000 * step + 2, **{"Collective name": "allreduce", "In msg nelems": 1 << 20,
                                            "Out msg nelems": 1 << 20, "dtype": "BFloat16", "Group size": ranks,
                                            "Process Group Name": "0", "Process Group Description": "default_pg",
                                            "Process Group Ranks": str(list(range(ranks)))})
        now = end + 1 * MS
        add(f"ProfilerStep#{step}", "user_annotation", begin, now - begin, 1)
    return {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks},
            "deviceProperties": [{"id": 0, "name": "NVIDIA H100", "numSms": 132}], "traceEvents": events}


def write_job(folder, ranks, steps=8, name=lambda rank: f"rank{rank}.json", **how):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for rank in range(ranks):
        (folder / name(rank)).write_text(json.dumps(trace_of(rank, ranks, steps, **how)), encoding="utf-8")
    return folder
