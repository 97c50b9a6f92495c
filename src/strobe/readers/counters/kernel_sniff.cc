#include "strobe/readers/counters/kernel_sniff.h"

#include <algorithm>
#include <array>
#include <string>

#include "strobe/base/byte_stream.h"
#include "strobe/readers/sniff.h"

namespace strobe::readers {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::array kMagics = {"NVR\0"sv, "STROBEKR"sv};
constexpr std::array kTableHeader = {"Kernel"sv, "Latency"sv, "Tensor"sv, "DRAM"sv};
constexpr std::size_t kHeadOfJson = 4096;  // the schema comes first

std::string_view without_blanks_in_front(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

std::string_view next_word(std::string_view& line) {
  line = without_blanks_in_front(line);
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

bool is_table_header(std::string_view line) {
  const bool has_words = std::ranges::all_of(
      kTableHeader, [&](std::string_view word) { return next_word(line) == word; });
  return has_words && next_word(line).empty();
}

// With or without quotes: some tables have been through a spreadsheet.
bool is_csv_header(std::string_view line) {
  if (!line.starts_with("\"ID\"") && !line.starts_with("ID,")) return false;
  std::string bare(line);
  std::erase(bare, '"');
  return bare.starts_with("ID,Process ID,") && bare.find(",Kernel Name,") != std::string::npos;
}

bool is_own_json(std::string_view text) {
  constexpr std::string_view kKey = "\"schema\"";
  text = text.substr(0, kHeadOfJson);
  const std::size_t key = text.find(kKey);
  if (key == std::string_view::npos) return false;
  std::string_view rest = without_blanks_in_front(text.substr(key + kKey.size()));
  if (!rest.starts_with(':')) return false;
  rest = without_blanks_in_front(rest.substr(1));
  return rest.starts_with("\"strobe.kernels\"") || rest.starts_with("\"strobe.kernels/");
}

bool has_header(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (is_csv_header(line) || is_table_header(line)) return true;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return false;
}

}  // namespace

bool looks_like_kernels(std::string_view first_bytes) {
  auto stream = open_stream(first_bytes);
  if (!stream) return false;
  std::string unpacked(kSniffBytes, '\0');
  const auto bytes = (*stream)->read(unpacked);
  if (!bytes) return false;
  std::string_view text = std::string_view(unpacked).substr(0, *bytes);
  const auto begins_with = [&](std::string_view magic) { return text.starts_with(magic); };
  if (std::ranges::any_of(kMagics, begins_with)) return true;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::string_view start = without_blanks_in_front(text);
  return start.starts_with('{') ? is_own_json(start) : has_header(text);
}

}  // namespace strobe::readers
