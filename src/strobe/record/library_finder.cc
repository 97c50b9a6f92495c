#include "strobe/record/library_finder.h"

#include <cstdlib>
#include <vector>

#include "strobe/device/own_library.h"
#include "strobe/device/probe.h"
#include "strobe/wire/record_settings.h"

namespace strobe::record {

namespace fs = std::filesystem;

Result<fs::path> find_injection_library() {
  return device::find_own_library(wire::kInjectionLibrary, "STROBE_INJECT",
                                  "the CUDA toolkit's headers are found");
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
