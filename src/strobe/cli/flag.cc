#include "strobe/cli/flag.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe::cli {
namespace {

Error bad_value(std::string_view flag, std::string what, std::string hint = {}) {
  return bad_request(std::move(what), flag, std::move(hint));
}

// The number at the front of a text, and the rest.
std::optional<double> leading_number(std::string_view typed, std::string_view& rest) {
  std::size_t end = 0;
  while (end < typed.size() && (is_digit(typed[end]) || typed[end] == '.')) {
    ++end;
  }
  const bool has_exponent = end + 1 < typed.size() && (typed[end] == 'e' || typed[end] == 'E') &&
                            is_digit(typed[end + 1]);
  if (has_exponent) {
    ++end;
    while (end < typed.size() && is_digit(typed[end])) ++end;
  }
  double value = 0;
  const auto [stop, problem] = std::from_chars(typed.data(), typed.data() + end, value);
  if (end == 0 || problem != std::errc() || stop != typed.data() + end) return std::nullopt;
  rest = typed.substr(end);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return value;
}

// A number with a prefix (k, M, G, T, P) and one of these units, or without a unit.
Result<double> rate(std::string_view flag, std::string_view typed,
                    std::span<const std::string_view> units, std::string hint) {
  const auto bad = [&] { return bad_value(flag, fmt::format("'{}' is not a rate", typed), hint); };
  std::string_view unit;
  const std::optional<double> number = leading_number(typed, unit);
  if (!number || !(*number > 0)) return bad();
  double factor = 1;
  constexpr std::string_view kPrefixes = "kMGTP";
  const std::size_t prefix = unit.empty()
                                 ? std::string_view::npos
                                 : kPrefixes.find(unit.front() == 'K' ? 'k' : unit.front());
  if (prefix != std::string_view::npos) {
    factor = std::pow(1000.0, static_cast<double>(prefix + 1));
    unit.remove_prefix(1);
  }
  const bool is_known = unit.empty() || std::ranges::any_of(units, [&](std::string_view known) {
                          return equal_ignoring_case(known, unit);
                        });
  if (!is_known) return bad();
  return *number * factor;
}

}  // namespace

Flag flag(std::string_view spelling, std::string_view help, Target target) {
  constexpr std::string_view kNegation = "[no-]";
  Flag made;
  const std::size_t dashes = spelling.find("--");
  if (dashes != 0) made.letter = spelling[1];
  made.name = spelling.substr(dashes + 2);
  made.is_negatable = made.name.starts_with(kNegation);
  if (made.is_negatable) made.name.remove_prefix(kNegation.size());
  if (const std::size_t space = made.name.find(' '); space != std::string_view::npos) {
    made.value = made.name.substr(space + 1);
    made.name = made.name.substr(0, space);
  }
  made.help = help;
  const bool names_default = help.find("(default: ") != std::string_view::npos;
  if (!names_default && !target.preset.empty()) {
    made.help += fmt::format(" (default: {})", target.preset);
  }
  made.target = std::move(target);
  return made;
}

Target to(std::string& member) {
  return {.take =
              [&member](std::string_view, const std::string& typed) {
                member = typed;
                return Result<void>();
              },
          .preset = member};
}

Target to(std::optional<std::string>& member) {
  return to(member,
            [](std::string_view, const std::string& typed) { return Result<std::string>(typed); });
}

Target to(std::vector<std::string>& member) {
  return to_each(member, [](std::string_view, const std::string& typed) {
    return Result<std::string>(typed);
  });
}

Target to(bool& member) {
  Target target = to(
      member, [](std::string_view, std::string_view typed) { return Result<bool>(typed == "on"); });
  if (member) target.preset = "on";
  return target;
}

Target to(std::optional<bool>& member) {
  return to(member,
            [](std::string_view, std::string_view typed) { return Result<bool>(typed == "on"); });
}

Target to_rows(std::optional<std::size_t>& member) {
  return to(member, [](std::string_view flag, std::string_view typed) -> Result<std::size_t> {
    if (equal_ignoring_case(typed, "all")) return std::size_t{0};
    Result<std::int64_t> rows = whole_number(flag, typed, 1);
    if (rows) return static_cast<std::size_t>(*rows);
    Error error = std::move(rows).error();
    error.hint = fmt::format("`{} all` shows all rows", flag);
    return error;
  });
}

Result<std::int64_t> duration_ms(std::string_view flag, std::string_view typed,
                                 std::int64_t least_ms) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1e3}, {"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"min", 60e3}, {"h", 3600e3}};
  constexpr double kMostMs = 1e12;  // some thirty years
  std::string_view unit;
  const std::optional<double> number = leading_number(typed, unit);
  for (const auto& [name, factor] : kUnits) {
    if (!number || unit != name || *number * factor > kMostMs) continue;
    const auto ms = static_cast<std::int64_t>(*number * factor);
    if (ms >= least_ms) return ms;
    return bad_value(flag, fmt::format("{} is too short; {} is the least", typed,
                                       duration_text(least_ms * 1'000'000)));
  }
  return bad_value(flag, fmt::format("'{}' is not a time", typed), "write it as 60s, 500ms or 10m");
}

Result<double> fraction(std::string_view flag, std::string_view typed, double most) {
  std::string_view rest;
  std::optional<double> number = leading_number(typed, rest);
  if (!number || (!rest.empty() && rest != "%")) {
    return bad_value(flag, fmt::format("'{}' is not a fraction", typed), "write it as 0.9 or 90%");
  }
  if (rest == "%") *number /= 100;
  if (*number > 0 && *number <= most) return *number;
  return bad_value(flag, fmt::format("{} is not above 0 and at most {:g}", typed, most),
                   "write it as 0.9 or 90%");
}

Result<double> byte_rate(std::string_view flag, std::string_view typed) {
  constexpr std::string_view kUnits[] = {"B/s", "Bps", "bytes/s", "byte/s"};
  return rate(flag, typed, kUnits, "write it as 4.3TB/s or 3350GB/s");
}

Result<double> flop_rate(std::string_view flag, std::string_view typed) {
  constexpr std::string_view kUnits[] = {"FLOP/s", "FLOPS", "FLOPs", "FLOP"};
  return rate(flag, typed, kUnits, "write it as 790TFLOP/s");
}

Result<std::int64_t> whole_number(std::string_view flag, std::string_view typed, std::int64_t least,
                                  std::int64_t most) {
  const auto number = parse_whole_number(typed);
  if (!number) return bad_value(flag, fmt::format("'{}' is not a whole number", typed));
  if (*number < least) return bad_value(flag, fmt::format("{} is less than {}", *number, least));
  if (*number > most) return bad_value(flag, fmt::format("{} is more than {}", *number, most));
  return *number;
}

Result<std::int64_t> byte_count(std::string_view flag, std::string_view typed, std::int64_t least) {
  constexpr std::string_view kUnits = "kmgt";
  std::string_view digits = typed;
  for (const std::string_view ending : {"iB", "ib", "B", "b"}) {
    if (!digits.ends_with(ending)) continue;
    digits.remove_suffix(ending.size());
    break;
  }
  int shift = 0;
  if (!digits.empty()) {
    const std::size_t unit = kUnits.find(lower(digits.back()));
    if (unit != std::string_view::npos) {
      shift = 10 * static_cast<int>(unit + 1);
      digits.remove_suffix(1);
    }
  }
  const auto number = parse_whole_number(digits);
  if (!number || *number < 0 || *number > (std::numeric_limits<std::int64_t>::max() >> shift)) {
    return bad_value(flag, fmt::format("'{}' is not an amount of memory", typed),
                     "write it as 512M or 8G");
  }
  const std::int64_t bytes = *number << shift;
  if (bytes >= least) return bytes;
  return bad_value(flag, fmt::format("{} is too little; {}M is the least", typed, least >> 20));
}

}  // namespace strobe::cli
