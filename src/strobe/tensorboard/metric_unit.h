#pragma once

#include <optional>
#include <string_view>

namespace strobe::tensorboard {

// A unit in which a view shows times (the file's are us) or sizes (the file's are bytes).
struct MetricUnit {
  std::string_view name;
  double factor = 1;  // of the file's unit
};

// us, ms, s.
std::optional<MetricUnit> time_unit(std::string_view name);
// B, KB, MB, GB; also K, M, G, and bytes for the empty name.
std::optional<MetricUnit> memory_unit(std::string_view name);

}  // namespace strobe::tensorboard
