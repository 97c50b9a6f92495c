#include "strobe/tensorboard/metric_unit.h"

#include <array>

namespace strobe::tensorboard {
namespace {

struct NamedUnit {
  std::string_view asked;
  MetricUnit unit;
};

constexpr std::array<NamedUnit, 3> kTimeUnits = {{
    {"us", {"us", 1.0}},
    {"ms", {"ms", 1.0 / 1000}},
    {"s", {"s", 1.0 / 1000000}},
}};

constexpr double kKilo = 1.0 / 1024;
constexpr std::array<NamedUnit, 8> kMemoryUnits = {{
    {"", {"B", 1.0}},
    {"B", {"B", 1.0}},
    {"K", {"KB", kKilo}},
    {"KB", {"KB", kKilo}},
    {"M", {"MB", kKilo* kKilo}},
    {"MB", {"MB", kKilo* kKilo}},
    {"G", {"GB", kKilo* kKilo* kKilo}},
    {"GB", {"GB", kKilo* kKilo* kKilo}},
}};

template <class Units>
std::optional<MetricUnit> find_unit(const Units& units, std::string_view name) {
  for (const NamedUnit& known : units) {
    if (known.asked == name) return known.unit;
  }
  return std::nullopt;
}

}  // namespace

std::optional<MetricUnit> time_unit(std::string_view name) { return find_unit(kTimeUnits, name); }

std::optional<MetricUnit> memory_unit(std::string_view name) {
  return find_unit(kMemoryUnits, name);
}

}  // namespace strobe::tensorboard
