#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "strobe/device/probe.h"

namespace strobe::device {
namespace {

namespace fs = std::filesystem;

class OpenLibrary {
 public:
  explicit OpenLibrary(const std::string& name) : handle_(dlopen(name.c_str(), RTLD_NOW)) {}
  ~OpenLibrary() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  OpenLibrary(const OpenLibrary&) = delete;
  OpenLibrary& operator=(const OpenLibrary&) = delete;

  explicit operator bool() const { return handle_ != nullptr; }

  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }

  std::string path() const {
    link_map* map = nullptr;
    return dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
  }

 private:
  void* handle_;
};

// 12040 -> "12.4": how CUDA numbers its drivers.
std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

// The signatures below are those of the vendors' public headers; 0 is success in all of them.

void ask_cuda_driver(const OpenLibrary& library, Found& found) {
  const auto get_version = library.function<int(int*)>("cuDriverGetVersion");
  int number = 0;
  if (get_version != nullptr && get_version(&number) == 0) found.version = cuda_version(number);
  const auto init = library.function<int(unsigned)>("cuInit");
  const auto get_count = library.function<int(int*)>("cuDeviceGetCount");
  const auto get_device = library.function<int(int*, int)>("cuDeviceGet");
  const auto get_name = library.function<int(char*, int, int)>("cuDeviceGetName");
  if (init == nullptr || get_count == nullptr || get_device == nullptr || get_name == nullptr) {
    return;
  }
  int count = 0;
  if (init(0) != 0 || get_count(&count) != 0 || count == 0) {
    found.detail = "no device";
    return;
  }
  int device = 0;
  char name[256] = {};
  if (get_device(&device, 0) == 0) get_name(name, sizeof name, device);
  found.detail = fmt::format("{} {}: {}", count, count == 1 ? "device" : "devices", name);
}

void ask_nvml(const OpenLibrary& library, Found& found) {
  const auto init = library.function<int()>("nvmlInit_v2");
  const auto shutdown = library.function<int()>("nvmlShutdown");
  const auto get_version = library.function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  if (init == nullptr || shutdown == nullptr || get_version == nullptr) return;
  if (init() != 0) {
    found.detail = "the driver does not answer";
    return;
  }
  char version[96] = {};
  if (get_version(version, sizeof version) == 0) found.version = version;
  shutdown();
}

void ask_cupti(const OpenLibrary& library, Found& found) {
  const auto get_version = library.function<int(std::uint32_t*)>("cuptiGetVersion");
  std::uint32_t number = 0;
  if (get_version != nullptr && get_version(&number) == 0) {
    found.version = fmt::format("API {}", number);
  }
}

void ask_nvrtc(const OpenLibrary& library, Found& found) {
  const auto get_version = library.function<int(int*, int*)>("nvrtcVersion");
  int major = 0;
  int minor = 0;
  if (get_version != nullptr && get_version(&major, &minor) == 0) {
    found.version = fmt::format("{}.{}", major, minor);
  }
}

// 120805 -> "12.8.5" (cuBLASLt), 90100 -> "9.1.0" (cuDNN 9), 8904 -> "8.9.4" (cuDNN 8).
std::string packed_version(std::size_t number) {
  const std::size_t major = number >= 10000 ? 10000 : 1000;
  return fmt::format("{}.{}.{}", number / major, number % major / 100, number % 100);
}

void ask_packed(const OpenLibrary& library, const char* function, Found& found) {
  const auto get_version = library.function<std::size_t()>(function);
  if (get_version != nullptr) found.version = packed_version(get_version());
}

struct Recipe {
  std::vector<std::string> names;  // newest first
  void (*ask)(const OpenLibrary&, Found&);
};

Recipe recipe_of(Library library) {
  switch (library) {
    case Library::kCudaDriver:
      return {{"libcuda.so.1"}, ask_cuda_driver};
    case Library::kNvml:
      return {{"libnvidia-ml.so.1"}, ask_nvml};
    case Library::kCupti:
      return {{"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so"}, ask_cupti};
    case Library::kNvrtc:
      return {{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}, ask_nvrtc};
    case Library::kCublasLt:
      return {{"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", "libcublasLt.so"},
              [](const OpenLibrary& opened, Found& found) {
                ask_packed(opened, "cublasLtGetVersion", found);
              }};
    case Library::kCudnn:
      return {{"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"},
              [](const OpenLibrary& opened, Found& found) {
                ask_packed(opened, "cudnnGetVersion", found);
              }};
  }
  return {};
}

void add_subfolders(const fs::path& folder, const fs::path& below, std::vector<fs::path>& out) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (fs::is_directory(entry.path() / below, ignored)) out.push_back(entry.path() / below);
  }
}

// Where toolkits and Python wheels put libraries that the loader does not know.
std::vector<fs::path> vendor_folders() {
  std::vector<fs::path> folders;
  std::vector<fs::path> toolkits = {"/usr/local/cuda"};
  if (const char* home = std::getenv("CUDA_HOME")) toolkits.emplace_back(home);
  for (const fs::path& toolkit : toolkits) {
    folders.push_back(toolkit / "lib64");
    folders.push_back(toolkit / "extras/CUPTI/lib64");
  }
  std::vector<fs::path> packages = {"/usr/lib/python3/dist-packages"};
  for (const char* place : {"dist-packages", "site-packages"}) {
    add_subfolders("/usr/local/lib", place, packages);
  }
  if (const char* environment = std::getenv("VIRTUAL_ENV")) {
    add_subfolders(fs::path(environment) / "lib", "site-packages", packages);
  }
  for (const fs::path& package : packages) add_subfolders(package / "nvidia", "lib", folders);
  return folders;
}

std::optional<Found> ask(const Recipe& recipe, const std::string& name) {
  const OpenLibrary library(name);
  if (!library) return std::nullopt;
  Found found;
  found.path = library.path();
  recipe.ask(library, found);
  return found;
}

}  // namespace

std::optional<Found> probe_library(Library library) {
  const Recipe recipe = recipe_of(library);
  for (const std::string& name : recipe.names) {
    if (auto found = ask(recipe, name)) return found;
  }
  for (const fs::path& folder : vendor_folders()) {
    for (const std::string& name : recipe.names) {
      std::error_code ignored;
      if (!fs::exists(folder / name, ignored)) continue;
      if (auto found = ask(recipe, (folder / name).string())) return found;
    }
  }
  return std::nullopt;
}

}  // namespace strobe::device
