#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Letters, words, and numbers for people. ASCII only: the locale has no effect.
namespace strobe {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_letter(char c) { return is_upper(c) || is_lower(c); }
constexpr bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_space(char c) { return is_blank(c) || c == '\n' || c == '\r'; }
constexpr char lower(char c) { return is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c; }

std::string lower_case(std::string_view text);

// Not the first byte of a character in UTF-8.
constexpr bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }
std::size_t code_points(std::string_view utf8);

// Without the spaces (and line ends) at both ends.
std::string_view trimmed(std::string_view text);

// Some editors put it before a text in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

// The longest beginning of a text in UTF-8 with at most `most_bytes` that ends between two
// characters.
std::string_view prefix_of(std::string_view text, std::size_t most_bytes);

// Takes the first line off `left` and returns it without its line end ("\n" or "\r\n").
std::string_view take_line(std::string_view& left);

// The parts between the separators: one more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator);

// Foreign bytes for a message: valid UTF-8 on one line, at most `most_bytes` and then "...".
std::string excerpt(std::string_view text, std::size_t most_bytes = 60);

// The number that the whole text represents; nothing if it contains anything else or is too large.
std::optional<std::int64_t> parse_whole_number(std::string_view text);
std::optional<double> parse_number(std::string_view text);  // finite

// A printed number with its thousands separated: "-1234.5" is "-1,234.5".
std::string with_commas(std::string number);
std::string count_text(std::uint64_t count);                      // "1,234,567"
std::string counted(std::uint64_t count, std::string_view noun);  // "1 call", "1,234 calls"
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);
constexpr std::string_view plural(std::uint64_t count, std::string_view one,
                                  std::string_view many) {
  return count == 1 ? one : many;
}

// Three significant digits, thousands separated: "1.23", "94.2", "942", "1,250".
std::string three_digits(double value);

// Three significant digits: "812 ns", "1.23 ms", "942 ms", "17.8 s", "1,250 s".
std::string duration_text(std::int64_t duration_ns);
std::string mean_duration_text(double ns);  // the same with fractions of a nanosecond

// Three significant digits over 1023 bytes: "512 B", "1.50 KiB", "80.0 GiB".
std::string bytes_text(std::int64_t bytes);

// By powers of ten, as vendors count memory: "17.2 GB".
std::string decimal_bytes_text(double bytes);

// A share of 1 as "9.6 %"; "<0.1 %" for small shares that would round to zero.
std::string percent_text(double share);

// A number of tenths of a percent: 96 is "9.6 %".
std::string permille_text(std::int64_t permille);

// The nearest number with this many decimals, or significant digits: what a reader of the printed
// number gets.
double rounded(double value, int decimals);
double rounded_to_digits(double value, int digits);

}  // namespace strobe
