#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace strobe::device {

// A chip's ceilings as its data sheet gives them, without sparsity. 0: the chip cannot, or no sheet
// we trust says.
struct ChipPeaks {
  std::string_view name;    // "H200 SXM"
  std::string_view words;   // those of a device's name that tell it: "h200"
  std::string_view source;  // where the numbers are printed
  double f16_flops = 0;     // matrix pipe, f16 and bf16, summed in f32
  double tf32_flops = 0;
  double f8_flops = 0;
  double f32_flops = 0;  // outside the matrix pipe
  double f64_flops = 0;  // outside the matrix pipe
  double dram_bytes_per_s = 0;
  double l2_bytes_per_s = 0;  // measured, as sheets do not say; 0 if nobody measured
  double l2_bytes = 0;
  int sm_count = 0;
  double boost_clock_hz = 0;
  double matrix_clock_hz =
      0;  // at which the rates of the matrix pipe hold; the boost clock or less
  double base_clock_hz = 0;
  // The best that kernels reached on such a board; 0 if we did not measure it.
  double measured_f16_flops = 0;
  double measured_dram_bytes_per_s = 0;
};

// By the name a file gives the device ("NVIDIA A100-SXM4-40GB") or a person types ("a100", "h200").
// A name that leaves the board open means the best known one. Unknown chips have none, nor have
// laptop editions, boards with other clocks and slices of a chip.
std::optional<ChipPeaks> chip_peaks(std::string_view chip);

// All of them; of boards that share a word, the more special one comes first.
std::span<const ChipPeaks> known_chips();

// What a chip's data sheet says of its power and clocks.
struct PowerLimits {
  double board_w = 0;           // the most the board draws as it is sold
  double lowest_clock_mhz = 0;  // the lowest the cores can be told to run at
};

// By the name a trace gives the device: "NVIDIA H200", "A100-SXM4-80GB". Unknown names have none.
std::optional<PowerLimits> power_limits(std::string_view chip);

}  // namespace strobe::device
