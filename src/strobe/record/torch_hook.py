"""Makes torch mark its operators with NVTX ranges, in a program that knows nothing of it.

`strobe record --torch` puts this file, as sitecustomize.py, into a folder of its own and that folder first into
PYTHONPATH: every Python of the program, and every one that it starts, runs it before anything else. It does nothing
until the program imports torch, prints nothing, and whatever a torch of another version lacks, the program goes on
without the ranges.

torch.autograd.profiler.emit_nvtx does the same for a `with` block, but waits for the device first, which would create
a CUDA context in processes that never asked for one. What it switches on belongs to one thread, and to the backward
passes that this thread starts; so threads are switched on one by one as they start. Daemon threads are not: torch
warns on stderr when a thread ends with the ranges on, and at the end of the interpreter nobody can switch them off.

A thread has one profiler at most. While the program uses its own, ours steps aside.
"""
import sys

_FOLDER = __file__.rpartition("/")[0]


class _Emission:
    """torch's NVTX ranges in the threads of this process."""

    def __init__(self, torch):
        import threading
        from torch.autograd import profiler

        self._profiler = profiler
        self._enable = profiler._enable_profiler
        self._disable = profiler._disable_profiler
        self._is_taken = getattr(torch.autograd, "_profiler_enabled", bool)
        self._mine = threading.local()

    def is_on(self):
        return getattr(self._mine, "is_on", False)

    def switch_on(self):
        """In this thread."""
        try:
            if self.is_on() or self._is_taken():
                return
            profiler = self._profiler
            self._enable(profiler.ProfilerConfig(profiler.ProfilerState.NVTX, False, False, False, False, False,
                                                 profiler._ExperimentalConfig()), set())
            self._mine.is_on = True
            self.show()
        except Exception:
            pass

    def switch_off(self):
        try:
            if self.is_on():
                self._mine.is_on = False
                self._disable()
        except Exception:
            pass

    def show(self):
        """Compiled code asks for this before it names its kernels."""
        if hasattr(self._profiler, "_set_is_profiler_enabled"):
            self._profiler._set_is_profiler_enabled(True)

    def step_aside_for(self, start):
        """A profiler's `start`, without our ranges; they come back at once if it fails."""
        def started(*arguments, **options):
            was_on = self.is_on()
            self.switch_off()
            try:
                result = start(*arguments, **options)
            except BaseException:
                if was_on:
                    self.switch_on()
                raise
            self._mine.is_aside = was_on
            return result
        return started

    def come_back_after(self, stop):
        """A profiler's `stop`, which must not find our ranges in place of what it stops."""
        def stopped(*arguments, **options):
            comes_back = self.is_on() or getattr(self._mine, "is_aside", False)
            self.switch_off()
            try:
                return stop(*arguments, **options)
            finally:
                self._mine.is_aside = False
                if comes_back:
                    self.switch_on()
        return stopped

    def show_again_after(self, hide):
        def hidden(*arguments, **options):
            hide(*arguments, **options)
            if self.is_on():
                self.show()
        return hidden


# Where torch keeps these functions, and where it has imported them.
_PLACES = ("torch._C._autograd", "torch.autograd", "torch.autograd.profiler", "torch.autograd.profiler_legacy",
           "torch.profiler.profiler")


def _replace(name, make):
    """Wraps a function of torch wherever it is known by this name."""
    places = [sys.modules[place] for place in _PLACES if place in sys.modules]
    known = [vars(place)[name] for place in places if name in vars(place)]
    if not known:
        return
    wrapped = make(known[0])
    wrapped.__name__, wrapped.__doc__ = name, known[0].__doc__
    for place in places:
        if vars(place).get(name) is known[0]:
            setattr(place, name, wrapped)


def _follow_threads(emission):
    import threading

    run = threading.Thread._bootstrap_inner

    def _bootstrap_inner(self):
        if self.daemon:
            return run(self)
        emission.switch_on()
        try:
            return run(self)
        finally:
            emission.switch_off()

    threading.Thread._bootstrap_inner = _bootstrap_inner


def _torch_is_here(torch):
    """After `import torch`, in the thread that did it."""
    if getattr(torch.version, "cuda", None) is None:
        return  # its ranges would go nowhere
    import atexit
    import threading

    emission = _Emission(torch)
    for start in ("_enable_profiler", "_enable_profiler_legacy"):
        _replace(start, emission.step_aside_for)
    for stop in ("_disable_profiler", "_disable_profiler_legacy"):
        _replace(stop, emission.come_back_after)
    _replace("_run_on_profiler_stop", emission.show_again_after)
    if threading.current_thread() is threading.main_thread():  # the end of others is not heard
        emission.switch_on()
        atexit.register(emission.switch_off)
    _follow_threads(emission)


class _WaitForTorch:
    """Finds torch as it would be found without us, and hears when it has been imported."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        spec = None
        for finder in list(sys.meta_path):
            if spec is None and finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
        try:
            self._listen_to(spec.loader)
        except Exception:
            pass
        return spec

    def _listen_to(self, loader):
        load = loader.exec_module

        def exec_module(module):
            del loader.exec_module
            load(module)  # what it raises is the program's to see, and torch may be tried again
            try:
                sys.meta_path.remove(self)
                _torch_is_here(module)
            except Exception:
                pass

        loader.exec_module = exec_module  # on the loader, not around it: torch's is asked for files


def _has_next_sitecustomize():
    """Whether Python would have found one without us; from here on, it is as if we were not there."""
    try:
        from importlib.machinery import PathFinder

        sys.path[:] = [folder for folder in sys.path if folder.rstrip("/") != _FOLDER]
        sys.path_importer_cache.pop(_FOLDER, None)
        return PathFinder.find_spec("sitecustomize") is not None
    except Exception:
        return False


sys.meta_path.insert(0, _WaitForTorch())
if __name__ == "sitecustomize" and _has_next_sitecustomize():
    _ours = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401
    finally:
        sys.modules.setdefault("sitecustomize", _ours)  # the import that runs us asks for it
