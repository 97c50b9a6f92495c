#include "strobe/bench/providers/cuda/nvrtc_api.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "strobe/device/vendor_library.h"

namespace strobe::bench {
namespace {

class Program {
 public:
  explicit Program(const NvrtcApi& nvrtc) : nvrtc_(nvrtc) {}
  ~Program() {
    if (program_ != nullptr) nvrtc_.destroy(&program_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  NvrtcProgram* slot() { return &program_; }
  NvrtcProgram get() const { return program_; }

  std::string log() const {
    std::size_t bytes = 0;
    if (nvrtc_.log_bytes(program_, &bytes) != 0 || bytes <= 1) return "";
    std::string text(bytes, '\0');
    if (nvrtc_.log(program_, text.data()) != 0) return "";
    text.resize(bytes - 1);  // its terminating zero
    return text;
  }

 private:
  const NvrtcApi& nvrtc_;
  NvrtcProgram program_ = nullptr;
};

Error failed(const NvrtcApi& nvrtc, int result, std::string_view call, const std::string& name) {
  const char* text = nvrtc.error_text(result);
  return {.code = ErrorCode::kMalformed,
          .what = fmt::format("{} of '{}' gives {}", call, name,
                              text == nullptr ? fmt::format("error {}", result) : text),
          .where = nvrtc.library,
          .hint = ""};
}

// The chip itself if the compiler knows it; else the newest of the same or an earlier kind, as text
// that the driver finishes.
std::string architecture_for(const NvrtcApi& nvrtc, int compute_capability) {
  int count = 0;
  if (nvrtc.architecture_count == nullptr || nvrtc.architectures == nullptr ||
      nvrtc.architecture_count(&count) != 0 || count <= 0) {
    return fmt::format("sm_{}", compute_capability);
  }
  std::vector<int> known(static_cast<std::size_t>(count));
  if (nvrtc.architectures(known.data()) != 0) return fmt::format("sm_{}", compute_capability);
  if (std::ranges::count(known, compute_capability) > 0) {
    return fmt::format("sm_{}", compute_capability);
  }
  int nearest = 0;
  for (const int one : known) {
    if (one < compute_capability) nearest = std::max(nearest, one);
  }
  return nearest == 0 ? fmt::format("sm_{}", compute_capability)
                      : fmt::format("compute_{}", nearest);
}

std::string shortened(std::string text) {
  constexpr std::size_t kMost = 2000;
  if (text.size() > kMost) text.replace(kMost, std::string::npos, " ...");
  return text;
}

}  // namespace

std::string NvrtcApi::version_text() const {
  int major = 0;
  int minor = 0;
  if (version == nullptr || version(&major, &minor) != 0) return "";
  return fmt::format("{}.{}", major, minor);
}

Result<NvrtcApi> open_nvrtc_at(const std::string& library) {
  STROBE_TRY(device::OpenLibrary opened, device::OpenLibrary::at(library));
  NvrtcApi api;
  api.library = library;
  opened.need(api.version, "nvrtcVersion");
  opened.need(api.error_text, "nvrtcGetErrorString");
  opened.want(api.architecture_count, "nvrtcGetNumSupportedArchs");
  opened.want(api.architectures, "nvrtcGetSupportedArchs");
  opened.need(api.create, "nvrtcCreateProgram");
  opened.need(api.destroy, "nvrtcDestroyProgram");
  opened.need(api.compile, "nvrtcCompileProgram");
  opened.need(api.cubin_bytes, "nvrtcGetCUBINSize");
  opened.need(api.cubin, "nvrtcGetCUBIN");
  opened.need(api.ptx_bytes, "nvrtcGetPTXSize");
  opened.need(api.ptx, "nvrtcGetPTX");
  opened.need(api.log_bytes, "nvrtcGetProgramLogSize");
  opened.need(api.log, "nvrtcGetProgramLog");
  STROBE_TRY_VOID(opened.check_complete("NVRTC of CUDA 11.2 or newer"));
  return api;
}

Result<NvrtcApi> open_nvrtc(int newest_major) {
  return device::open_library(device::Library::kNvrtc, newest_major, open_nvrtc_at);
}

Result<CompiledSource> compile_source(const NvrtcApi& nvrtc, const std::string& source,
                                      const std::string& name, int compute_capability) {
  Program program(nvrtc);
  const std::string file = name + ".cu";
  if (const int result =
          nvrtc.create(program.slot(), source.c_str(), file.c_str(), 0, nullptr, nullptr);
      result != 0) {
    return failed(nvrtc, result, "nvrtcCreateProgram", name);
  }
  CompiledSource compiled;
  compiled.architecture = architecture_for(nvrtc, compute_capability);
  const std::string architecture = "--gpu-architecture=" + compiled.architecture;
  const std::array<const char*, 2> options = {architecture.c_str(), "--std=c++17"};
  if (const int result =
          nvrtc.compile(program.get(), static_cast<int>(options.size()), options.data());
      result != 0) {
    Error error = failed(nvrtc, result, "nvrtcCompileProgram", name);
    error.hint = shortened(program.log());
    return error;
  }
  const bool is_exact = compiled.architecture.starts_with("sm_");
  std::size_t bytes = 0;
  int result =
      is_exact ? nvrtc.cubin_bytes(program.get(), &bytes) : nvrtc.ptx_bytes(program.get(), &bytes);
  if (result != 0) return failed(nvrtc, result, "asking for the size of the code", name);
  compiled.image.resize(bytes);
  result = is_exact ? nvrtc.cubin(program.get(), compiled.image.data())
                    : nvrtc.ptx(program.get(), compiled.image.data());
  if (result != 0) return failed(nvrtc, result, "asking for the code", name);
  if (bytes == 0) return failed(nvrtc, 0, "an empty answer to nvrtcCompileProgram", name);
  return compiled;
}

}  // namespace strobe::bench
