"""Trains a small network with several processes over gloo on one GPU, each beside torch's profiler; one of them may be slow.

    python3 ranks.py FOLDER [--ranks 8] [--slow RANK --sleep-ms MS] [--steps 12]     writes FOLDER/rank<N>/trace.json
"""
import argparse
import os
import pathlib
import socket
import subprocess
import sys
import time

WARM_UP = 4


def train(options):
    import torch
    import torch.nn.functional as F
    rank = int(os.environ["RANK"])
    torch.set_num_threads(1)
    torch.manual_seed(0)
    torch.distributed.init_process_group("gloo")
    model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) if layer % 2 == 0 else torch.nn.GELU() for layer in range(9)]).cuda()
    model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    x = torch.randn(256, 1024).pin_memory()

    def step():
        loss = F.mse_loss(model(x.cuda(non_blocking=True)), torch.zeros(256, 1024, device="cuda"))
        if rank == options.slow:
            time.sleep(options.sleep_ms / 1e3)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        loss.item()
    for _ in range(WARM_UP):
        step()
    folder = options.folder / f"rank{rank}"
    folder.mkdir(parents=True, exist_ok=True)
    kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=kinds, schedule=torch.profiler.schedule(wait=0, warmup=2, active=options.steps, repeat=1),
                                on_trace_ready=lambda done: done.export_chrome_trace(str(folder / "trace.json"))) as profiler:
        for _ in range(2 + options.steps):
            step()
            profiler.step()
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--slow", type=int, metavar="RANK")
    parser.add_argument("--sleep-ms", type=float, default=30)
    parser.add_argument("--steps", type=int, default=12)
    options = parser.parse_args()
    if "RANK" in os.environ:
        return train(options)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    together = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(options.ranks)}
    processes = [subprocess.Popen([sys.executable, *sys.argv], env={**together, "RANK": str(rank), "LOCAL_RANK": str(rank)})
                 for rank in range(options.ranks)]
    return int(any([process.wait() for process in processes]))


if __name__ == "__main__":
    sys.exit(main())
