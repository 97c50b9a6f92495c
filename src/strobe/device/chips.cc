#include "strobe/device/chips.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "strobe/base/text.h"

namespace strobe::device {

// Numbers from the vendors' data sheets, architecture papers and product pages. If a sheet gives
// rates only with sparsity, half of them is used. Rates of GeForce boards are those of products
// summed in f32, half of the advertised ones. A number on which public sheets disagree is left out.
namespace {

// One line per board, in the units of the sheets.
struct SheetRow {
  std::string_view name;
  std::string_view words;
  std::string_view source;
  double f16, tf32, f8, f32, f64;  // TFLOP/s
  double dram;                     // GB/s
  int sm_count;
  double boost;  // MHz
  double board;  // W
  double floor;  // MHz, from the list of supported clocks that the vendor's tool prints
};

constexpr std::string_view kV100 = "NVIDIA V100 data sheet";
constexpr std::string_view kA100 = "NVIDIA A100 data sheet";
constexpr std::string_view kH100 = "NVIDIA H100 data sheet";
constexpr std::string_view kH200 = "NVIDIA H200 data sheet";
constexpr std::string_view kGh200 = "NVIDIA GH200 data sheet";
constexpr std::string_view kExport = "specifications reported at launch";
constexpr std::string_view kBlackwell =
    "NVIDIA Blackwell architecture brief and HGX B200 data sheet";
constexpr std::string_view kMi200 = "AMD Instinct MI200 data sheet, one die of two";
constexpr std::string_view kMi350 =
    "units, clock and memory of AMD Instinct MI350; not compared with a data sheet";
constexpr std::string_view kMlu370 = "Cambricon MLU370 product page";

constexpr SheetRow kSheetRows[] = {
    // name, words, source, f16, tf32, f8, f32, f64, dram, SMs, boost, power, lowest clock
    {"V100S PCIe", "v100s", kV100, 130, 0, 0, 16.4, 8.2, 1134, 80, 1597, 250, 135},
    {"V100 PCIe", "v100 pcie", kV100, 112, 0, 0, 14, 7, 900, 80, 1380, 250, 135},
    {"V100 SXM2", "v100", kV100, 125, 0, 0, 15.7, 7.8, 900, 80, 1530, 300, 135},
    {"T4", "t4", "NVIDIA T4 data sheet", 65, 0, 0, 8.1, 0, 320, 40, 1590, 70, 300},

    {"A10", "a10", "NVIDIA A10 data sheet", 125, 62.5, 0, 31.2, 0, 600, 72, 1695, 150, 210},
    {"A30", "a30", "NVIDIA A30 data sheet", 165, 82, 0, 10.3, 5.2, 933, 56, 1440, 0, 0},
    {"A40", "a40", "NVIDIA A40 data sheet", 149.7, 74.8, 0, 37.4, 0, 696, 84, 1740, 0, 0},
    {"A100 PCIe 80GB", "a100 pcie 80gb", kA100, 312, 156, 0, 19.5, 9.7, 1935, 108, 1410, 300, 210},
    {"A100 SXM4 80GB", "a100 80gb", kA100, 312, 156, 0, 19.5, 9.7, 2039, 108, 1410, 400, 210},
    {"A100 PCIe 40GB", "a100 pcie", kA100, 312, 156, 0, 19.5, 9.7, 1555, 108, 1410, 250, 210},
    {"A100 SXM4 40GB", "a100", kA100, 312, 156, 0, 19.5, 9.7, 1555, 108, 1410, 400, 210},
    {"A800 PCIe 80GB", "a800 pcie", kExport, 312, 156, 0, 19.5, 9.7, 1935, 108, 1410, 0, 0},
    {"A800 SXM4 80GB", "a800", kExport, 312, 156, 0, 19.5, 9.7, 2039, 108, 1410, 400, 210},
    {"RTX 3090", "3090", "NVIDIA GA102 paper", 71, 35.6, 0, 35.6, 0, 936, 82, 1695, 0, 0},

    {"L4", "l4", "NVIDIA L4 data sheet", 121, 60, 242.5, 30.3, 0, 300, 58, 2040, 72, 210},
    {"L40", "l40", "NVIDIA L40 data sheet", 181.05, 90.5, 362, 90.5, 0, 864, 142, 2490, 300, 210},
    {"L40S", "l40s", "NVIDIA L40S data sheet", 362.05, 183, 733, 91.6, 0, 864, 142, 2520, 350, 210},
    {"RTX 4090", "4090", "NVIDIA Ada paper", 165.2, 82.6, 330.3, 82.6, 0, 1008, 128, 2520, 0, 0},
    {"RTX 6000 Ada", "6000 ada", "NVIDIA RTX 6000 Ada data sheet, f16 and tf32 by its f8", 364.2,
     182.1, 728.5, 91.1, 0, 960, 142, 2505, 0, 0},

    {"H100 PCIe", "h100 pcie", kH100, 756, 378, 1513, 51, 26, 2000, 114, 1755, 350, 210},
    {"H100 NVL", "h100 nvl", kH100, 835.5, 417.5, 1670.5, 60, 30, 3900, 132, 1785, 400, 345},
    {"H100 SXM", "h100", kH100, 989, 494.5, 1979, 67, 34, 3350, 132, 1980, 700, 345},
    {"H800 PCIe", "h800 pcie", kExport, 756, 378, 1513, 51, 0, 2000, 114, 1755, 0, 0},
    {"H800 SXM", "h800", kExport, 989, 494.5, 1979, 67, 0, 3350, 132, 1980, 700, 345},
    {"H20", "h20", kExport, 148, 74, 296, 0, 0, 4000, 78, 1980, 500, 345},
    {"H200 NVL", "h200 nvl", kH200, 835.5, 417.5, 1670.5, 60, 30, 4800, 132, 0, 600, 345},
    {"H200 SXM", "h200", kH200, 989, 494.5, 1979, 67, 34, 4800, 132, 1980, 700, 345},
    {"GH200 HBM3e", "gh200 hbm3e", kGh200, 989, 494.5, 1979, 67, 34, 4900, 132, 1980, 900, 345},
    {"GH200", "gh200", kGh200, 989, 494.5, 1979, 67, 34, 4000, 132, 1980, 900, 345},

    {"B100", "b100", kBlackwell, 1750, 875, 3500, 60, 30, 8000, 148, 0, 0, 0},
    {"B200", "b200", kBlackwell, 2250, 1125, 4500, 75, 37, 8000, 148, 0, 1000, 120},
    {"GB200", "gb200", "NVIDIA GB200 data sheet", 2500, 1250, 5000, 80, 40, 8000, 0, 0, 0, 0},
    {"RTX 5090", "5090", "NVIDIA RTX Blackwell paper", 209.5, 104.8, 419, 104.8, 0, 1792, 170, 2407,
     0, 0},

    {"MI210", "mi210", "AMD Instinct MI210 data sheet", 181, 0, 0, 22.6, 22.6, 1638.4, 104, 1700, 0,
     0},
    {"MI250X", "mi250x", kMi200, 191.5, 0, 0, 23.95, 23.95, 1638.4, 110, 1700, 560, 500},
    {"MI250", "mi250", kMi200, 181.05, 0, 0, 22.65, 22.65, 1638.4, 104, 1700, 0, 0},
    {"MI300X", "mi300x", "AMD Instinct MI300X data sheet", 1307.4, 653.7, 2614.9, 163.4, 81.7, 5300,
     304, 2100, 750, 132},
    {"MI300A", "mi300a",
     "units, clock and memory of AMD Instinct MI300A; not compared with a data sheet", 980.6, 490.3,
     1961.2, 122.6, 61.3, 5300, 228, 2100, 0, 0},
    {"MI325X", "mi325x", "AMD Instinct MI325X data sheet", 1307.4, 653.7, 2614.9, 163.4, 81.7, 6000,
     304, 2100, 0, 0},
    {"MI350X", "mi350x", kMi350, 2306.9, 0, 4613.7, 144.2, 72.1, 8000, 256, 2200, 0, 0},
    {"MI355X", "mi355x", kMi350, 2516.6, 0, 5033.2, 157.3, 78.6, 8000, 256, 2400, 0, 0},

    {"Ascend 910", "910", "Huawei at Hot Chips 31", 256, 0, 0, 0, 0, 1200, 32, 0, 0, 0},
    {"MLU370-X4", "mlu370 x4", kMlu370, 96, 0, 0, 0, 0, 307.2, 0, 0, 0, 0},
    {"MLU370-X8", "mlu370", kMlu370, 96, 0, 0, 0, 0, 614.4, 0, 0, 0, 0},
};

// Data sheets give the matrix rates of these boards at a clock below the boost clock: the rate
// divided by the number of SMs and by the 4,096 operations of each per cycle.
struct MatrixClock {
  std::string_view name;
  double mhz;
};

constexpr MatrixClock kMatrixClocks[] = {
    {"H100 PCIe", 1620}, {"H100 NVL", 1545}, {"H100 SXM", 1830},
    {"H800 PCIe", 1620}, {"H800 SXM", 1830}, {"H200 NVL", 1545},
    {"H200 SXM", 1830},  {"GH200", 1830},    {"GH200 HBM3e", 1830},
};

constexpr auto kChips = [] {
  constexpr double kTera = 1e12;
  constexpr double kGiga = 1e9;
  constexpr double kMega = 1e6;
  std::array<ChipPeaks, std::size(kSheetRows)> chips;
  std::transform(std::begin(kSheetRows), std::end(kSheetRows), chips.begin(),
                 [=](const SheetRow& row) {
                   return ChipPeaks{.name = row.name,
                                    .words = row.words,
                                    .source = row.source,
                                    .f16_flops = row.f16 * kTera,
                                    .tf32_flops = row.tf32 * kTera,
                                    .f8_flops = row.f8 * kTera,
                                    .f32_flops = row.f32 * kTera,
                                    .f64_flops = row.f64 * kTera,
                                    .dram_bytes_per_s = row.dram * kGiga,
                                    .sm_count = row.sm_count,
                                    .boost_clock_hz = row.boost * kMega,
                                    .matrix_clock_hz = row.boost * kMega,
                                    .power = {.board_w = row.board, .lowest_clock_mhz = row.floor}};
                 });
  const auto board = [&](std::string_view name) -> ChipPeaks& {
    return *std::find_if(chips.begin(), chips.end(),
                         [&](const ChipPeaks& one) { return one.name == name; });
  };
  for (const MatrixClock& clock : kMatrixClocks)
    board(clock.name).matrix_clock_hz = clock.mhz * kMega;
  return chips;
}();

}  // namespace

std::span<const ChipPeaks> known_chips() { return kChips; }

namespace {

// Different spellings of the same word.
struct WordAlias {
  std::string_view word;
  std::string_view meaning;
};
constexpr WordAlias kWordAliases[] = {
    {"40g", "40gb"},
    {"80g", "80gb"},
    {"pci", "pcie"},
};

// Product lines, which some tools write together with the number.
constexpr std::string_view kLines[] = {"rtx", "ascend"};

// Words that mark boards with other clocks or fewer units than the board they are named after.
constexpr std::string_view kOtherBoards[] = {"laptop", "mobile", "max",  "ti",   "super",
                                             "d",      "mig",    "fhhl", "64gb", "3e"};

// "NVIDIA A100-SXM4-40GB" is nvidia, a100, sxm4, 40gb.
std::vector<std::string> chip_words(std::string_view text) {
  std::vector<std::string> words;
  bool is_inside = false;
  for (const char c : text) {
    if (is_letter_or_digit(c) && !is_inside) words.emplace_back();
    is_inside = is_letter_or_digit(c);
    if (is_inside) words.back() += lower(c);
  }
  for (std::string& word : words) {
    const auto* const alias = std::ranges::find(kWordAliases, word, &WordAlias::word);
    if (alias != std::end(kWordAliases)) word = alias->meaning;
    for (const std::string_view line : kLines) {
      if (word.starts_with(line) && word.size() > line.size()) word.erase(0, line.size());
    }
  }
  return words;
}

bool has_word(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Whether a device with these words in its name is the board with the words `wanted`.
bool fits(const std::vector<std::string>& words, std::string_view wanted) {
  return std::ranges::all_of(chip_words(wanted),
                             [&](const std::string& one) { return has_word(words, one); });
}

bool is_other_board(const std::vector<std::string>& words) {
  return std::ranges::any_of(kOtherBoards,
                             [&](std::string_view word) { return has_word(words, word); });
}

}  // namespace

std::optional<ChipPeaks> chip_peaks(std::string_view chip) {
  const std::vector<std::string> words = chip_words(chip);
  if (is_other_board(words)) return std::nullopt;
  for (const ChipPeaks& known : known_chips()) {
    if (fits(words, known.words)) return known;
  }
  return std::nullopt;
}

std::optional<PowerLimits> power_limits(std::string_view chip) {
  if (const std::optional<ChipPeaks> known = chip_peaks(chip)) {
    return known->power.board_w > 0 ? std::optional(known->power) : std::nullopt;
  }
  // Its peaks are not on a trusted sheet yet.
  if (fits(chip_words(chip), "b300")) return PowerLimits{.board_w = 1400, .lowest_clock_mhz = 120};
  return std::nullopt;
}

}  // namespace strobe::device
