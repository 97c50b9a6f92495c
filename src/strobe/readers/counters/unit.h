#pragma once

#include <cstdint>
#include <string_view>

namespace strobe::readers {

// What a number measures; a metric in the wrong one is another metric of the same label.
enum class Quantity : std::uint8_t {
  kNone,  // the file does not say
  kTime,  // in ns
  kPercent,
  kBytes,
  kFrequency,  // in Hz
  kCount,
  kRate,  // of anything but cycles, per second
};

struct Unit {
  Quantity quantity = Quantity::kNone;
  int power_of_ten = 0;  // times 10^this gives the base unit
};

// "us", "usecond", "Kbyte/block", "cycle/nsecond", "%". A word nobody knows counts something.
Unit unit_of(std::string_view word);

}  // namespace strobe::readers
