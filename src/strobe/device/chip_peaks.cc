#include "strobe/device/chip_peaks.h"

#include <algorithm>
#include <string>
#include <vector>

namespace strobe::device {
namespace {

constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) {
  return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// What tools and people write for the same thing.
struct Alias {
  std::string_view word;
  std::string_view meaning;
};
constexpr Alias kAliases[] = {
    {"40g", "40gb"},
    {"80g", "80gb"},
    {"pci", "pcie"},
};

// Makers and lines of products, which some write together with the number.
constexpr std::string_view kLines[] = {"rtx", "ascend"};

// Words of boards with other clocks or fewer units than the one they are named after.
constexpr std::string_view kOtherBoards[] = {"laptop", "mobile", "max",  "ti",   "super",
                                             "d",      "mig",    "fhhl", "64gb", "3e"};

// "NVIDIA A100-SXM4-40GB" is nvidia, a100, sxm4, 40gb.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool is_inside = false;
  for (const char c : text) {
    if (is_letter(c) && !is_inside) words.emplace_back();
    is_inside = is_letter(c);
    if (is_inside) words.back() += is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  for (std::string& word : words) {
    const auto* const alias = std::ranges::find(kAliases, word, &Alias::word);
    if (alias != std::end(kAliases)) word = alias->meaning;
    for (const std::string_view line : kLines) {
      if (word.starts_with(line) && word.size() > line.size()) word.erase(0, line.size());
    }
  }
  return words;
}

bool has_word(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_other_board(const std::vector<std::string>& words) {
  return std::ranges::any_of(kOtherBoards,
                             [&](std::string_view word) { return has_word(words, word); });
}

}  // namespace

std::optional<ChipPeaks> chip_peaks(std::string_view chip) {
  const std::vector<std::string> words = words_of(chip);
  if (is_other_board(words)) return std::nullopt;
  for (const ChipPeaks& known : known_chips()) {
    const std::vector<std::string> wanted = words_of(known.words);
    if (std::ranges::all_of(wanted, [&](const std::string& one) { return has_word(words, one); })) {
      return known;
    }
  }
  return std::nullopt;
}

}  // namespace strobe::device
