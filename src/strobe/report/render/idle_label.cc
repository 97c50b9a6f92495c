#include "strobe/report/render/idle_label.h"

namespace strobe::report {

std::string idle_label(analysis::IdleKind kind, const std::string& name) {
  using enum analysis::IdleKind;
  switch (kind) {
    case kNothing:
      return "(nothing recorded)";
    case kLaunched:
      return "(next work launched already)";
    case kOverhead:
      return name.empty() ? "(profiler)" : name + " (profiler)";
    case kDataLoading:
      return name.empty() ? "(data loading)" : name;
    case kRuntimeCall:
    case kOperator:
    case kRange:
    case kScript:
      break;
  }
  return name.empty() ? "(no name)" : name;
}

}  // namespace strobe::report
