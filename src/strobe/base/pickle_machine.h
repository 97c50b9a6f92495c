#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/pickle.h"
#include "strobe/base/pickle_bytes.h"

namespace strobe {

// Runs the instructions. It never recurses: what is open lies on a stack of its own.
class PickleMachine {
 public:
  PickleMachine(ByteStream& stream, PickleOptions options)
      : bytes_(stream), folder_(options.folder), pulse_(std::move(options.pulse)) {
    data_.texts_ = std::move(options.texts);
  }

  Result<Pickle> run();

 private:
  enum class End : std::uint8_t { kGoOn, kStopped, kCut, kBroken, kRefused, kTooMuch, kCancelled };

  End step();
  End step_text(char code);
  End step_number(char code);
  End step_container(char code);
  End step_memo(char code);
  End refuse_or_break(char code);
  End check_size();

  End broken(std::string what) {
    what_ = std::move(what);
    return End::kBroken;
  }

  End push(PickleValue value) {
    stack_.push_back(value);
    return End::kGoOn;
  }
  End push_whole(std::int64_t number);
  End push_long(std::string_view bytes);
  End push_text(std::string_view text, PickleKind kind = PickleKind::kText);
  End push_counted(int length_bytes, PickleKind kind);
  End push_line(char code);

  PickleValue new_container(PickleKind kind);
  PickleValue filled(PickleKind kind, std::size_t first);
  End make(PickleKind kind, std::size_t items);
  End make_from_mark(PickleKind kind);
  End add(std::size_t first, bool may_be_last);
  void seal(std::size_t first);
  void store(std::uint32_t head, std::size_t first);
  bool fold(PickleValue target, std::size_t first);
  std::optional<std::size_t> pop_mark();

  End put(std::uint64_t number);
  End get(std::uint64_t number);
  void close_all();
  void close_one(std::size_t first);

  PickleBytes bytes_;
  PickleFolder* folder_;
  std::function<bool(std::uint64_t)> pulse_;
  PickleData data_;
  std::vector<PickleValue> stack_;
  std::vector<std::size_t> marks_;  // heights of the stack
  std::vector<PickleValue> memo_;
  std::vector<std::uint32_t> free_parts_;
  std::uint64_t at_ = 0;  // of the instruction
  std::uint64_t next_check_ = 0;
  std::string what_;
};

}  // namespace strobe
