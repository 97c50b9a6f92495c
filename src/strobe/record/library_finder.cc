#include "strobe/record/library_finder.h"

#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "strobe/device/probe.h"
#include "strobe/wire/record_settings.h"

namespace strobe::record {

namespace fs = std::filesystem;

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
  const bool has_folder = program.find('/') != std::string::npos;
  const fs::path found = has_folder ? program : device::find_program({program});
  std::error_code ignored;
  for (const fs::path& path : {found, fs::canonical(found, ignored)}) {
    if (!path.empty()) prefixes.push_back(path.parent_path().parent_path());
  }
  for (const fs::path& prefix : prefixes) {
    const auto places = device::library_places_of_python(device::Library::kCupti, prefix.string());
    if (!places.empty()) return places.front();
  }
  return "";
}

}  // namespace strobe::record
