#pragma once

#include <optional>
#include <string_view>

namespace strobe::device {

// What a chip's data sheet says of its power and clocks.
struct PowerLimits {
  double board_w = 0;           // the most the board draws as it is sold
  double lowest_clock_mhz = 0;  // the lowest the cores can be told to run at
};

// By the name a trace gives the device: "NVIDIA H200", "A100-SXM4-80GB". Unknown names have none.
std::optional<PowerLimits> power_limits(std::string_view chip);

}  // namespace strobe::device
