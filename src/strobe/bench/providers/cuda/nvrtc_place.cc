#include "strobe/bench/providers/cuda/nvrtc_place.h"

#include <elf.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "strobe/device/vendor_library.h"

namespace strobe::bench {
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

// What the loader searches, but for its cache.
std::vector<std::string> loader_folders() {
  std::vector<std::string> folders;
  if (const char* told = std::getenv("LD_LIBRARY_PATH"); told != nullptr) {
    std::string_view left = told;
    while (!left.empty()) {
      const std::size_t end = std::min(left.find(':'), left.size());
      if (end > 0) folders.emplace_back(left.substr(0, end));
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  }
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"}) {
    folders.emplace_back(folder);
  }
  return folders;
}

// "12.8" of "12.8.93" or "12.8"; "" of anything else.
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
  // CUDA 11 says libnvrtc.so.11.2 whatever its minor version.
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
               .what = "no file of a run-time compiler can be seen",
               .where = "",
               .hint = ""};
}

}  // namespace strobe::bench
