#include "strobe/readers/xplane/event_args.h"

#include <charconv>
#include <cmath>

#include "strobe/base/json_write.h"
#include "strobe/base/text.h"
#include "strobe/readers/xplane/xplane_fields.h"

namespace strobe::readers::xplane {
namespace {

// The text after "key:" up to the next blank.
std::string_view detail(std::string_view details, std::string_view key) {
  while (!details.empty()) {
    const std::string_view word = details.substr(0, details.find(' '));
    if (word.size() > key.size() && word[key.size()] == ':' && word.starts_with(key)) {
      return word.substr(key.size() + 1);
    }
    details.remove_prefix(std::min(details.size(), word.size() + 1));
  }
  return {};
}

bool is_list_of_numbers(std::string_view text) {
  if (text.empty() || !is_digit(text.front()) || !is_digit(text.back())) return false;
  bool after_comma = false;
  for (const char c : text) {
    if (!is_digit(c) && (c != ',' || after_comma)) return false;
    after_comma = c == ',';
  }
  return true;
}

template <class Number>
void append_number(Number number, std::string& out) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

std::uint64_t detail_number(std::string_view details, std::string_view key) {
  const auto number = parse_whole_number(detail(details, key));
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

void EventArgs::add_stats(std::string_view message, const PlaneNames& plane) {
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_bytes(kEventStats)) add(read_stat(fields.bytes(), plane));
  }
}

std::string_view EventArgs::finish() {
  if (text_.empty()) return text_;
  text_.front() = '{';
  text_ += '}';
  return text_;
}

void EventArgs::key(std::string_view name) {
  text_ += ',';
  append_json_string(name, text_);
  text_ += ':';
}

void EventArgs::member(std::string_view name, std::string_view json) {
  key(name);
  text_ += json;
}

void EventArgs::add(const Stat& stat) {
  if (stat.name == nullptr || stat.name->text.empty()) return;
  switch (stat.name->meaning) {
    case StatMeaning::kCorrelation:
    case StatMeaning::kRepeated:
    case StatMeaning::kProducerType:
    case StatMeaning::kProducer:
    case StatMeaning::kConsumerType:
    case StatMeaning::kConsumer:
      return;  // they are in columns of their own
    case StatMeaning::kKernel:
      add_kernel(stat.text);
      return;
    case StatMeaning::kCopy:
      add_bytes(stat.text, "size");
      break;
    case StatMeaning::kSet:
      add_bytes(stat.text, "num_bytes");
      break;
    default:
      break;
  }
  switch (stat.kind) {
    case Stat::Kind::kNone:
    case Stat::Kind::kBytes:  // programs and the like
      return;
    case Stat::Kind::kReal:
      if (!std::isfinite(stat.real())) return;
      key(*stat.name);
      append_number(stat.real(), text_);
      return;
    case Stat::Kind::kUnsigned:
      key(*stat.name);
      append_number(stat.number, text_);
      return;
    case Stat::Kind::kSigned:
      key(*stat.name);
      append_number(stat.signed_number(), text_);
      return;
    case Stat::Kind::kText:
      key(*stat.name);
      append_json_string(stat.text, text_);
      return;
  }
}

// "regs:168 static_shared:0 dynamic_shared:213220 grid:2,66,1 block:384,1,1 occ_pct:18.75"
void EventArgs::add_kernel(std::string_view details) {
  const std::string_view registers = detail(details, "regs");
  if (parse_whole_number(registers)) member("registers per thread", registers);
  const std::uint64_t shared =
      detail_number(details, "static_shared") + detail_number(details, "dynamic_shared");
  key("shared memory");
  append_number(shared, text_);
  for (const std::string_view sides : {"grid", "block"}) {
    const std::string_view numbers = detail(details, sides);
    if (!is_list_of_numbers(numbers)) continue;
    key(sides);
    text_ += '[';
    text_ += numbers;
    text_ += ']';
  }
  const std::string_view occupancy = detail(details, "occ_pct");
  if (const auto percent = parse_number(occupancy); percent && *percent > 0) {
    key("theoretical achieved occupancy %");
    append_number(*percent, text_);
  }
}

void EventArgs::add_bytes(std::string_view details, std::string_view name) {
  key("bytes");
  append_number(detail_number(details, name), text_);
}

}  // namespace strobe::readers::xplane
