#include "strobe/report/kernels/kernel_numbers.h"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

constexpr const char* kUnknown = "-";

// Three significant digits and a power of a thousand: "4.30 T".
std::string scaled(double value, std::string_view unit) {
  constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t step = 0;
  while (std::abs(value) >= 999.5 && step + 1 < std::size(kPrefixes)) {
    value /= 1000;
    ++step;
  }
  return fmt::format("{} {}{}", three_digits(value), kPrefixes[step], unit);
}

}  // namespace

std::string flop_rate_text(std::optional<double> flop_per_s) {
  return flop_per_s ? scaled(*flop_per_s, "FLOP/s") : kUnknown;
}

std::string byte_rate_text(std::optional<double> bytes_per_s) {
  return bytes_per_s ? scaled(*bytes_per_s, "B/s") : kUnknown;
}

std::string intensity_text(std::optional<double> flop_per_byte) {
  if (!flop_per_byte) return kUnknown;
  if (*flop_per_byte < 0.0995) return fmt::format("{:.3f} FLOP/byte", *flop_per_byte);
  return three_digits(*flop_per_byte) + " FLOP/byte";
}

std::string percent_of_peak_text(std::optional<double> percent) {
  return percent ? percent_text(*percent / 100) : kUnknown;
}

std::string clock_text(double hz) {
  return fmt::format("{} MHz", count_text(static_cast<std::uint64_t>(std::llround(hz / 1e6))));
}

std::string launches_text(std::uint64_t launches) {
  return counted(launches, "launch", "launches");
}

std::string ratio_text(std::optional<double> ratio) {
  if (!ratio) return kUnknown;
  return fmt::format("{:.{}f}x", *ratio, *ratio < 9.995 ? 2 : *ratio < 99.95 ? 1 : 0);
}

Cell percent_cell(std::optional<double> percent) {
  if (!percent) return Absent{};
  return Share{*percent / 100};
}

Cell time_cell(std::optional<double> ns) {
  if (!ns) return Absent{};
  return Duration{std::llround(*ns)};
}

Cell share_cell(std::optional<double> share) {
  if (!share) return Absent{};
  return Share{*share};
}

}  // namespace strobe::report
