#!/usr/bin/env python3
"""A program that uses torch and knows nothing of strobe's hook; it prints which profiler is on, and where.

torch_hook_calls.py threads     in threads of every kind, before and after the import
torch_hook_calls.py profiler    while the program uses a profiler of its own
torch_hook_calls.py children    in processes that it starts
torch_hook_calls.py again       an import that fails, and one that does not
torch_hook_calls.py import      nothing but the import
torch_hook_calls.py late        the import in another thread
"""
import importlib.util
import os
import subprocess
import sys
import threading


def in_thread(work, **options):
    thread = threading.Thread(target=work, **options)
    thread.start()
    thread.join()


def in_threads():
    print("torch is there:", importlib.util.find_spec("torch") is not None)
    import torch
    print("main:", torch.what_is_on(), torch.autograd.profiler._is_profiler_enabled)
    in_thread(lambda: print("thread:", torch.what_is_on()))
    in_thread(lambda: print("daemon:", torch.what_is_on()), daemon=True)

    def failing():
        print("failing:", torch.what_is_on())
        raise SystemExit

    in_thread(failing)
    print("its loader:", type(torch.__loader__).__name__, vars(torch.__loader__).keys() & {"exec_module"})


def with_profiler():
    import torch
    profiler = torch.autograd.profiler
    with profiler.profile() as own:
        print("inside:", torch.what_is_on())
        in_thread(lambda: print("thread inside:", torch.what_is_on()))
    print("result:", own.result, torch.what_is_on(), profiler._is_profiler_enabled)
    try:
        profiler.profile("refused").__enter__()
    except RuntimeError as error:
        print("error:", error, torch.what_is_on())
    try:
        torch.autograd._disable_profiler()
    except RuntimeError as error:
        print("error:", error, torch.what_is_on())
    with profiler.profile("NVTX"):
        print("its own ranges:", torch.what_is_on())
    print("after:", torch.what_is_on())
    print(torch._C._autograd._enable_profiler.__name__, torch.autograd._enable_profiler.__doc__)


def with_children():
    import torch
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", "import torch; print('spawned:', torch.what_is_on())"], check=True)
    child = os.fork()
    if child == 0:
        print("forked:", torch.what_is_on())
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)


def again():
    try:
        import torch
    except ImportError as error:
        print("error:", error)
    import torch
    print("then:", torch.what_is_on())


def late():
    in_thread(lambda: __import__("torch"))
    import torch
    print("main:", torch.what_is_on())
    in_thread(lambda: print("thread:", torch.what_is_on()))


def only_import():
    import torch
    print("imported:", torch.what_is_on())


{"threads": in_threads, "profiler": with_profiler, "children": with_children, "again": again, "late": late,
 "import": only_import}[sys.argv[1]]()
print("path:", [folder for folder in sys.path if "strobe-hook" in folder])
