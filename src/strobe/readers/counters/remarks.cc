#include "strobe/readers/counters/remarks.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

constexpr std::size_t kMostEntries = 200;  // a file may have any number of columns

}  // namespace

std::string place_text(const Place& place, std::string_view column) {
  std::string text = fmt::format("row {}", place.row);
  if (place.line != 0) text += fmt::format(" (line {})", place.line);
  if (!column.empty()) text += fmt::format(", '{}'", excerpt(column));
  return text;
}

Error decimal_comma(const Place& place, std::string_view column, std::string_view text) {
  return {ErrorCode::kMalformed,
          fmt::format("{}: '{}' is written with a decimal comma", place_text(place, column),
                      excerpt(text)),
          "", "write the table with LC_ALL=C, so that numbers read 1,234.56"};
}

void Remarks::add(const Place& place, std::string_view column, std::string_view text,
                  std::string_view trouble) {
  key_.assign(column);
  key_ += '\n';
  key_ += trouble;
  const auto known = entries_.find(key_);
  if (known != entries_.end()) {
    ++known->second.count;
    return;
  }
  if (entries_.size() >= kMostEntries) return;
  Entry& entry = entries_[key_];
  entry.count = 1;
  entry.first = place_text(place, column) + ": ";
  if (!text.empty()) entry.first += fmt::format("'{}' ", excerpt(text));
  entry.first += trouble;
  order_.push_back(&entry);
}

void Remarks::add_once(std::string remark) {
  if (std::ranges::find(once_, remark) == once_.end() && once_.size() < kMostEntries) {
    once_.push_back(std::move(remark));
  }
}

void Remarks::write_to(std::vector<std::string>& remarks) const {
  for (const Entry* entry : order_) {
    remarks.push_back(entry->count == 1
                          ? entry->first
                          : fmt::format("{}; {} more like it", entry->first, entry->count - 1));
  }
  remarks.insert(remarks.end(), once_.begin(), once_.end());
}

}  // namespace strobe::readers
