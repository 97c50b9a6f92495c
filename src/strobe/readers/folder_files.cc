#include "strobe/readers/folder_files.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "strobe/base/json_text.h"
#include "strobe/readers/metric_samples.h"
#include "strobe/readers/sniff.h"

namespace strobe::readers {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) files.push_back(at->path());
  }
  std::ranges::sort(files);
  return files;
}

// One example with all names: a line keeps only its first ones.
void report_unread_files(const std::vector<fs::path>& folders, const std::vector<fs::path>& read,
                         ImportReport& report) {
  std::string names;
  std::uint64_t unread = 0;
  for (const fs::path& folder : folders) {
    for (const fs::path& file : files_in(folder)) {
      if (!has_trace_name(file) || is_metrics_file(file)) continue;
      if (std::ranges::find(read, file) != read.end()) continue;
      names += (unread++ == 0 ? "" : ", ") + sanitize_utf8(file.filename().string());
    }
  }
  if (unread == 0) return;
  report.add(ImportIssue::kUnreadFiles, 0, names);
  report.add_many(ImportIssue::kUnreadFiles, unread - 1);
}

}  // namespace strobe::readers
