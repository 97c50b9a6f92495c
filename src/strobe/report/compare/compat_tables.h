#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/compare/compat/compat.h"

// The tables of the older report, which strobe's own keeps under their names.
namespace strobe::report {

// How many cycles, and how long they are on average.
std::string summary_table(const std::vector<double>& normal_us,
                          const std::vector<double>& abnormal_us);

// A run with fewer cycles than the other has no time in the last rows.
enum class MissingTimes : std::uint8_t {
  kStayNumbers,
  kMakeText  // its numbers are written as they are; the original never meant to, but so it looks
};

// The k-th longest cycle of one run beside the k-th longest of the other.
std::string cycles_table(std::vector<double> normal_us, std::vector<double> abnormal_us,
                         MissingTimes missing);

std::string rows_table(const std::vector<compare::CompatRow>& rows);

}  // namespace strobe::report
