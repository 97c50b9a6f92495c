#pragma once

#include <string>
#include <string_view>

namespace strobe {

// Stands for what cannot be shown: U+FFFD.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The text a JSON string means, given what stands between its quotes. Whatever is not valid there
// (control characters, unknown escapes, half surrogate pairs, bad UTF-8) becomes kReplacement and
// sets *repaired, which is never cleared.
std::string unescape(std::string_view raw, bool* repaired = nullptr);

bool is_valid_utf8(std::string_view text);

// Each run of bytes that cannot be read on becomes one kReplacement.
std::string sanitize_utf8(std::string_view text);

}  // namespace strobe
