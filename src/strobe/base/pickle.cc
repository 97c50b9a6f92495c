#include "strobe/base/pickle_machine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe {
namespace {

// A pickle may need this much memory, and this many bytes for each of its own.
constexpr std::uint64_t kFreeBytes = 64 << 20;
constexpr std::uint64_t kBytesPerByte = 4;

struct Refused {
  char code;
  std::string_view name;
};
// Instructions that call code, or that refer to things outside of the file.
constexpr std::array kRefused = std::to_array<Refused>({{'c', "GLOBAL"},
                                                        {'R', "REDUCE"},
                                                        {'b', "BUILD"},
                                                        {'i', "INST"},
                                                        {'o', "OBJ"},
                                                        {'P', "PERSID"},
                                                        {'Q', "BINPERSID"},
                                                        {'\x81', "NEWOBJ"},
                                                        {'\x82', "EXT1"},
                                                        {'\x83', "EXT2"},
                                                        {'\x84', "EXT4"},
                                                        {'\x92', "NEWOBJ_EX"},
                                                        {'\x93', "STACK_GLOBAL"},
                                                        {'\x8f', "EMPTY_SET"},
                                                        {'\x90', "ADDITEMS"},
                                                        {'\x91', "FROZENSET"},
                                                        {'\x97', "NEXT_BUFFER"},
                                                        {'\x98', "READONLY_BUFFER"}});

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = (number << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

double real_of(std::string_view big_endian) {
  std::uint64_t bits = 0;
  for (const char byte : big_endian) bits = (bits << 8) | static_cast<unsigned char>(byte);
  return std::bit_cast<double>(bits);
}

}  // namespace

std::optional<std::int64_t> PickleData::whole(PickleValue value) const {
  switch (value.kind()) {
    case PickleKind::kBool:
      return static_cast<std::int64_t>(value.payload());
    case PickleKind::kWhole: {
      constexpr int kSpare = 64 - PickleValue::kPayloadBits;
      return static_cast<std::int64_t>(value.payload() << kSpare) >> kSpare;
    }
    case PickleKind::kWideWhole:
      return wide_[value.payload()];
    default:
      return std::nullopt;
  }
}

std::optional<double> PickleData::number(PickleValue value) const {
  if (value.is(PickleKind::kReal)) return reals_[value.payload()];
  if (const auto known = whole(value)) return static_cast<double>(*known);
  return std::nullopt;
}

StringId PickleData::text_id(PickleValue value) const {
  return value.is(PickleKind::kText) ? StringId(value.payload()) : StringId();
}

std::string_view PickleData::text(PickleValue value) const {
  return value.is(PickleKind::kText) ? texts_[StringId(value.payload())] : std::string_view();
}

std::size_t PickleData::size(PickleValue container) const {
  std::size_t size = 0;
  if (!container.is_container()) return size;
  for (std::uint32_t part = part_of(container); part != kNoPart; part = parts_[part].next) {
    size += parts_[part].count;
  }
  return size;
}

std::optional<PickleValue> PickleData::find(PickleValue dict, std::string_view key) const {
  std::optional<PickleValue> found;
  if (!dict.is(PickleKind::kDict)) return found;
  bool is_key = true;
  bool is_found = false;
  for_each(dict, [&](PickleValue item) {  // of equal keys the last one counts
    if (is_key) is_found = item.is(PickleKind::kText) && text(item) == key;
    if (!is_key && is_found) found = item;
    is_key = !is_key;
  });
  return found;
}

Result<Pickle> PickleMachine::run() {
  End end = End::kGoOn;
  while (end == End::kGoOn) end = step();
  Pickle pickle;
  switch (end) {
    case End::kGoOn:
    case End::kStopped:
      break;
    case End::kRefused:
      return Error{ErrorCode::kMalformed, what_, fmt::format("byte {}", at_),
                   "strobe reads plain data only and never runs what a pickle asks for"};
    case End::kTooMuch:
      return Error{ErrorCode::kMalformed, "the pickle describes far more than its size allows",
                   fmt::format("byte {}", at_), ""};
    case End::kCancelled:
      return Error{ErrorCode::kInterrupted, "loading was interrupted", "", ""};
    case End::kCut:
      pickle.damage = Pickle::Damage{bytes_.offset(), "inside the pickle", true};
      break;
    case End::kBroken:
      pickle.damage = Pickle::Damage{at_, what_, false};
      break;
  }
  if (pickle.damage) close_all();
  pickle.bytes = bytes_.offset();
  if (!stack_.empty()) pickle.root = stack_.back();
  pickle.data = std::move(data_);
  return pickle;
}

PickleMachine::End PickleMachine::step() {
  at_ = bytes_.offset();
  if (at_ >= next_check_) {
    if (const End end = check_size(); end != End::kGoOn) return end;
  }
  const auto code = bytes_.next();
  if (!code) return End::kCut;
  switch (*code) {
    case '.':
      return stack_.empty() ? broken("the pickle ends without a value") : End::kStopped;
    case '(':
      marks_.push_back(stack_.size());
      return End::kGoOn;
    case '\x80':  // PROTO
      return bytes_.next() ? End::kGoOn : End::kCut;
    case '\x95':  // FRAME: a hint for buffering
      return bytes_.take(8) ? End::kGoOn : End::kCut;
    case '0':  // POP
      if (stack_.empty()) return broken("it takes more than there is");
      stack_.pop_back();
      return End::kGoOn;
    case '1': {  // POP_MARK
      const auto first = pop_mark();
      if (!first) return broken("a group ends that did not begin");
      stack_.resize(*first);
      return End::kGoOn;
    }
    case 'N':
      return push({PickleKind::kNone, 0});
    case '\x88':
      return push({PickleKind::kBool, 1});
    case '\x89':
      return push({PickleKind::kBool, 0});
    default:
      return step_memo(*code);
  }
}

// The most frequent ones.
PickleMachine::End PickleMachine::step_memo(char code) {
  const auto numbered = [&](std::size_t bytes, auto what) {
    const auto number = bytes_.take(bytes);
    return number ? (this->*what)(little_endian(*number)) : End::kCut;
  };
  switch (code) {
    case 'h':
      return numbered(1, &PickleMachine::get);
    case 'j':
      return numbered(4, &PickleMachine::get);
    case 'q':
      return numbered(1, &PickleMachine::put);
    case 'r':
      return numbered(4, &PickleMachine::put);
    case '\x94':  // MEMOIZE
      return put(memo_.size());
    case 'g':
    case 'p': {
      const auto line = bytes_.line();
      if (!line) return End::kCut;
      const auto number = parse_whole_number(*line);
      if (!number || *number < 0) return broken("a reference is not a number");
      const auto index = static_cast<std::uint64_t>(*number);
      return code == 'g' ? get(index) : put(index);
    }
    case '2':  // DUP
      if (stack_.empty()) return broken("it takes more than there is");
      if (stack_.back().is_container()) {
        data_.parts_[PickleData::part_of(stack_.back())].is_shared = true;
      }
      return push(PickleValue(stack_.back()));
    default:
      return step_number(code);
  }
}

PickleMachine::End PickleMachine::step_number(char code) {
  const auto fixed = [&](std::size_t size) {
    const auto bytes = bytes_.take(size);
    return bytes ? push_whole(static_cast<std::int64_t>(little_endian(*bytes))) : End::kCut;
  };
  switch (code) {
    case 'K':
      return fixed(1);
    case 'M':
      return fixed(2);
    case 'J': {
      const auto bytes = bytes_.take(4);
      return bytes ? push_long(*bytes) : End::kCut;
    }
    case '\x8a':    // LONG1
    case '\x8b': {  // LONG4
      const auto length = bytes_.take(code == '\x8a' ? 1 : 4);
      if (!length) return End::kCut;
      const auto bytes = bytes_.take_long(little_endian(*length));
      return bytes ? push_long(*bytes) : End::kCut;
    }
    case 'G': {
      const auto bytes = bytes_.take(8);
      if (!bytes) return End::kCut;
      data_.reals_.push_back(real_of(*bytes));
      return push({PickleKind::kReal, data_.reals_.size() - 1});
    }
    case 'I':
    case 'L':
    case 'F':
    case 'S':
    case 'V':
      return push_line(code);
    default:
      return step_text(code);
  }
}

PickleMachine::End PickleMachine::step_text(char code) {
  switch (code) {
    case '\x8c':
    case 'U':
      return push_counted(1, PickleKind::kText);
    case 'X':
    case 'T':
      return push_counted(4, PickleKind::kText);
    case '\x8d':
      return push_counted(8, PickleKind::kText);
    case 'C':
      return push_counted(1, PickleKind::kBytes);
    case 'B':
      return push_counted(4, PickleKind::kBytes);
    case '\x8e':
    case '\x96':  // BYTEARRAY8
      return push_counted(8, PickleKind::kBytes);
    default:
      return step_container(code);
  }
}

PickleMachine::End PickleMachine::step_container(char code) {
  switch (code) {
    case '}':
      return push(new_container(PickleKind::kDict));
    case ']':
      return push(new_container(PickleKind::kList));
    case ')':
      return push(new_container(PickleKind::kTuple));
    case '\x85':
    case '\x86':
    case '\x87':
      return make(PickleKind::kTuple, static_cast<std::size_t>(code - '\x84'));
    case 't':
      return make_from_mark(PickleKind::kTuple);
    case 'l':
      return make_from_mark(PickleKind::kList);
    case 'd':
      return make_from_mark(PickleKind::kDict);
    case 'a':
      return stack_.size() < 2 ? broken("it takes more than there is")
                               : add(stack_.size() - 1, false);
    case 's':
      return stack_.size() < 3 ? broken("it takes more than there is")
                               : add(stack_.size() - 2, false);
    case 'e':
    case 'u': {
      const auto first = pop_mark();
      if (!first || *first == 0) return broken("a group ends that did not begin");
      return add(*first, true);
    }
    default:
      return refuse_or_break(code);
  }
}

PickleMachine::End PickleMachine::refuse_or_break(char code) {
  const auto refused = std::ranges::find(kRefused, code, &Refused::code);
  if (refused == kRefused.end()) {
    return broken(fmt::format("{:#04x} is no instruction", static_cast<unsigned char>(code)));
  }
  what_ = fmt::format("the pickle is more than plain data: it asks for {}", refused->name);
  return End::kRefused;
}

PickleMachine::End PickleMachine::check_size() {
  constexpr std::uint64_t kStride = 256 << 10;
  next_check_ = at_ + kStride;
  if (pulse_ && !pulse_(at_)) return End::kCancelled;
  const std::uint64_t used =
      sizeof(PickleValue) * (data_.items_.size() + stack_.size() + memo_.size() + marks_.size() +
                             data_.wide_.size() + data_.reals_.size()) +
      sizeof(PickleData::Part) * data_.parts_.size() + data_.texts_.bytes();
  return used > kFreeBytes + kBytesPerByte * at_ ? End::kTooMuch : End::kGoOn;
}

PickleMachine::End PickleMachine::push_whole(std::int64_t number) {
  constexpr std::int64_t kMost = std::int64_t{1} << (PickleValue::kPayloadBits - 1);
  if (number >= -kMost && number < kMost) {
    return push({PickleKind::kWhole, static_cast<std::uint64_t>(number)});
  }
  data_.wide_.push_back(number);
  return push({PickleKind::kWideWhole, data_.wide_.size() - 1});
}

// Two's complement, the lowest byte first.
PickleMachine::End PickleMachine::push_long(std::string_view bytes) {
  if (bytes.empty()) return push_whole(0);
  const bool is_negative = (static_cast<unsigned char>(bytes.back()) & 0x80u) != 0;
  const char sign = is_negative ? '\xff' : '\0';
  while (bytes.size() > 8 && bytes.back() == sign) bytes.remove_suffix(1);
  if (bytes.size() > 8) return push({PickleKind::kHuge, 0});
  std::uint64_t number = little_endian(bytes);
  const auto bits = static_cast<unsigned>(8 * bytes.size());
  if (is_negative && bits < 64) number |= ~std::uint64_t{0} << bits;
  const auto whole = static_cast<std::int64_t>(number);
  if ((whole < 0) != is_negative) return push({PickleKind::kHuge, 0});
  return push_whole(whole);
}

PickleMachine::End PickleMachine::push_text(std::string_view text, PickleKind kind) {
  return push({kind, data_.texts_.intern(text).index()});
}

PickleMachine::End PickleMachine::push_counted(int length_bytes, PickleKind kind) {
  const auto length = bytes_.take(static_cast<std::size_t>(length_bytes));
  if (!length) return End::kCut;
  const auto text = bytes_.take_long(little_endian(*length));
  return text ? push_text(*text, kind) : End::kCut;
}

// Protocol 0 writes values as lines of text.
PickleMachine::End PickleMachine::push_line(char code) {
  const auto line = bytes_.line();
  if (!line) return End::kCut;
  if (code == 'S') return push_text(unquoted(*line));
  if (code == 'V') return push_text(unescaped(*line));
  if (code == 'I' && (*line == "00" || *line == "01")) {
    return push({PickleKind::kBool, *line == "01" ? 1u : 0u});
  }
  if (code == 'F') {
    const auto real = parse_number(*line);
    data_.reals_.push_back(real.value_or(std::numeric_limits<double>::quiet_NaN()));
    return push({PickleKind::kReal, data_.reals_.size() - 1});
  }
  const std::string_view digits = line->ends_with('L') ? line->substr(0, line->size() - 1) : *line;
  const auto number = parse_whole_number(digits);
  return number ? push_whole(*number) : push({PickleKind::kHuge, 0});
}

Result<Pickle> read_pickle(ByteStream& stream, PickleOptions options) {
  return PickleMachine(stream, std::move(options)).run();
}

bool begins_like_pickle(std::string_view first_bytes) {
  constexpr std::string_view kFirstInstructions =
      "}](\x95"
      "c)N\x80\x8c\x8aKXG";
  return first_bytes.size() > 2 && first_bytes[0] == '\x80' && first_bytes[1] >= 2 &&
         first_bytes[1] <= 5 && kFirstInstructions.find(first_bytes[2]) != std::string_view::npos;
}

}  // namespace strobe
