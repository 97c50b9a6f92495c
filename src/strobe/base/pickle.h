#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/byte_stream.h"
#include "strobe/base/result.h"
#include "strobe/base/string_pool.h"

// Plain data in Python's pickle format: dicts, lists, tuples, texts, bytes, numbers, booleans and
// None. A pickle is a program; whatever in it would call code is refused, never run.
namespace strobe {

enum class PickleKind : std::uint8_t {
  kNone,
  kBool,
  kWhole,
  kWideWhole,  // over 59 bits
  kHuge,       // over 64 bits: its value is not kept
  kReal,
  kText,
  kBytes,
  kList,
  kTuple,
  kDict,
  kFolded,
};

// Eight bytes: a small value itself, or where PickleData has it.
class PickleValue {
 public:
  static constexpr int kPayloadBits = 60;

  constexpr PickleValue() = default;
  constexpr PickleValue(PickleKind kind, std::uint64_t payload)
      : bits_((static_cast<std::uint64_t>(kind) << kPayloadBits) | (payload & kPayloadMask)) {}

  constexpr PickleKind kind() const { return static_cast<PickleKind>(bits_ >> kPayloadBits); }
  constexpr std::uint64_t payload() const { return bits_ & kPayloadMask; }
  constexpr bool is(PickleKind kind) const { return this->kind() == kind; }
  constexpr bool is_container() const {
    return kind() >= PickleKind::kList && kind() <= PickleKind::kDict;
  }
  constexpr bool operator==(const PickleValue&) const = default;

 private:
  static constexpr std::uint64_t kPayloadMask = (std::uint64_t{1} << kPayloadBits) - 1;
  std::uint64_t bits_ = 0;
};

// The values of a pickle. What the pickle refers to twice is there once, and nothing contains
// itself.
class PickleData {
 public:
  StringPool& texts() { return texts_; }
  const StringPool& texts() const { return texts_; }

  std::optional<std::int64_t> whole(PickleValue value) const;  // booleans too
  std::optional<double> number(PickleValue value) const;       // whole or real
  StringId text_id(PickleValue value) const;                   // invalid if it is no text
  std::string_view text(PickleValue value) const;              // "" if it is no text

  // Of a list or tuple the items, of a dict keys and values in turn; 0 for anything else.
  std::size_t size(PickleValue container) const;
  template <class Visit>
  void for_each(PickleValue container, Visit visit) const {
    if (!container.is_container()) return;
    for (std::uint32_t part = part_of(container); part != kNoPart; part = parts_[part].next) {
      const Part& one = parts_[part];
      for (std::uint64_t i = 0; i < one.count; ++i) visit(items_[one.first + i]);
    }
  }
  std::optional<PickleValue> find(PickleValue dict, std::string_view key) const;

 private:
  friend class PickleMachine;
  static constexpr std::uint32_t kNoPart = 0xFFFFFFFFu;

  // A container is a chain of parts, because it is filled in portions.
  struct Part {
    std::uint64_t first = 0;  // in items_
    std::uint32_t count = 0;
    std::uint32_t next = kNoPart;
    std::uint32_t last = kNoPart;  // of the chain, in its first part
    std::uint32_t memo = kNoPart;  // the number under which the pickle refers to it
    bool is_shared = false;        // further references exist
    bool is_sealed = false;        // it is inside another one and must not change
  };

  static std::uint32_t part_of(PickleValue container) {
    return static_cast<std::uint32_t>(container.payload());
  }

  StringPool texts_;
  std::deque<PickleValue> items_;
  std::vector<Part> parts_;
  std::vector<std::int64_t> wide_;
  std::vector<double> reals_;
};

// Takes lists and dicts out of the pickle while it is read, so that files far larger than the
// memory can be read. What it takes becomes a number of its own below 2^60, kFolded, wherever the
// pickle refers to it.
class PickleFolder {
 public:
  virtual ~PickleFolder() = default;
  // Keys and values in turn. Nothing: it stays in the data.
  virtual std::optional<std::uint64_t> fold_dict(const PickleData& data,
                                                 std::span<const PickleValue> members) = 0;
  virtual std::optional<std::uint64_t> fold_list(const PickleData& data,
                                                 std::span<const PickleValue> items) = 0;
};

struct Pickle {
  struct Damage {
    std::uint64_t offset = 0;
    std::string what;
    bool is_cut = false;  // the bytes end; otherwise they are no pickle from here on
  };

  PickleData data;
  PickleValue root;
  std::uint64_t bytes = 0;       // that were read
  std::optional<Damage> damage;  // what was open there is closed with what it had
};

struct PickleOptions {
  StringPool texts = {};  // the first ids of the data's texts
  PickleFolder* folder = nullptr;
  // Called about every 256 KiB with the bytes read; false ends reading with kInterrupted.
  std::function<bool(std::uint64_t)> pulse = nullptr;
};

// Protocols 0 to 5. The error names the first instruction that is not plain data, and its offset.
Result<Pickle> read_pickle(ByteStream& stream, PickleOptions options = {});

// Protocol 2 or later; earlier ones have no mark of their own.
bool begins_like_pickle(std::string_view first_bytes);

}  // namespace strobe
