#include "strobe/compare/shown_unit.h"

namespace strobe::compare {

ShownUnit shown_unit(const device::MetricInfo& info) {
  if (info.unit == "ms/s") return {"%", 0.1};
  if (info.unit == "1/s") return {"per s", 1};
  return {info.unit, 1};
}

}  // namespace strobe::compare
