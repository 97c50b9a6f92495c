#include "strobe/readers/databases/texts_by_id.h"

#include <algorithm>
#include <array>

namespace strobe::readers {
namespace {

// Whole files and what a program printed are no names.
constexpr std::size_t kLongestName = 64 << 10;

}  // namespace

TextsById::TextsById(EventTables& tables, std::string_view table, std::string_view id,
                     std::string_view text)
    : all_(kUnknownText), ends_{kUnknownText.size()} {
  std::vector<std::int64_t> ids;
  tables.read(table, std::array{id, text}, [&](const sqlite::TableRows& row) {
    const std::string_view value = row.text(1);
    if (value.size() > kLongestName) return;
    ids.push_back(row.integer(0));
    all_ += value;
    ends_.push_back(all_.size());
  });
  number(ids);
}

void TextsById::number(const std::vector<std::int64_t>& ids) {
  constexpr std::uint64_t kFewIds = 64 << 10;
  if (ids.empty()) return;
  const auto [low, high] = std::ranges::minmax(ids);
  const bool is_dense =
      low >= 0 && static_cast<std::uint64_t>(high) < 8 * std::uint64_t{ids.size()} + kFewIds;
  if (is_dense) by_id_.resize(static_cast<std::size_t>(high) + 1);
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    if (is_dense) {
      by_id_[static_cast<std::size_t>(ids[i])] = i + 1;
    } else {
      scattered_[ids[i]] = i + 1;
    }
  }
}

}  // namespace strobe::readers
