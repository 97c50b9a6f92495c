#include "strobe/readers/counters/unit.h"

#include <algorithm>
#include <iterator>

namespace strobe::readers {
namespace {

struct KnownUnit {
  std::string_view word;
  Unit unit;
};

constexpr KnownUnit kUnits[] = {
    {"", {Quantity::kNone, 0}},        {"%", {Quantity::kPercent, 0}},
    {"ns", {Quantity::kTime, 0}},      {"nsecond", {Quantity::kTime, 0}},
    {"nsec", {Quantity::kTime, 0}},    {"us", {Quantity::kTime, 3}},
    {"usecond", {Quantity::kTime, 3}}, {"usec", {Quantity::kTime, 3}},
    {"ms", {Quantity::kTime, 6}},      {"msecond", {Quantity::kTime, 6}},
    {"msec", {Quantity::kTime, 6}},    {"s", {Quantity::kTime, 9}},
    {"second", {Quantity::kTime, 9}},  {"sec", {Quantity::kTime, 9}},
    {"byte", {Quantity::kBytes, 0}},   {"hz", {Quantity::kFrequency, 0}},
    {"Hz", {Quantity::kFrequency, 0}},
};

// Thousands, not 1024s: a kernel with 1024 bytes is listed with "1.02 Kbyte".
constexpr struct {
  char letter;
  int power_of_ten;
} kPrefixes[] = {{'K', 3}, {'M', 6}, {'G', 9}, {'T', 12}, {'P', 15}};

Unit plain_unit_of(std::string_view word) {
  const auto known = std::ranges::find(kUnits, word, &KnownUnit::word);
  if (known != std::end(kUnits)) return known->unit;
  const bool is_long = word.size() >= 3 && word[1] >= 'a' && word[1] <= 'z';
  for (const auto& prefix : kPrefixes) {
    if (!is_long && word.substr(1) != "Hz") break;
    if (word.front() != prefix.letter) continue;
    const auto rest = std::ranges::find(kUnits, word.substr(1), &KnownUnit::word);
    const Quantity quantity = rest != std::end(kUnits) ? rest->unit.quantity : Quantity::kCount;
    return {quantity, prefix.power_of_ten};
  }
  return {Quantity::kCount, 0};
}

}  // namespace

Unit unit_of(std::string_view word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos) return plain_unit_of(word);
  const Unit above = plain_unit_of(word.substr(0, slash));
  const Unit below = plain_unit_of(word.substr(slash + 1));
  if (below.quantity != Quantity::kTime) return above;  // byte/block, register/thread
  const Quantity quantity =
      word.substr(0, slash).ends_with("cycle") ? Quantity::kFrequency : Quantity::kRate;
  return {quantity, above.power_of_ten + 9 - below.power_of_ten};
}

}  // namespace strobe::readers
