#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace strobe::device {

// Power and clocks of a board; 0 if they are not known.
struct PowerLimits {
  double board_w = 0;           // the maximum power of the board as sold
  double lowest_clock_mhz = 0;  // the lowest clock that the cores can be set to
};

// The peaks of a chip from its data sheet, without sparsity. 0: not supported, or no trusted sheet
// says.
struct ChipPeaks {
  std::string_view name;    // "H200 SXM"
  std::string_view words;   // words of a device's name that identify it: "h200"
  std::string_view source;  // where the numbers were published
  double f16_flops = 0;     // matrix pipe, f16 and bf16, summed in f32
  double tf32_flops = 0;
  double f8_flops = 0;
  double f32_flops = 0;  // outside the matrix pipe
  double f64_flops = 0;  // outside the matrix pipe
  double dram_bytes_per_s = 0;
  int sm_count = 0;
  double boost_clock_hz = 0;
  // The clock of the matrix pipe's data-sheet rates; the boost clock or less.
  double matrix_clock_hz = 0;
  PowerLimits power = {};
};

// By the name of the device in a file ("NVIDIA A100-SXM4-40GB") or as typed ("a100", "h200"). A
// name that fits several boards means the best known one. Nothing for unknown chips, laptop
// editions, boards with other clocks and slices of a chip.
std::optional<ChipPeaks> chip_peaks(std::string_view chip);

// All of them; of boards that share a word, the more specific one comes first.
std::span<const ChipPeaks> known_chips();

// By the name of the device in a trace: "NVIDIA H200", "A100-SXM4-80GB". Nothing if they are not
// known.
std::optional<PowerLimits> power_limits(std::string_view chip);

}  // namespace strobe::device
