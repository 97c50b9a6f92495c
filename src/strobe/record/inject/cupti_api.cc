#include "strobe/record/inject/cupti_api.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <vector>

namespace strobe::record {
namespace {

#if defined(__aarch64__)
constexpr std::string_view kTargetFolder = "targets/sbsa-linux";
#else
constexpr std::string_view kTargetFolder = "targets/x86_64-linux";
#endif

int note_loaded_cupti(dl_phdr_info* info, std::size_t, void* found) {
  const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (!file.starts_with("libcupti")) return 0;
  *static_cast<std::string*>(found) = path;
  return 1;
}

std::vector<std::string> places(const std::string& preferred) {
  std::vector<std::string> paths;
  if (!preferred.empty()) paths.push_back(preferred);
  std::vector<std::string> toolkits;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* folder = std::getenv(variable);
    if (folder != nullptr && *folder != 0) toolkits.emplace_back(folder);
  }
  toolkits.emplace_back("/usr/local/cuda");
  for (const std::string& toolkit : toolkits) {
    for (const std::string_view below : {std::string_view("extras/CUPTI/lib64"),
                                         std::string_view("lib64"), std::string_view("lib")}) {
      paths.push_back(toolkit + "/" + std::string(below) + "/libcupti.so");
    }
    paths.push_back(toolkit + "/" + std::string(kTargetFolder) + "/lib/libcupti.so");
  }
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
    paths.emplace_back(name);
  }
  return paths;
}

void* open_cupti(const std::string& preferred, std::string& path, std::string& problem) {
  // Two of them in one process would both believe to own the driver's hooks.
  if (dl_iterate_phdr(note_loaded_cupti, &path) == 1) {
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD); handle != nullptr) {
      return handle;
    }
  }
  for (const std::string& place : places(preferred)) {
    const bool is_file = place.find('/') != std::string::npos;
    if (is_file && ::access(place.c_str(), R_OK) != 0) continue;
    if (void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr) {
      path = place;
      return handle;
    }
    const char* error = dlerror();
    if (is_file && error != nullptr) problem += (problem.empty() ? "" : "; ") + std::string(error);
  }
  if (problem.empty()) problem = "no libcupti.so in the toolkit's folders or on the loader's path";
  return nullptr;
}

template <class Call>
bool find_call(void* handle, const char* name, Call& call) {
  call = reinterpret_cast<Call>(dlsym(handle, name));
  return call != nullptr;
}

}  // namespace

CuptiLoad load_cupti(const std::string& preferred, CuptiApi& api, std::string& problem) noexcept {
  void* handle = open_cupti(preferred, api.path, problem);
  if (handle == nullptr) return CuptiLoad::kNotFound;
  problem.clear();
  if (find_call(handle, "cuptiGetVersion", api.cuptiGetVersion)) {
    api.cuptiGetVersion(&api.version);
  }
#define STROBE_FIND_CALL(name) \
  if (!find_call(handle, #name, api.name) && problem.empty()) problem = #name;
  STROBE_CUPTI_HOST_CALLS(STROBE_FIND_CALL)
  STROBE_CUPTI_TARGET_CALLS(STROBE_FIND_CALL)
#undef STROBE_FIND_CALL
#define STROBE_FIND_CALL(name) find_call(handle, #name, api.name);
  STROBE_CUPTI_OPTIONAL_CALLS(STROBE_FIND_CALL)
#undef STROBE_FIND_CALL
  if (problem.empty()) return CuptiLoad::kLoaded;
  problem = api.path + " (version " + std::to_string(api.version) + ") has no " + problem;
  return CuptiLoad::kTooOld;
}

std::string result_text(const CuptiApi& api, CUptiResult result) noexcept {
  const char* text = nullptr;
  if (api.cuptiGetResultString != nullptr) api.cuptiGetResultString(result, &text);
  return text == nullptr ? "result " + std::to_string(static_cast<int>(result)) : text;
}

}  // namespace strobe::record
