#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/cli/names.h"

// A flag is declared once: its spelling, its meaning, and the member of a request that it fills.
// Parsing, help, manual pages, completion and suggestions all use that.
namespace strobe::cli {

// Stores a typed value; `flag` ("--top") is for errors.
using Take = std::function<Result<void>(std::string_view flag, const std::string& typed)>;

// The member that a flag fills.
struct Target {
  Take take;
  std::string preset = {};                     // the member's default; "": not shown
  std::vector<std::string_view> choices = {};  // the accepted words; empty: anything
  bool is_list = false;                        // the typed value is split at its commas
};

struct Flag {
  std::string_view name;   // without its dashes
  std::string_view value;  // name of the value in the help: "FILE"; "": a switch
  std::string help;        // ends with the default
  Target target;
  char letter = 0;            // the short form, 0: none
  bool is_negatable = false;  // --cache, --no-cache, --cache=off
};

// `spelling` is what help shows: "-o, --output FILE", "--[no-]cache". The default of the target is
// added to `help` as "(default: ...)", unless `help` already has one.
Flag flag(std::string_view spelling, std::string_view help, Target target);

// Text as it was typed.
Target to(std::string& member);
Target to(std::optional<std::string>& member);
// Repeated lists are joined; empty elements are dropped.
Target to(std::vector<std::string>& member);
// Switches.
Target to(bool& member);
Target to(std::optional<bool>& member);
// At least one row; "all" is 0.
Target to_rows(std::optional<std::size_t>& member);

// Numbers in flags.
Result<std::int64_t> whole_number(std::string_view flag, std::string_view typed, std::int64_t least,
                                  std::int64_t most = std::numeric_limits<std::int64_t>::max());
// 8G, 512M, 64MiB, 1000000: powers of 1024.
Result<std::int64_t> byte_count(std::string_view flag, std::string_view typed, std::int64_t least);
// 60s, 1.5s, 500ms, 10m, 1h, in milliseconds; a number alone is in seconds.
Result<std::int64_t> duration_ms(std::string_view flag, std::string_view typed,
                                 std::int64_t least_ms);
// 0.9 and 90% are the same; greater than 0, at most `most`.
Result<double> fraction(std::string_view flag, std::string_view typed, double most = 1);
// 4.3TB/s, 4300 GB/s, 4.3e12: bytes per second, powers of 1000.
Result<double> byte_rate(std::string_view flag, std::string_view typed);
// 790TFLOP/s, 0.79 PFLOPS, 790T.
Result<double> flop_rate(std::string_view flag, std::string_view typed);

// Stores the value that `read(flag, typed)` returns.
template <class Value, class Read>
Target to(Value& member, Read read) {
  return {.take = [&member, read](std::string_view flag, const std::string& typed) -> Result<void> {
    STROBE_TRY(auto value, read(flag, typed));
    member = std::move(value);
    return {};
  }};
}

// The same for each element of a list.
template <class Value, class Read>
Target to_each(std::vector<Value>& member, Read read) {
  return {.take = [&member, read](std::string_view flag, const std::string& typed) -> Result<void> {
            STROBE_TRY(auto value, read(flag, typed));
            member.push_back(std::move(value));
            return {};
          },
          .is_list = true};
}

// Adapts a reader without a flag name: its errors get the flag's name.
template <class Value>
auto named(Result<Value> (*read)(std::string_view)) {
  return [read](std::string_view flag, std::string_view typed) {
    Result<Value> value = read(typed);
    if (value) return value;
    Error error = std::move(value).error();
    error.where = flag;
    return Result<Value>(std::move(error));
  };
}

template <class Value>
struct ValueOf {
  using type = Value;
};
template <class Value>
struct ValueOf<std::optional<Value>> {
  using type = Value;
};

// A whole number between `least` and `most`.
template <class Member>
Target to_number(Member& member, std::int64_t least,
                 std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  using Number = typename ValueOf<Member>::type;
  Target target = to(member, [=](std::string_view flag, std::string_view typed) -> Result<Number> {
    STROBE_TRY(const std::int64_t number, whole_number(flag, typed, least, most));
    return static_cast<Number>(number);
  });
  if constexpr (std::is_same_v<Number, Member>) target.preset = std::to_string(member);
  return target;
}

// A word and its value.
template <class Value>
struct Word {
  std::string_view name;
  Value value;
  bool is_listed = true;  // false: accepted, but not shown in help and errors
};

template <class Words>
std::vector<std::string_view> listed_names(const Words& words) {
  std::vector<std::string_view> names;
  for (const auto& word : words) {
    if (word.is_listed) names.push_back(word.name);
  }
  return names;
}

template <class Value, std::size_t N>
Result<Value> chosen(std::string_view flag, std::string_view typed, const Word<Value> (&words)[N]) {
  for (const Word<Value>& word : words) {
    if (is_same_word(word.name, typed)) return word.value;
  }
  return not_one_of(flag, typed, listed_names(words));
}

// One of some words, which must outlive the flag.
template <class Member, class Value, std::size_t N>
Target to_choice(Member& member, const Word<Value> (&words)[N]) {
  Target target = to(member, [&words](std::string_view flag, std::string_view typed) {
    return chosen(flag, typed, words);
  });
  target.choices = listed_names(words);
  for (const Word<Value>& word : words) {
    if (member == word.value && target.preset.empty()) target.preset = word.name;
  }
  return target;
}

}  // namespace strobe::cli
