#include "strobe/bench/results/csv_rows.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/json_text.h"

namespace strobe::bench {
namespace {

constexpr std::size_t kMostRemarks = 20;
constexpr std::size_t kMostQuotedBytes = 40;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The line at the front, which is taken off; without its line end.
std::string_view take_line(std::string_view& left) {
  const std::size_t end = std::min(left.find('\n'), left.size());
  std::string_view line = left.substr(0, end);
  left.remove_prefix(std::min(end + 1, left.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// A record is a line: no field of these tables holds a line end.
std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> fields(1);
  bool is_inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_inside && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      is_inside = !is_inside;
    } else if (c == ',' && !is_inside) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::string quoted(std::string_view text) {
  std::string out = sanitize_utf8(text.substr(0, kMostQuotedBytes));
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return fmt::format("'{}{}'", out, text.size() > kMostQuotedBytes ? "..." : "");
}

}  // namespace

CsvRows::CsvRows(std::string_view csv, std::span<const std::string_view> names)
    : names_(names), left_(csv) {
  if (left_.starts_with(kByteOrderMark)) left_.remove_prefix(kByteOrderMark.size());
  const std::vector<std::string> header = split(take_line(left_));
  for (const std::string_view name : names_) {
    const auto found = std::ranges::find(header, name);
    columns_.push_back(found == header.end()
                           ? std::nullopt
                           : std::optional(static_cast<std::size_t>(found - header.begin())));
  }
}

bool CsvRows::next() {
  while (!left_.empty()) {
    const std::string_view text = take_line(left_);
    ++line_;
    if (text.find_first_not_of(" \t") == std::string_view::npos) continue;
    fields_ = split(text);
    return true;
  }
  return false;
}

std::string_view CsvRows::field(std::size_t column) const {
  const std::optional<std::size_t> at = columns_[column];
  return at && *at < fields_.size() ? std::string_view(fields_[*at]) : std::string_view();
}

void CsvRows::remark(std::size_t column, std::string_view trouble) {
  if (++remark_count_ > kMostRemarks) return;
  remarks_.push_back(fmt::format("line {}, column '{}': {} {}", line_, names_[column],
                                 quoted(field(column)), trouble));
}

std::vector<std::string> CsvRows::take_remarks() {
  if (remark_count_ > kMostRemarks) {
    remarks_.push_back(fmt::format("{} more like these", remark_count_ - kMostRemarks));
  }
  return std::exchange(remarks_, {});
}

}  // namespace strobe::bench
