#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/string_pool.h"

namespace strobe::query {

// The code of a text in the dictionary of all names of an engine.
struct Name {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t code = kNone;
};

// All names of some traces in one sorted dictionary, so that codes of different traces, tables and
// columns are equal if their texts are, and are ordered as the texts are.
class Names {
 public:
  // `words`: texts that are in no pool.
  Names(const std::vector<const StringPool*>& pools, const std::vector<std::string_view>& words);

  const std::vector<std::string>& texts() const { return texts_; }  // by code
  Name name(std::size_t pool, StringId id) const {
    return id.valid() ? Name{codes_[pool][id.index()]} : Name{};
  }
  Name word(std::string_view text) const;  // kNone if it is unknown

 private:
  std::vector<std::string> texts_;
  std::vector<std::vector<std::uint32_t>> codes_;  // per pool and id
};

}  // namespace strobe::query
