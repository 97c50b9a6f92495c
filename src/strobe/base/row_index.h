#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "strobe/base/string_pool.h"

namespace strobe {

// Maps a name, or a pair of numbers, to its row in a table. Rows count up from 0 in the order of
// first lookup, which is the order tables need.

class NameRows {
 public:
  explicit NameRows(const StringPool& strings) : rows_(strings.size(), kNone) {}

  // The row of the name; if the name is new, size() grows by one.
  std::size_t row_of(StringId name) {
    const std::uint32_t row = rows_[name.index()];
    return row != kNone ? row : add(name);
  }
  std::size_t size() const { return names_.size(); }
  StringId name(std::size_t row) const { return names_[row]; }

  // Forgets the rows, in time proportional to their number.
  void clear() {
    for (const StringId name : names_) rows_[name.index()] = kNone;
    names_.clear();
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::size_t add(StringId name) {
    rows_[name.index()] = static_cast<std::uint32_t>(names_.size());
    names_.push_back(name);
    return names_.size() - 1;
  }

  std::vector<std::uint32_t> rows_;  // per string
  std::vector<StringId> names_;      // per row
};

// The same for pairs: one flat table with open addressing.
class PairRows {
 public:
  PairRows() : slots_(kFirstSlots) {}

  std::size_t row_of(std::uint32_t first, std::uint32_t second) {
    const std::uint64_t key = key_of(first, second);
    const Slot& slot = slots_[first_slot_of(key)];
    return slot.key == key && slot.row != kNone ? slot.row : find_or_add(key);
  }
  std::size_t size() const { return count_; }

  void clear() {
    slots_.assign(kFirstSlots, {});
    count_ = 0;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t kFirstSlots = 256;
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t row = kNone;
  };

  static std::uint64_t key_of(std::uint32_t first, std::uint32_t second) {
    return (std::uint64_t{first} << 32) | second;
  }
  std::size_t first_slot_of(std::uint64_t key) const {
    return ((key * 0x9E3779B97F4A7C15u) >> 32) & (slots_.size() - 1);
  }
  std::size_t slot_of(std::uint64_t key) const {
    std::size_t slot = first_slot_of(key);
    while (slots_[slot].row != kNone && slots_[slot].key != key) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }
  std::size_t find_or_add(std::uint64_t key) {
    std::size_t slot = slot_of(key);
    if (slots_[slot].row != kNone) return slots_[slot].row;
    if (2 * (count_ + 1) > slots_.size()) {
      grow();
      slot = slot_of(key);
    }
    slots_[slot] = {key, static_cast<std::uint32_t>(count_)};
    return count_++;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& entry : old) {
      if (entry.row != kNone) slots_[slot_of(entry.key)] = entry;
    }
  }

  std::vector<Slot> slots_;  // size a power of two, at most half full
  std::size_t count_ = 0;
};

// Asks a question about each name at most once, however many slices have the name.
template <class Ask>
class OncePerName {
 public:
  using Answer = std::invoke_result_t<const Ask&, std::string_view>;

  OncePerName(const StringPool& strings, Ask ask)
      : strings_(strings), ask_(std::move(ask)), answers_(strings.size()) {}

  Answer operator()(StringId name) {
    std::optional<Answer>& answer = answers_[name.index()];
    if (!answer) answer = ask_(strings_[name]);
    return *answer;
  }
  // Nothing if the name was not asked about.
  std::optional<Answer> known(StringId name) const { return answers_[name.index()]; }

 private:
  const StringPool& strings_;
  Ask ask_;
  std::vector<std::optional<Answer>> answers_;  // per string
};

}  // namespace strobe
