#include "strobe/device/power_limits.h"

#include <array>

namespace strobe::device {
namespace {

struct Chip {
  std::string_view words;  // in its name; the more special first
  PowerLimits limits;
};

// Board power from the vendors' data sheets; lowest clocks from the lists of supported clocks that
// their tools print.
constexpr std::array kChips = std::to_array<Chip>({
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
  for (const Chip& known : kChips) {
    if (chip.find(known.words) != std::string_view::npos) return known.limits;
  }
  return std::nullopt;
}

}  // namespace strobe::device
