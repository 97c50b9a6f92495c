#include "strobe/record/folder_entries.h"

#include <algorithm>
#include <system_error>

namespace strobe::record {

namespace fs = std::filesystem;

std::vector<fs::path> paths_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code failed;
  // A range-based loop would throw where the folder can be opened and not read.
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    paths.push_back(at->path());
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace strobe::record
