#include "strobe/record/library_finder.h"

#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "strobe/wire/record_settings.h"

namespace strobe::record {
namespace {

namespace fs = std::filesystem;

// As the shell finds it; "" if it is not found.
fs::path on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const std::size_t colon = std::min(folders.find(':'), folders.size());
    const fs::path candidate = fs::path(folders.substr(0, colon)) / program;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    folders.remove_prefix(std::min(colon + 1, folders.size()));
  }
  return {};
}

std::string last_match(const std::string& pattern) {
  glob_t matches = {};
  std::string found;
  if (glob(pattern.c_str(), 0, nullptr, &matches) == 0 && matches.gl_pathc > 0) {
    found = matches.gl_pathv[matches.gl_pathc - 1];
  }
  globfree(&matches);
  return found;
}

}  // namespace

Result<fs::path> find_injection_library() {
  std::vector<fs::path> places;
  if (const char* own = std::getenv("STROBE_INJECT"); own != nullptr && *own != 0) {
    places.emplace_back(own);
  } else {
    std::error_code ignored;
    const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    places.push_back(folder / wire::kInjectionLibrary);
    places.push_back(folder / ".." / "lib" / "strobe" / wire::kInjectionLibrary);
  }
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (fs::is_regular_file(place, ignored)) return fs::canonical(place, ignored);
  }
  return Error{.code = ErrorCode::kMachineLacks,
               .what = fmt::format("{} is not there", wire::kInjectionLibrary),
               .where = places[0].string(),
               .hint =
                   "it is built where the CUDA toolkit's headers are found and belongs beside "
                   "strobe or in ../lib/strobe; STROBE_INJECT may name it"};
}

std::string find_python_cupti(const std::string& program) {
  const fs::path name = fs::path(program).filename();
  if (!name.string().starts_with("python")) return "";
  std::vector<fs::path> prefixes;
  if (const char* venv = std::getenv("VIRTUAL_ENV"); venv != nullptr) prefixes.emplace_back(venv);
  const fs::path found = on_path(program);
  std::error_code ignored;
  for (const fs::path& path : {found, fs::canonical(found, ignored)}) {
    if (!path.empty()) prefixes.push_back(path.parent_path().parent_path());
  }
  for (const fs::path& prefix : prefixes) {
    for (const std::string_view packages : {"site-packages", "dist-packages"}) {
      for (const std::string_view wheel : {"cu13", "cuda_cupti"}) {
        std::string match = last_match(fmt::format("{}/lib/python3*/{}/nvidia/{}/lib/libcupti.so.*",
                                                   prefix.string(), packages, wheel));
        if (!match.empty()) return match;
      }
    }
  }
  return "";
}

}  // namespace strobe::record
