// A program that launches what its arguments say, in order, through the libcuda.so.1 that the
// loader finds:
//
//   NAME*N      launches of a kernel, N times (1 if left out)
//   graph*N     launches of a graph
//   copy=B*N    copies of B bytes; runtime_copy=B*N: by the runtime, which calls the driver
//   alloc=B     takes and returns memory; sync: waits for the device
//   threads=N   what follows is done by N threads at once, once by each
//   sleep=MS
//   capture*N   launches of a kernel into a graph under construction
//   open, close the window: cuProfilerStart, cuProfilerStop
//   destroy     of the context
//   fork        a child that leaves at once, by exit()
//   run         itself again, with the arguments that follow; exec: in place of itself
//   late*N      launches after all other exit handlers, and at the end of a thread
//   exit=N      with this code; abort, leave, kill: without exit handlers
//   children=N  first of all: N forked children do the rest
//   idle        never touches the driver

#include <cuda.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

void* driver = nullptr;

template <class Call>
Call find(const char* name) {
  return reinterpret_cast<Call>(dlsym(driver, name));
}

int open_driver() {
  driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (driver == nullptr) return 1;
  const auto init = find<CUresult (*)(unsigned)>("cuInit");
  const CUresult result = init(0);
  if (result != CUDA_SUCCESS) std::printf("cuInit: %d\n", static_cast<int>(result));
  return result == CUDA_SUCCESS ? 0 : 1;
}

void launch(const std::string& name, unsigned turn) {
  auto* function = reinterpret_cast<CUfunction>(const_cast<char*>(name.c_str()));
  // Alternates between both ways of launching.
  if (turn % 2 == 0) {
    find<decltype(&cuLaunchKernel)>("cuLaunchKernel")(function, 10 + turn, 2, 1, 128, 1, 1, 48,
                                                      nullptr, nullptr, nullptr);
    return;
  }
  CUlaunchConfig config = {};
  config.gridDimX = 10 + turn;
  config.gridDimY = 2;
  config.gridDimZ = 1;
  config.blockDimX = 128;
  config.blockDimY = 1;
  config.blockDimZ = 1;
  config.sharedMemBytes = 48;
  find<decltype(&cuLaunchKernelEx)>("cuLaunchKernelEx")(&config, function, nullptr, nullptr);
}

std::size_t number_after(const std::string& word) {
  return static_cast<std::size_t>(std::stoull(word.substr(word.find('=') + 1)));
}

void work(const std::string& word) {
  const std::size_t star = word.find('*');
  const std::string name = word.substr(0, star);
  const unsigned times =
      star == std::string::npos ? 1 : static_cast<unsigned>(std::stoul(word.substr(star + 1)));
  for (unsigned turn = 0; turn < times; ++turn) {
    if (name == "graph") {
      find<decltype(&cuGraphLaunch)>("cuGraphLaunch")(nullptr, nullptr);
    } else if (name.starts_with("copy=")) {
      find<CUresult (*)(CUdeviceptr, const void*, std::size_t, CUstream)>("cuMemcpyHtoDAsync_v2")(
          0, nullptr, number_after(name), nullptr);
    } else if (name.starts_with("runtime_copy=")) {
      find<CUresult (*)(std::size_t)>("stub_runtime_copy")(number_after(name));
    } else if (name.starts_with("alloc=")) {
      CUdeviceptr place = 0;
      find<CUresult (*)(CUdeviceptr*, std::size_t)>("cuMemAlloc_v2")(&place, number_after(name));
      find<CUresult (*)(CUdeviceptr)>("cuMemFree_v2")(place);
    } else if (name == "sync") {
      find<CUresult (*)()>("cuCtxSynchronize")();
    } else if (name.starts_with("sleep=")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(number_after(name)));
    } else {
      launch(name, turn);
    }
  }
}

// Variables of a thread are destroyed in reverse order: one that is made before the first call
// outlives what others keep for the thread.
struct LateWork {
  std::string word;
  ~LateWork() {
    if (!word.empty()) work(word);
  }
};
thread_local LateWork late_in_thread;  // NOLINT

void work_at_end_of_thread(const std::string& word) {
  std::thread([&] {
    late_in_thread.word = word;
    work("gemm");
  }).join();
}

void work_in_threads(std::size_t count, const std::vector<std::string>& words) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      for (const std::string& word : words) work(word);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

int run_again(char** arguments) {
  const pid_t child = fork();
  if (child == 0) {
    execv("/proc/self/exe", arguments);
    _exit(126);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// Children that know nothing of CUDA yet, as Python's multiprocessing makes them. True in a child.
bool is_one_of_children(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (fork() == 0) return true;
  }
  while (wait(nullptr) > 0) {
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("fake_app is running\n");
  std::fflush(stdout);
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "idle") return 0;
  if (!words.empty() && words[0].starts_with("children=")) {
    if (!is_one_of_children(number_after(words[0]))) return 0;
  }
  static std::string late;  // its handler must be registered before those of the driver
  for (const std::string& word : words) {
    if (word.starts_with("late")) late = word;
  }
  if (!late.empty()) std::atexit([] { work(late); });
  if (open_driver() != 0) return 9;
  const auto capture = find<void (*)(int)>("stub_cuda_capture");
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with("exit=")) return std::stoi(word.substr(5));
    if (word == "kill") std::raise(SIGKILL);
    if (word == "abort") std::abort();
    if (word == "leave") _exit(0);
    if (word == "fork") {
      const pid_t child = fork();
      if (child == 0) std::exit(0);
      waitpid(child, nullptr, 0);
    } else if (word.starts_with("children=")) {
      continue;
    } else if (word == "run") {
      argv[i + 1] = argv[0];
      return run_again(argv + i + 1);
    } else if (word == "exec") {
      argv[i + 1] = argv[0];
      execv("/proc/self/exe", argv + i + 1);
      return 126;
    } else if (word.starts_with("late")) {
      work_at_end_of_thread(word);
    } else if (word == "open" || word == "close") {
      find<CUresult (*)()>(word == "open" ? "cuProfilerStart" : "cuProfilerStop")();
    } else if (word == "destroy") {
      find<CUresult (*)(CUcontext)>("cuCtxDestroy_v2")(nullptr);
    } else if (word.starts_with("threads=")) {
      work_in_threads(number_after(word),
                      {words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end()});
      return 0;
    } else {
      if (word.starts_with("capture")) capture(1);
      work(word);
      capture(0);
    }
  }
  return 0;
}
