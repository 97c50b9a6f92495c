#include "strobe/readers/xplane/log_folder.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace strobe::readers::xplane {
namespace {

namespace fs = std::filesystem;

// "vm" of "vm.xplane.pb.gz" for the kind ".xplane.pb".
std::optional<std::string> host_in(const fs::path& file, std::string_view kind) {
  std::string name = file.filename().string();
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  }
  if (!name.ends_with(kind)) return std::nullopt;
  name.resize(name.size() - kind.size());
  return name;
}

}  // namespace

std::vector<fs::path> recordings_in(const fs::path& logs) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(logs / "plugins" / "profile", error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored)) found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

bool is_recording(const fs::path& folder) {
  fs::path above = fs::absolute(folder).lexically_normal();
  if (!above.has_filename()) above = above.parent_path();
  above = above.parent_path();
  return above.filename() == "profile" && above.parent_path().filename() == "plugins";
}

void drop_copies(std::vector<fs::path>& files) {
  std::set<std::string> hosts;
  for (const fs::path& file : files) {
    if (auto host = host_in(file, ".xplane.pb")) hosts.insert(*std::move(host));
  }
  if (hosts.empty()) return;
  std::erase_if(files, [&](const fs::path& file) {
    const auto host = host_in(file, ".trace.json");
    return (host && hosts.contains(*host)) || host_in(file, "perfetto_trace.json") == "";
  });
}

}  // namespace strobe::readers::xplane
