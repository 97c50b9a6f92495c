#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = StringId::kNone;
  };

  StringPool();
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;

  StringId intern(std::string_view text);
  StringId find(std::string_view text) const;  // invalid if absent

  std::string_view operator[](StringId id) const { return texts_[id.index()]; }
  std::size_t size() const { return texts_.size(); }
  std::size_t bytes() const;

  // Rebuilds a pool from texts() and slots() of an earlier one. The texts are not copied. Nothing
  // if the slots cannot belong to the texts.
  static std::optional<StringPool> restore(std::vector<std::string_view> texts,
                                           std::vector<Slot> slots);
  std::span<const std::string_view> texts() const { return texts_; }
  std::span<const Slot> slots() const { return slots_; }

 private:
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
