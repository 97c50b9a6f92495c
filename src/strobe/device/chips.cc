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
  double l2;                       // MiB
  int sm_count;
  double boost, base;  // MHz
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
constexpr std::string_view kMlu370 = "Cambricon MLU370 product page";

constexpr SheetRow kSheetRows[] = {
    // name, words, source, f16, tf32, f8, f32, f64, dram, l2, SMs, boost, base
    {"V100S PCIe", "v100s", kV100, 130, 0, 0, 16.4, 8.2, 1134, 6, 80, 1597, 1245},
    {"V100 PCIe", "v100 pcie", kV100, 112, 0, 0, 14, 7, 900, 6, 80, 1380, 0},
    {"V100 SXM2", "v100", kV100, 125, 0, 0, 15.7, 7.8, 900, 6, 80, 1530, 0},
    {"T4", "t4", "NVIDIA T4 data sheet", 65, 0, 0, 8.1, 0, 320, 4, 40, 1590, 585},

    {"A10", "a10", "NVIDIA A10 data sheet", 125, 62.5, 0, 31.2, 0, 600, 6, 72, 1695, 885},
    {"A30", "a30", "NVIDIA A30 data sheet", 165, 82, 0, 10.3, 5.2, 933, 24, 56, 1440, 930},
    {"A40", "a40", "NVIDIA A40 data sheet", 149.7, 74.8, 0, 37.4, 0, 696, 6, 84, 1740, 1305},
    {"A100 PCIe 80GB", "a100 pcie 80gb", kA100, 312, 156, 0, 19.5, 9.7, 1935, 40, 108, 1410, 1065},
    {"A100 SXM4 80GB", "a100 80gb", kA100, 312, 156, 0, 19.5, 9.7, 2039, 40, 108, 1410, 1275},
    {"A100 PCIe 40GB", "a100 pcie", kA100, 312, 156, 0, 19.5, 9.7, 1555, 40, 108, 1410, 765},
    {"A100 SXM4 40GB", "a100", kA100, 312, 156, 0, 19.5, 9.7, 1555, 40, 108, 1410, 1095},
    {"A800 PCIe 80GB", "a800 pcie", kExport, 312, 156, 0, 19.5, 9.7, 1935, 40, 108, 1410, 0},
    {"A800 SXM4 80GB", "a800", kExport, 312, 156, 0, 19.5, 9.7, 2039, 40, 108, 1410, 0},
    {"RTX 3090", "3090", "NVIDIA GA102 paper", 71, 35.6, 0, 35.6, 0, 936, 6, 82, 1695, 1395},

    {"L4", "l4", "NVIDIA L4 data sheet", 121, 60, 242.5, 30.3, 0, 300, 48, 58, 2040, 795},
    {"L40", "l40", "NVIDIA L40 data sheet", 181.05, 90.5, 362, 90.5, 0, 864, 96, 142, 2490, 735},
    {"L40S", "l40s", "NVIDIA L40S data sheet", 362.05, 183, 733, 91.6, 0, 864, 96, 142, 2520, 1110},
    {"RTX 4090", "4090", "NVIDIA Ada paper", 165.2, 82.6, 330.3, 82.6, 0, 1008, 72, 128, 2520,
     2235},
    {"RTX 6000 Ada", "6000 ada", "NVIDIA RTX 6000 Ada data sheet, f16 and tf32 by its f8", 364.2,
     182.1, 728.5, 91.1, 0, 960, 96, 142, 2505, 915},

    {"H100 PCIe", "h100 pcie", kH100, 756, 378, 1513, 51, 26, 2000, 50, 114, 1755, 1095},
    {"H100 NVL", "h100 nvl", kH100, 835.5, 417.5, 1670.5, 60, 30, 3900, 50, 132, 1785, 1080},
    {"H100 SXM", "h100", kH100, 989, 494.5, 1979, 67, 34, 3350, 50, 132, 1980, 0},
    {"H800 PCIe", "h800 pcie", kExport, 756, 378, 1513, 51, 0, 2000, 50, 114, 1755, 0},
    {"H800 SXM", "h800", kExport, 989, 494.5, 1979, 67, 0, 3350, 50, 132, 1980, 0},
    {"H20", "h20", kExport, 148, 74, 296, 0, 0, 4000, 0, 78, 1980, 0},
    {"H200 NVL", "h200 nvl", kH200, 835.5, 417.5, 1670.5, 60, 30, 4800, 60, 132, 0, 0},
    {"H200 SXM", "h200", kH200, 989, 494.5, 1979, 67, 34, 4800, 60, 132, 1980, 0},
    {"GH200 HBM3e", "gh200 hbm3e", kGh200, 989, 494.5, 1979, 67, 34, 4900, 0, 132, 1980, 0},
    {"GH200", "gh200", kGh200, 989, 494.5, 1979, 67, 34, 4000, 0, 132, 1980, 0},

    {"B100", "b100", kBlackwell, 1750, 875, 3500, 60, 30, 8000, 0, 148, 0, 0},
    {"B200", "b200", kBlackwell, 2250, 1125, 4500, 75, 37, 8000, 0, 148, 0, 0},
    {"GB200", "gb200", "NVIDIA GB200 data sheet", 2500, 1250, 5000, 80, 40, 8000, 0, 0, 0, 0},
    {"RTX 5090", "5090", "NVIDIA RTX Blackwell paper", 209.5, 104.8, 419, 104.8, 0, 1792, 96, 170,
     2407, 2017},

    {"MI210", "mi210", "AMD Instinct MI210 data sheet", 181, 0, 0, 22.6, 22.6, 1638.4, 8, 104, 1700,
     0},
    {"MI250X", "mi250x", kMi200, 191.5, 0, 0, 23.95, 23.95, 1638.4, 8, 110, 1700, 0},
    {"MI250", "mi250", kMi200, 181.05, 0, 0, 22.65, 22.65, 1638.4, 8, 104, 1700, 0},
    {"MI300X", "mi300x", "AMD Instinct MI300X data sheet", 1307.4, 653.7, 2614.9, 163.4, 81.7, 5300,
     32, 304, 2100, 0},
    {"MI325X", "mi325x", "AMD Instinct MI325X data sheet", 1307.4, 653.7, 2614.9, 163.4, 81.7, 6000,
     32, 304, 2100, 0},

    {"Ascend 910", "910", "Huawei at Hot Chips 31", 256, 0, 0, 0, 0, 1200, 0, 32, 0, 0},
    {"MLU370-X4", "mlu370 x4", kMlu370, 96, 0, 0, 0, 0, 307.2, 0, 0, 0, 0},
    {"MLU370-X8", "mlu370", kMlu370, 96, 0, 0, 0, 0, 614.4, 0, 0, 0, 0},
};

struct Measured {
  std::string_view name;
  double f16;   // TFLOP/s
  double dram;  // GB/s
};

constexpr Measured kMeasured[] = {
    {"H200 SXM", 790, 4300},  // a library's bf16 product; reads and writes of 1 GiB and more
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
  constexpr double kMiB = 1024.0 * 1024.0;
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
                                    .l2_bytes = row.l2 * kMiB,
                                    .sm_count = row.sm_count,
                                    .boost_clock_hz = row.boost * kMega,
                                    .matrix_clock_hz = row.boost * kMega,
                                    .base_clock_hz = row.base * kMega};
                 });
  const auto board = [&](std::string_view name) -> ChipPeaks& {
    return *std::find_if(chips.begin(), chips.end(),
                         [&](const ChipPeaks& one) { return one.name == name; });
  };
  for (const MatrixClock& clock : kMatrixClocks)
    board(clock.name).matrix_clock_hz = clock.mhz * kMega;
  for (const Measured& measured : kMeasured) {
    ChipPeaks& chip = board(measured.name);
    chip.measured_f16_flops = measured.f16 * kTera;
    chip.measured_dram_bytes_per_s = measured.dram * kGiga;
  }
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

bool is_other_board(const std::vector<std::string>& words) {
  return std::ranges::any_of(kOtherBoards,
                             [&](std::string_view word) { return has_word(words, word); });
}

}  // namespace

std::optional<ChipPeaks> chip_peaks(std::string_view chip) {
  const std::vector<std::string> words = chip_words(chip);
  if (is_other_board(words)) return std::nullopt;
  for (const ChipPeaks& known : known_chips()) {
    const std::vector<std::string> wanted = chip_words(known.words);
    if (std::ranges::all_of(wanted, [&](const std::string& one) { return has_word(words, one); })) {
      return known;
    }
  }
  return std::nullopt;
}

namespace {

struct ChipLimits {
  std::string_view words;  // in its name; the more specific first
  PowerLimits limits;
};

// Board power from the vendors' data sheets; lowest clocks from the lists of supported clocks that
// their tools print.
constexpr std::array kChipLimits = std::to_array<ChipLimits>({
    {"B300", {.board_w = 1400, .lowest_clock_mhz = 120}},
    {"B200", {.board_w = 1000, .lowest_clock_mhz = 120}},
    {"GH200", {.board_w = 900, .lowest_clock_mhz = 345}},
    {"H200 NVL", {.board_w = 600, .lowest_clock_mhz = 345}},
    {"H200", {.board_w = 700, .lowest_clock_mhz = 345}},
    {"H20", {.board_w = 500, .lowest_clock_mhz = 345}},
    {"H100 PCIe", {.board_w = 350, .lowest_clock_mhz = 210}},
    {"H100 NVL", {.board_w = 400, .lowest_clock_mhz = 345}},
    {"H100", {.board_w = 700, .lowest_clock_mhz = 345}},
    {"H800", {.board_w = 700, .lowest_clock_mhz = 345}},
    {"A100-PCIE", {.board_w = 250, .lowest_clock_mhz = 210}},
    {"A100 80GB PCIe", {.board_w = 300, .lowest_clock_mhz = 210}},
    {"A100", {.board_w = 400, .lowest_clock_mhz = 210}},
    {"A800", {.board_w = 400, .lowest_clock_mhz = 210}},
    {"L40S", {.board_w = 350, .lowest_clock_mhz = 210}},
    {"L40", {.board_w = 300, .lowest_clock_mhz = 210}},
    {"L4", {.board_w = 72, .lowest_clock_mhz = 210}},
    {"A10", {.board_w = 150, .lowest_clock_mhz = 210}},
    {"V100-PCIE", {.board_w = 250, .lowest_clock_mhz = 135}},
    {"V100", {.board_w = 300, .lowest_clock_mhz = 135}},
    {"T4", {.board_w = 70, .lowest_clock_mhz = 300}},
    {"MI300X", {.board_w = 750, .lowest_clock_mhz = 132}},
    {"MI250X", {.board_w = 560, .lowest_clock_mhz = 500}},
});

}  // namespace

std::optional<PowerLimits> power_limits(std::string_view chip) {
  for (const ChipLimits& known : kChipLimits) {
    if (chip.find(known.words) != std::string_view::npos) return known.limits;
  }
  return std::nullopt;
}

}  // namespace strobe::device
