#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/analysis/launches/attribution.h"

namespace strobe::analysis {

// All calls of one module at one place in the model.
struct ModuleRow {
  std::string name;
  std::uint64_t calls = 0;
  std::int64_t host_ns = 0;
  std::int64_t host_self_ns = 0;    // without the modules inside
  std::int64_t device_ns = 0;       // device work launched during the calls
  std::int64_t device_self_ns = 0;  // without that of the modules inside
  SliceId first;                    // the first call
  std::vector<ModuleRow> children;
};

// The tree of the model's modules, nested as their calls, in the order of first calls. Backward
// passes run elsewhere and are not part of it. Empty if the profiler recorded no modules.
std::vector<ModuleRow> list_modules(const AttributedTrace& input);

}  // namespace strobe::analysis
