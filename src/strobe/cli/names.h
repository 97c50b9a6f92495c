#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"

// Finds the words that users meant to type.
namespace strobe::cli {

// The candidate closest to a mistyped word, or "" if none is close enough. Case is ignored.
std::string_view nearest(std::string_view typed, std::span<const std::string_view> candidates);

bool equal_ignoring_case(std::string_view a, std::string_view b);
// "memory-manipulation", "memory_manipulation" and "MemoryManipulation" are one word.
bool is_same_word(std::string_view a, std::string_view b);

// "a, b, c".
std::string joined(std::span<const std::string_view> words, std::string_view between = ", ");

// An error about the command line; `where` is the flag with its dashes, or "".
Error bad_request(std::string what, std::string_view where = {}, std::string hint = {});
// "--format: 'txt' is not one of text, json, csv, markdown", with the nearest one as hint.
Error not_one_of(std::string_view flag, std::string_view typed,
                 std::span<const std::string_view> choices);

// The name in the file that was meant: the name itself, or the only one that begins with the text,
// ignoring case. Otherwise an error that lists all names.
Result<std::string> resolve_name(std::string_view flag, std::string_view typed,
                                 const std::vector<std::string>& available);
Result<std::vector<std::string>> resolve_names(std::string_view flag,
                                               const std::vector<std::string>& typed,
                                               const std::vector<std::string>& available);

}  // namespace strobe::cli
