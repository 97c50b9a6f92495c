#include "strobe/readers/counters/kernel_sniff.h"

#include <algorithm>
#include <string>

#include "strobe/base/byte_stream.h"
#include "strobe/readers/counters/kernel_recording.h"
#include "strobe/readers/counters/kernels_json.h"
#include "strobe/readers/counters/ncu_report.h"
#include "strobe/readers/counters/text_table.h"
#include "strobe/readers/sniff.h"

namespace strobe::readers {
namespace {

// With or without quotes: some tables have been through a spreadsheet.
bool is_csv_header(std::string_view line) {
  if (line.find("Kernel Name") == std::string_view::npos) return false;
  std::string bare = "," + std::string(line);
  std::erase(bare, '"');
  const auto has = [&](std::string_view column) { return bare.find(column) != std::string::npos; };
  return has(",Kernel Name,") && (bare.starts_with(",ID,Process ID,") || has(",Metric Name,") ||
                                  has(",gpu__time_duration"));
}

bool has_header(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (is_csv_header(line) || is_text_table_header(line)) return true;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return false;
}

}  // namespace

bool looks_like_kernels(std::string_view first_bytes) {
  auto stream = open_stream(first_bytes);
  if (!stream) return false;
  std::string unpacked(kSniffBytes, '\0');
  const auto bytes = (*stream)->read(unpacked);
  if (!bytes) return false;
  std::string_view text = std::string_view(unpacked).substr(0, *bytes);
  if (text.starts_with(kNcuReportMagic) || is_kernel_recording(text)) return true;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && text[start] == '{') return looks_like_kernels_json(text);
  return has_header(text);
}

}  // namespace strobe::readers
