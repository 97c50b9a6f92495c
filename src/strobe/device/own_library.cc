#include "strobe/device/own_library.h"

#include <cstdlib>
#include <vector>

#include <fmt/format.h>

namespace strobe::device {

namespace fs = std::filesystem;

Result<fs::path> find_own_library(std::string_view file_name, const char* variable,
                                  std::string_view built_where) {
  std::vector<fs::path> places;
  if (const char* own = std::getenv(variable); own != nullptr && *own != 0) {
    places.emplace_back(own);
  } else {
    std::error_code ignored;
    const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    places.push_back(folder / file_name);
    places.push_back(folder / ".." / "lib" / "strobe" / file_name);
  }
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (fs::is_regular_file(place, ignored)) return fs::canonical(place, ignored);
  }
  return Error{.code = ErrorCode::kMachineLacks,
               .what = fmt::format("{} is not there", file_name),
               .where = places[0].string(),
               .hint = fmt::format("it is built where {} and belongs beside strobe or in "
                                   "../lib/strobe; {} may name it",
                                   built_where, variable)};
}

}  // namespace strobe::device
