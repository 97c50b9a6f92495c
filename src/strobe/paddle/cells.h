#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strobe/analysis/tables/table_options.h"
#include "strobe/analysis/tables/time_stat.h"

// Numbers as these tables write them: two decimals, no percent sign, no unit.
namespace strobe::paddle {

inline constexpr std::string_view kNoTimes = "- / - / - / - / -";

std::string fixed(double value, int decimals = 2);

// part / whole in percent; 0.00 when there is no whole.
std::string ratio(double part, double whole);
std::string ratio(std::int64_t part, std::int64_t whole);

class TimeCells {
 public:
  explicit TimeCells(analysis::TimeUnit unit) : unit_(unit) {}

  std::string_view unit_name() const;
  std::string time(double duration_ns) const;
  std::string time(std::int64_t duration_ns) const;

  // "total / avg / max / min / ratio"; a minimum that was never set prints as "-".
  std::string times(const analysis::TimeStat& stat, std::int64_t whole_ns) const;
  // "total / - / - / - / ratio", for what has no calls of its own.
  std::string total_only(std::int64_t total_ns, std::int64_t whole_ns) const;

 private:
  analysis::TimeUnit unit_;
};

}  // namespace strobe::paddle
