#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"

// Words that people type, and what they meant.
namespace strobe::cli {

// The candidate that a typing mistake most likely meant, or "" when none is near enough to be worth
// a person's time. Case does not count.
std::string_view nearest(std::string_view typed, std::span<const std::string_view> candidates);

bool equal_ignoring_case(std::string_view a, std::string_view b);
// "memory-manipulation", "memory_manipulation" and "MemoryManipulation" are one word.
bool is_same_word(std::string_view a, std::string_view b);

// "a, b, c".
std::string joined(std::span<const std::string_view> words, std::string_view between = ", ");

// A command line that makes no sense; `where` is the flag with its dashes, or "".
Error bad_request(std::string what, std::string_view where = {}, std::string hint = {});
// "--format: 'txt' is not one of text, json, csv, markdown", with the nearest one as hint.
Error not_one_of(std::string_view flag, std::string_view typed,
                 std::span<const std::string_view> choices);

// The name of a file's that was meant: itself, or the only one that begins so; case does not count.
// Otherwise an error that lists what there is.
Result<std::string> resolve_name(std::string_view flag, std::string_view typed,
                                 const std::vector<std::string>& available);
Result<std::vector<std::string>> resolve_names(std::string_view flag,
                                               const std::vector<std::string>& typed,
                                               const std::vector<std::string>& available);

}  // namespace strobe::cli
