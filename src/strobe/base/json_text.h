#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strobe {

// Replaces text that cannot be shown: U+FFFD.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Decodes the content of a JSON string, given without its quotes. Everything invalid (control
// characters, unknown escapes, half surrogate pairs, bad UTF-8) becomes kReplacement and sets
// *repaired, which is never cleared.
std::string unescape(std::string_view raw, bool* repaired = nullptr);

// Appends the character in UTF-8.
void append_utf8(std::uint32_t code_point, std::string& out);

bool is_valid_utf8(std::string_view text);

// Each invalid run of bytes becomes one kReplacement.
std::string sanitize_utf8(std::string_view text);

}  // namespace strobe
