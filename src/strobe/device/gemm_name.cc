#include "strobe/device/gemm_name.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <vector>

#include "strobe/base/text.h"
#include "strobe/device/kernel_name.h"
#include "strobe/device/name_parts.h"

namespace strobe::device {
namespace {

struct NamePart {
  std::string_view name;
  std::string_view meaning;
};

template <std::size_t size>
std::string_view meaning_in(const NamePart (&table)[size], std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &NamePart::name);
  return found == std::end(table) ? std::string_view() : found->meaning;
}

constexpr NamePart kGenerations[] = {
    {"maxwell", "sm50"},
    {"volta", "sm70"},
    {"turing", "sm75"},
    {"ampere", "sm80"},
};
constexpr NamePart kTypes[] = {
    {"fp16", "f16"}, {"f16", "f16"},  {"bf16", "bf16"}, {"tf32", "tf32"}, {"fp32", "f32"},
    {"f32", "f32"},  {"fp64", "f64"}, {"f64", "f64"},   {"int8", "i8"},   {"i8", "i8"},
    {"s8", "i8"},    {"u8", "u8"},    {"e4m3", "e4m3"}, {"e5m2", "e5m2"}, {"e2m1", "e2m1"},
};
// The letter before `gemm`: the type in which products are summed.
constexpr NamePart kSums[] = {
    {"s", "f32"}, {"h", "f16"}, {"d", "f64"}, {"i", "i32"}, {"c", "c64"}, {"z", "c128"},
};
// If a name has no data type, the type of the sum is used.
constexpr NamePart kPlainTypes[] = {
    {"s", "f32"}, {"h", "f16"}, {"d", "f64"}, {"i", "i8"}, {"c", "c64"}, {"z", "c128"},
};
constexpr NamePart kInstructions[] = {
    {"884", "8x8x4"},     {"1688", "16x8x8"},   {"16816", "16x8x16"},
    {"16832", "16x8x32"}, {"16864", "16x8x64"}, {"161616", "16x16x16"},
    {"8816", "8x8x16"},   {"8832", "8x8x32"},   {"168128", "16x8x128"},
};
// One letter per operand, in names of nvjet.
constexpr NamePart kLetterTypes[] = {
    {"h", "f16"}, {"t", "bf16"}, {"s", "f32"}, {"q", "e4m3"}, {"d", "f64"},
};
constexpr std::string_view kEpilogues[] = {"relu",  "gelu", "bias", "drelu",
                                           "dgelu", "silu", "badd"};

std::vector<std::string_view> gemm_words(std::string_view name) {
  std::vector<std::string_view> words;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    // A word that was cut by the width of the table is not read.
    if (end > 0 && name.substr(0, end).find('.') == std::string_view::npos) {
      words.push_back(name.substr(0, end));
    }
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return words;
}

// "128x64x32": two or three numbers; none for other words.
std::vector<int> sizes_of(std::string_view word) {
  std::vector<int> sizes;
  const char* at = word.data();
  const char* const end = at + word.size();
  while (at != end) {
    int size = 0;
    const auto [after, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 0 || sizes.size() == 3) return {};
    sizes.push_back(size);
    if (after != end && (*after != 'x' || after + 1 == end)) return {};
    at = after == end ? end : after + 1;
  }
  return sizes.size() >= 2 ? sizes : std::vector<int>();
}

int number_behind(std::string_view word, std::string_view prefix) {
  int number = 0;
  if (word.starts_with(prefix)) {
    std::from_chars(word.data() + prefix.size(), word.data() + word.size(), number);
  }
  return number;
}

bool is_layout(std::string_view word) {
  return (word.size() == 2 || word.size() == 3) &&
         word.find_first_not_of(word[0] >= 'a' ? "tn" : "TN") == std::string_view::npos;
}

class GemmNameReader {
 public:
  std::optional<GemmName> read(std::string_view name) {
    const std::vector<std::string_view> words = gemm_words(name);
    if (words.empty() || !read_library(words)) return std::nullopt;
    for (const std::string_view word : words) read_word(word);
    if (!is_gemm_) return std::nullopt;
    finish();
    return gemm_;
  }

 private:
  bool read_library(const std::vector<std::string_view>& words) {
    const std::string_view first = words[0];
    const std::string_view second = words.size() > 1 ? words[1] : std::string_view();
    if (const std::string_view sm = meaning_in(kGenerations, first); !sm.empty()) {
      gemm_.library = first;
      gemm_.architecture = sm;
    } else if (first.starts_with("cutlass")) {
      gemm_.library = "cutlass";
      if (number_behind(second, "") > 0) gemm_.architecture = "sm" + std::string(second);
    } else if (first == "nvjet") {
      gemm_.library = first;
      is_gemm_ = true;
    } else if (first.starts_with("sm") && second == "xmma") {
      gemm_.library = second;
    } else {
      return false;
    }
    return true;
  }

  void read_word(std::string_view word) {
    if (number_behind(word, "sm") > 0) {
      gemm_.architecture = word;
    } else if (word.ends_with("gemm")) {
      read_product(word);
    } else if (const std::string_view type = meaning_in(kTypes, word); !type.empty()) {
      if (gemm_.data_type.empty()) gemm_.data_type = type;
    } else if (!read_size(word) && !read_pair_of_types(word)) {
      read_trait(word);
    }
  }

  // "s16816gemm", "sgemm", "s64x128x16gemm", "s1688tf32gemm"
  void read_product(std::string_view word) {
    is_gemm_ = true;
    word.remove_suffix(std::string_view("gemm").size());
    if (word.empty()) return;
    sum_letter_ = word.substr(0, 1);
    gemm_.accumulate = meaning_in(kSums, sum_letter_);
    word.remove_prefix(1);
    const std::size_t digits = std::min(word.find_first_not_of("0123456789x"), word.size());
    const std::string_view shape = word.substr(0, digits);
    gemm_.instruction =
        sizes_of(shape).empty() ? meaning_in(kInstructions, shape) : std::string_view(shape);
    if (const std::string_view type = meaning_in(kTypes, word.substr(digits)); !type.empty()) {
      gemm_.data_type = type;
    }
  }

  // The first size is the tile; then k and stages, or the cluster, depending on the library.
  bool read_size(std::string_view word) {
    constexpr std::string_view kTile = "tilesize";
    const bool is_tile = word.starts_with(kTile);
    const std::vector<int> sizes = sizes_of(is_tile ? word.substr(kTile.size()) : word);
    if (sizes.empty()) return false;
    if (gemm_.tile_m == 0) {
      gemm_.tile_m = sizes[0];
      gemm_.tile_n = sizes[1];
      if (sizes.size() == 3) gemm_.tile_k = sizes[2];
    } else if (gemm_.tile_k == 0) {
      gemm_.tile_k = sizes[0];
      gemm_.stages = sizes[1];
    } else if (gemm_.cluster.empty()) {
      gemm_.cluster = word;
    }
    return true;
  }

  // "f16f16", then "tf32f32": types of the factors, and the type of the sum. nvjet's "hsh".
  bool read_pair_of_types(std::string_view word) {
    if (gemm_.library == "nvjet") return read_letters(word);
    if (gemm_.library != "xmma") return false;
    for (const NamePart& type : kTypes) {
      if (!word.starts_with(type.name)) continue;
      const std::string_view sum = meaning_in(kTypes, word.substr(type.name.size()));
      if (sum.empty()) continue;
      gemm_.data_type = type.meaning;
      gemm_.accumulate = sum;
      return true;
    }
    return false;
  }

  bool read_letters(std::string_view word) {
    if (!gemm_.data_type.empty() || word.size() < 3 || word.size() > 5) return false;
    const bool is_known = std::ranges::all_of(word, [](const char& letter) {
      return !meaning_in(kLetterTypes, std::string_view(&letter, 1)).empty();
    });
    if (!is_known) return false;
    gemm_.data_type = meaning_in(kLetterTypes, word.substr(0, 1));
    gemm_.accumulate = meaning_in(kLetterTypes, word.substr(word.size() - 2, 1));
    return true;
  }

  void read_trait(std::string_view word) {
    if (word.starts_with("sliced") || lower_case(word) == "splitk") {
      gemm_.split = word.starts_with("sliced") ? word : "splitK";
    } else if (word.starts_with("tensor") && !sizes_of(word.substr(6)).empty()) {
      gemm_.instruction = word.substr(6);
    } else if (const int stages = number_behind(word, "stage"); stages > 0) {
      gemm_.stages = stages;
    } else if (const int align = std::max(number_behind(word, "align"), number_behind(word, "ldg"));
               align > 0) {
      gemm_.align = align;
    } else if (std::ranges::find(kEpilogues, word) != std::end(kEpilogues)) {
      gemm_.epilogue += gemm_.epilogue.empty() ? "" : "+";
      gemm_.epilogue += word;
    } else if (is_layout(word) && gemm_.layout.empty()) {
      gemm_.layout = lower_case(word);
    }
  }

  void finish() {
    if (!gemm_.data_type.empty()) return;
    // CUTLASS omits a type that equals the sum's; this shape multiplies f32 as tf32.
    if (gemm_.library == "cutlass" && gemm_.instruction == "16x8x8" && sum_letter_ == "s") {
      gemm_.data_type = "tf32";
    } else if (gemm_.instruction.empty() || sum_letter_ != "s") {
      gemm_.data_type = meaning_in(kPlainTypes, sum_letter_);
    }
  }

  GemmName gemm_;
  std::string_view sum_letter_;
  bool is_gemm_ = false;
};

}  // namespace

std::string GemmName::text() const {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  add(data_type);
  if (tile_m > 0) {
    std::string tile = "tile " + std::to_string(tile_m) + "x" + std::to_string(tile_n);
    if (tile_k > 0) tile += "x" + std::to_string(tile_k);
    add(tile);
  }
  if (stages > 0) add(std::to_string(stages) + " stages");
  if (!cluster.empty()) add("cluster " + cluster);
  add(split);
  add(epilogue);
  add(layout);
  return text;
}

std::optional<GemmName> gemm_name(std::string_view full) {
  const std::string plain = demangled(full);
  const QualifiedName name = qualified_name(plain);
  if (auto gemm = GemmNameReader().read(name.base)) return gemm;
  const std::vector<std::string_view> arguments = split_arguments(name.arguments);
  if (arguments.empty()) return std::nullopt;
  return GemmNameReader().read(qualified_name(arguments[0]).base);
}

}  // namespace strobe::device
