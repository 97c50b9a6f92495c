"""A torch with nothing but what strobe's hook for it touches; the test installs it as torch/__init__.py.

FAKE_TORCH=nocuda     built without CUDA
FAKE_TORCH=changed    its profiler takes other arguments
FAKE_TORCH=bare       it has no profiler
FAKE_TORCH=broken     the first import fails
"""
import atexit
import os
import sys
import threading
import types

_kind = os.environ.get("FAKE_TORCH", "")
if _kind == "broken":
    os.environ["FAKE_TORCH"] = ""
    raise ImportError("libcudart is missing")


def _module(name):
    module = sys.modules[name] = types.ModuleType(name)
    parent, _, last = name.rpartition(".")
    setattr(sys.modules[parent], last, module)
    return module


version = _module("torch.version")
version.cuda = None if _kind == "nocuda" else "13.0"
_C = _module("torch._C")
_autograd = _module("torch._C._autograd")
autograd = _module("torch.autograd")
profiler = _module("torch.autograd.profiler")
autograd.__path__ = []


class _Slot:
    """For the profiler of a thread; as torch does, it warns if the thread ends with one."""
    state = None

    def __del__(self):
        if self.state is not None:
            print("torch warns: leaked callback handle", file=sys.stderr)


class _Mine(threading.local):
    def __init__(self):
        self.slot = _Slot()


_mine = _Mine()


def _enable_profiler(config, activities):
    """Enables."""
    if _mine.slot.state is not None:
        raise RuntimeError("Profiler is already enabled on this thread")
    if config.state == "refused":
        raise RuntimeError("no such profiler")
    _mine.slot.state = config.state


def _disable_profiler():
    if _mine.slot.state is None:
        raise RuntimeError("Can't disable Kineto profiler when it's not running")
    result, _mine.slot.state = _mine.slot.state, None
    return "result of " + result


class ProfilerConfig:
    def __init__(self, state, shapes, memory, stack, flops, modules, experimental):
        if _kind == "changed":
            raise TypeError("incompatible constructor arguments")
        self.state = state
        self.is_plain = not (shapes or memory or stack or flops or modules)


class profile:
    """The program's own profiler."""

    def __init__(self, state="KINETO"):
        self.state = state

    def __enter__(self):
        profiler._is_profiler_enabled = True
        profiler._enable_profiler(ProfilerConfig(self.state, 0, 0, 0, 0, 0, None), set())
        return self

    def __exit__(self, *_error):
        self.result = profiler._disable_profiler()
        profiler._run_on_profiler_stop()


def _set_is_profiler_enabled(is_enabled):
    profiler._is_profiler_enabled = is_enabled


def what_is_on():
    """What would record an operator in this thread."""
    return str(_mine.slot.state)


if _kind != "bare":
    for _place in (_autograd, autograd, profiler):
        _place._enable_profiler, _place._disable_profiler = _enable_profiler, _disable_profiler
        _place._profiler_enabled = lambda: _mine.slot.state is not None
    profiler.ProfilerConfig, profiler._ExperimentalConfig = ProfilerConfig, object
    profiler.ProfilerState = types.SimpleNamespace(NVTX="NVTX")
    profiler.profile = profile
    profiler._is_profiler_enabled = False
    profiler._set_is_profiler_enabled = _set_is_profiler_enabled
    profiler._run_on_profiler_stop = lambda: _set_is_profiler_enabled(False)
    atexit.register(lambda: print("at exit:", what_is_on()))
