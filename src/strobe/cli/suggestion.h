#pragma once

#include <span>
#include <string>
#include <string_view>

#include "strobe/base/result.h"

namespace strobe::cli {

// The candidate that a typing mistake most likely meant, or "" when none is near enough to be worth
// a person's time. Case does not count.
std::string_view nearest(std::string_view typed, std::span<const std::string_view> candidates);

bool equal_ignoring_case(std::string_view a, std::string_view b);

// "--format: 'txt' is not one of text, json, csv, markdown", with the nearest one as hint.
Error not_one_of(std::string_view flag, std::string_view typed,
                 std::span<const std::string_view> choices);

std::string joined(std::span<const std::string_view> words, std::string_view between = ", ");

}  // namespace strobe::cli
