#include "strobe/cli/diagnosis.h"

#include <future>
#include <utility>

namespace strobe::cli {
namespace {

using device::Library;

struct WantedLibrary {
  Library library;
  Part part;
};

struct WantedProgram {
  std::vector<std::string> names;
  Part part;
};

Part part(std::string key, std::string name, std::string needed_for, std::string how_to_get) {
  return {.key = std::move(key),
          .name = std::move(name),
          .found = std::nullopt,
          .needed_for = std::move(needed_for),
          .how_to_get = std::move(how_to_get)};
}

std::vector<WantedLibrary> wanted_libraries() {
  return {
      {Library::kCudaDriver,
       part("cuda_driver", "CUDA driver", "measuring kernels on this machine's GPU",
            "comes with NVIDIA's driver; in a container: docker run --gpus all")},
      {Library::kNvml, part("nvml", "NVML", "GPU clocks, power and temperature while measuring",
                            "comes with NVIDIA's driver")},
      {Library::kCupti, part("cupti", "CUPTI", "recording traces without a framework's profiler",
                             "CUDA toolkit, or: pip install nvidia-cuda-cupti-cu12")},
      {Library::kNvrtc, part("nvrtc", "NVRTC", "compiling benchmark kernels at run time",
                             "CUDA toolkit, or: pip install nvidia-cuda-nvrtc-cu12")},
      {Library::kCublasLt, part("cublaslt", "cuBLASLt", "matrix products as benchmark baseline",
                                "CUDA toolkit, or: pip install nvidia-cublas-cu12")},
      {Library::kCudnn, part("cudnn", "cuDNN", "attention and convolutions as benchmark baseline",
                             "pip install nvidia-cudnn-cu12")},
  };
}

std::vector<WantedProgram> wanted_accelerator_programs() {
  return {
      {{"nvcc"}, part("nvcc", "nvcc", "building benchmark kernels ahead of time", "CUDA toolkit")},
      {{"ncu"},
       part("ncu", "Nsight Compute", "collecting the kernel counters that strobe reads",
            "CUDA toolkit; counters need permission: "
            "https://developer.nvidia.com/ERR_NVGPUCTRPERM")},
      {{"nsys"},
       part("nsys", "Nsight Systems", "capturing a timeline of any program", "CUDA toolkit")},
  };
}

std::vector<WantedProgram> wanted_programs() {
  return {
      {{"git"}, part("git", "git", "naming the commit in benchmark records", "apt install git")},
      {{"python3", "python"},
       part("python", "Python",
            "running your training script under a profiler; strobe itself "
            "needs none",
            "apt install python3")},
      {{"node", "nodejs"},
       part("node", "Node.js", "rebuilding the web page from its sources", "apt install nodejs")},
      {{"chromium", "chromium-browser", "google-chrome"},
       part("chromium", "Chromium", "testing the web page", "apt install chromium")},
  };
}

// Programs take their time to say their version, so they are asked side by side.
std::vector<std::future<Part>> ask_all(std::vector<WantedProgram> wanted) {
  std::vector<std::future<Part>> answers;
  for (WantedProgram& program : wanted) {
    answers.push_back(std::async(std::launch::async, [program = std::move(program)]() mutable {
      program.part.found = device::probe_program(program.names);
      return std::move(program.part);
    }));
  }
  return answers;
}

}  // namespace

Diagnosis diagnose() {
  auto accelerator_programs = ask_all(wanted_accelerator_programs());
  auto programs = ask_all(wanted_programs());
  Diagnosis diagnosis;
  diagnosis.cpu = device::probe_cpu();
  diagnosis.memory = device::probe_memory();
  diagnosis.perf_events = device::probe_perf_events();
  diagnosis.engines = device::compression_engines();
  PartGroup accelerator{"NVIDIA GPU", {}};
  for (WantedLibrary wanted : wanted_libraries()) {
    wanted.part.found = device::probe_library(wanted.library);
    accelerator.parts.push_back(std::move(wanted.part));
  }
  for (auto& answer : accelerator_programs) accelerator.parts.push_back(answer.get());
  PartGroup tools{"Tools", {}};
  for (auto& answer : programs) tools.parts.push_back(answer.get());
  diagnosis.groups = {std::move(accelerator), std::move(tools)};
  return diagnosis;
}

}  // namespace strobe::cli
