#include "strobe/query/names.h"

#include <algorithm>

#include "strobe/base/json_text.h"

namespace strobe::query {
namespace {

// What the engine accepts as a name: UTF-8 without zero bytes.
std::string accepted(std::string_view text) {
  std::string clean(text);
  std::ranges::replace(clean, '\0', ' ');
  if (is_valid_utf8(clean)) return clean;
  std::ranges::replace_if(
      clean, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return clean;
}

}  // namespace

Names::Names(const std::vector<const StringPool*>& pools,
             const std::vector<std::string_view>& words) {
  for (const StringPool* pool : pools) {
    for (const std::string_view text : pool->texts()) texts_.push_back(accepted(text));
  }
  for (const std::string_view word : words) texts_.push_back(accepted(word));
  std::ranges::sort(texts_);
  const auto repeated = std::ranges::unique(texts_);
  texts_.erase(repeated.begin(), repeated.end());
  for (const StringPool* pool : pools) {
    std::vector<std::uint32_t>& codes = codes_.emplace_back();
    codes.reserve(pool->size());
    for (const std::string_view text : pool->texts()) codes.push_back(word(accepted(text)).code);
  }
}

Name Names::word(std::string_view text) const {
  const auto found = std::ranges::lower_bound(texts_, text);
  if (found == texts_.end() || *found != text) return {};
  return {static_cast<std::uint32_t>(found - texts_.begin())};
}

}  // namespace strobe::query
