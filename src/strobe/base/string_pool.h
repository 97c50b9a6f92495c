#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "strobe/base/id.h"

namespace strobe {

struct StringTag;
using StringId = Id<StringTag>;

// Interned strings: equal text has one id, ids count up from 0 in order of first appearance, and
// the text of an id never moves. Not safe for concurrent interning; reading a finished pool from
// many threads is.
class StringPool {
 public:
  StringPool();
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;

  StringId intern(std::string_view text);
  StringId find(std::string_view text) const;  // invalid if absent

  std::string_view operator[](StringId id) const { return texts_[id.index()]; }
  std::size_t size() const { return texts_.size(); }
  std::size_t bytes() const;

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = StringId::kNone;
  };

  std::size_t slot_of(std::string_view text, std::uint32_t hash) const;
  void grow();
  std::string_view store(std::string_view text);

  std::vector<Slot> slots_;  // open addressing, size a power of two, at most half full
  std::vector<std::string_view> texts_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_left_ = 0;
  char* block_next_ = nullptr;
  std::size_t block_bytes_ = 0;
};

}  // namespace strobe
