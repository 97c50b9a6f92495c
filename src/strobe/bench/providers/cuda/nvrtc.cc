#include "strobe/bench/providers/cuda/nvrtc.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/device/vendor_library.h"

namespace strobe::bench {
namespace {

class OwnedProgram {
 public:
  explicit OwnedProgram(const NvrtcApi& nvrtc) : nvrtc_(nvrtc) {}
  ~OwnedProgram() {
    if (program_ != nullptr) nvrtc_.destroy(&program_);
  }
  OwnedProgram(const OwnedProgram&) = delete;
  OwnedProgram& operator=(const OwnedProgram&) = delete;

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

Error nvrtc_error(const NvrtcApi& nvrtc, int result, std::string_view call,
                  const std::string& name) {
  const char* text = nvrtc.error_text(result);
  return {.code = ErrorCode::kMalformed,
          .what = fmt::format("{} of '{}' gives {}", call, name,
                              text == nullptr ? fmt::format("error {}", result) : text),
          .where = nvrtc.library,
          .hint = ""};
}

// The chip itself if the compiler supports it; otherwise the newest earlier one, as PTX that the
// driver compiles.
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
  OwnedProgram program(nvrtc);
  const std::string file = name + ".cu";
  if (const int result =
          nvrtc.create(program.slot(), source.c_str(), file.c_str(), 0, nullptr, nullptr);
      result != 0) {
    return nvrtc_error(nvrtc, result, "nvrtcCreateProgram", name);
  }
  CompiledSource compiled;
  compiled.architecture = architecture_for(nvrtc, compute_capability);
  const std::string architecture = "--gpu-architecture=" + compiled.architecture;
  const std::array<const char*, 2> options = {architecture.c_str(), "--std=c++17"};
  if (const int result =
          nvrtc.compile(program.get(), static_cast<int>(options.size()), options.data());
      result != 0) {
    Error error = nvrtc_error(nvrtc, result, "nvrtcCompileProgram", name);
    error.hint = shortened(program.log());
    return error;
  }
  const bool is_exact = compiled.architecture.starts_with("sm_");
  std::size_t bytes = 0;
  int result =
      is_exact ? nvrtc.cubin_bytes(program.get(), &bytes) : nvrtc.ptx_bytes(program.get(), &bytes);
  if (result != 0) return nvrtc_error(nvrtc, result, "asking for the size of the code", name);
  compiled.image.resize(bytes);
  result = is_exact ? nvrtc.cubin(program.get(), compiled.image.data())
                    : nvrtc.ptx(program.get(), compiled.image.data());
  if (result != 0) return nvrtc_error(nvrtc, result, "asking for the code", name);
  if (bytes == 0) return nvrtc_error(nvrtc, 0, "an empty answer to nvrtcCompileProgram", name);
  return compiled;
}

namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr int kOwnMachine = EM_AARCH64;
#elif defined(__x86_64__)
constexpr int kOwnMachine = EM_X86_64;
#else
constexpr int kOwnMachine = EM_NONE;
#endif

// Toolkits for other machines than this one carry libraries of the same name.
bool is_for_this_machine(const std::string& path) {
  Elf64_Ehdr head = {};
  std::ifstream file(path, std::ios::binary);
  return file.read(reinterpret_cast<char*>(&head), sizeof head) &&
         std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_machine == kOwnMachine;
}

// The folders that the loader searches, except its cache.
std::vector<std::string> loader_folders() {
  std::vector<std::string> folders;
  if (const char* listed = std::getenv("LD_LIBRARY_PATH"); listed != nullptr) {
    for (const std::string_view folder : split(listed, ':')) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"}) {
    folders.emplace_back(folder);
  }
  return folders;
}

// "12.8" for "12.8.93" or "12.8"; "" for anything else.
std::string major_and_minor(std::string_view digits) {
  std::size_t dots = 0;
  std::size_t length = 0;
  for (; length < digits.size(); ++length) {
    if (digits[length] == '.') {
      if (++dots == 2) break;
    } else if (std::isdigit(static_cast<unsigned char>(digits[length])) == 0) {
      return "";
    }
  }
  return dots == 0 ? "" : std::string(digits.substr(0, length));
}

std::string version_after(const std::string& name, std::string_view stem) {
  return name.starts_with(stem) ? major_and_minor(std::string_view(name).substr(stem.size())) : "";
}

}  // namespace

std::string nvrtc_version_at(const std::string& library) {
  std::error_code failed;
  const fs::path real = fs::canonical(library, failed);
  if (failed) return "";
  // CUDA 11 names it libnvrtc.so.11.2 whatever its minor version.
  const std::string own = version_after(real.filename().string(), "libnvrtc.so.");
  if (!own.empty() && !real.filename().string().ends_with(".so.11.2")) return own;
  std::string found;
  for (const fs::directory_entry& entry : fs::directory_iterator(real.parent_path(), failed)) {
    const std::string version =
        version_after(entry.path().filename().string(), "libnvrtc-builtins.so.");
    if (version.empty() || version == found) continue;
    if (!found.empty()) return "";
    found = version;
  }
  return found;
}

Result<NvrtcPlace> find_nvrtc(int newest_major) {
  for (const std::string& place : device::library_places(device::Library::kNvrtc, newest_major)) {
    std::vector<std::string> files = {place};
    if (place.find('/') == std::string::npos) {
      files.clear();
      for (const std::string& folder : loader_folders()) files.push_back(folder + "/" + place);
    }
    for (const std::string& file : files) {
      if (is_for_this_machine(file)) return NvrtcPlace{file, nvrtc_version_at(file)};
    }
  }
  return Error{.code = ErrorCode::kMachineLacks,
               .what = "no NVRTC library was found",
               .where = "",
               .hint = ""};
}

RunTimeCompiler RunTimeCompiler::find(int newest_major) {
  const Result<NvrtcPlace> place = find_nvrtc(newest_major);
  if (!place || place->version.empty()) return open_nvrtc(newest_major);
  RunTimeCompiler compiler;
  compiler.library_ = place->library;
  compiler.version_ = place->version;
  compiler.newest_major_ = newest_major;
  return compiler;
}

Result<void> RunTimeCompiler::is_there() const {
  if (api_ && !*api_) return api_->error();
  return {};
}

std::string RunTimeCompiler::text() const {
  if (!api_) return "NVRTC " + version_;
  return *api_ ? "NVRTC " + (*api_)->version_text() : "";
}

Result<const NvrtcApi*> RunTimeCompiler::open() {
  if (!api_) {
    api_ = open_nvrtc_at(library_);
    if (!*api_) api_ = open_nvrtc(newest_major_);
  }
  if (!*api_) return api_->error();
  return &**api_;
}

}  // namespace strobe::bench
