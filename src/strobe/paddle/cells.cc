#include "strobe/paddle/cells.h"

#include <cstdio>

#include "strobe/paddle/tables.h"

namespace strobe::paddle {

using analysis::TimeStat;
using analysis::TimeUnit;

std::string fixed(double value, int decimals) {
  char text[400];  // the largest double has 309 digits before the point
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string ratio(double part, double whole) {
  return fixed(whole == 0 ? 0.0 : part / whole * 100);
}
std::string ratio(std::int64_t part, std::int64_t whole) {
  return ratio(static_cast<double>(part), static_cast<double>(whole));
}

std::string_view TimeCells::unit_name() const {
  switch (unit_) {
    case TimeUnit::kSeconds:
      return "s";
    case TimeUnit::kMilliseconds:
      return "ms";
    case TimeUnit::kMicroseconds:
      return "us";
    case TimeUnit::kNanoseconds:
      return "ns";
  }
  return "";
}

std::string TimeCells::time(double duration_ns) const {
  switch (unit_) {
    case TimeUnit::kSeconds:
      return fixed(duration_ns / 1e9);
    case TimeUnit::kMilliseconds:
      return fixed(duration_ns / 1e6);
    case TimeUnit::kMicroseconds:
      return fixed(duration_ns / 1e3);
    case TimeUnit::kNanoseconds:
      return fixed(duration_ns);
  }
  return "";
}
std::string TimeCells::time(std::int64_t duration_ns) const {
  return time(static_cast<double>(duration_ns));
}

std::string TimeCells::times(const TimeStat& stat, std::int64_t whole_ns) const {
  return time(stat.total_ns) + " / " + time(stat.average_ns()) + " / " + time(stat.max_ns) + " / " +
         (stat.calls == 0 ? "-" : time(stat.min_ns)) + " / " + ratio(stat.total_ns, whole_ns);
}

std::string TimeCells::total_only(std::int64_t total_ns, std::int64_t whole_ns) const {
  return time(total_ns) + " / - / - / - / " + ratio(total_ns, whole_ns);
}

std::string left_out_line(const analysis::LeftOut& cut, bool by_device, TimeUnit unit) {
  if (cut.rows == 0) return "";
  const TimeCells cells(unit);
  return "... " + std::to_string(cut.rows) + " more, " +
         cells.time(by_device ? cut.device_ns : cut.host_ns) + " " +
         std::string(cells.unit_name()) + "\n";
}

}  // namespace strobe::paddle
