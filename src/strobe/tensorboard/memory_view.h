#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "strobe/tensorboard/answer.h"

namespace strobe::tensorboard {

// A unit in which a view shows times (the file's are us) or sizes (the file's are bytes).
struct MetricUnit {
  std::string_view name;
  double factor = 1;  // in units of the file
};

// us, ms, s.
std::optional<MetricUnit> time_unit(std::string_view name);
// B, KB, MB, GB; also K, M, G, and bytes for the empty name.
std::optional<MetricUnit> memory_unit(std::string_view name);

// The parameters of the memory views: a range of time, both ends included, and units.
struct MemoryQuestion {
  std::optional<Number> start_ts;
  std::optional<Number> end_ts;
  MetricUnit time;
  MetricUnit memory;

  bool includes(Number ts) const {
    return !(start_ts && ts < *start_ts) && !(end_ts && ts > *end_ts);
  }
  Number show_bytes(double bytes) const { return Number::real(memory.factor * bytes); }
  Number show_time(Number us) const { return Number::real(time.factor * us.value); }
};

// An error if a parameter is invalid or the profile has no memory events.
std::variant<MemoryQuestion, Answer> read_memory_question(const Question& question,
                                                          std::string_view default_memory_unit);

struct CurvePoint {
  double time = 0;
  double allocated = 0;
  double reserved = 0;

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

// A curve of at most `most` points (at least 3): the first, the last, and from every bin in between
// the point with the largest triangle to the previous point and the mean of the next bin.
std::vector<CurvePoint> thin_curve(std::vector<CurvePoint> points, std::size_t most);

}  // namespace strobe::tensorboard
