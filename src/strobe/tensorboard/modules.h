#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/tensorboard/node.h"

namespace strobe::tensorboard {

// All calls of one module, by its name and number.
struct ModuleStats {
  std::size_t calls = 0;
  std::size_t operators = 0;  // called by the module itself
  Number host_total;
  Number host_self;
  Number device_total;
  Number device_self;
};

struct ModuleRow {
  std::string name;
  std::int64_t id = 0;
  ModuleStats stats;
  std::vector<std::size_t> children;  // rows
};

// Which modules call which, from the Python frames of a trace, with their times.
struct ModuleTable {
  std::vector<ModuleRow> rows;
  std::vector<std::size_t> roots;  // rows, by name; empty: the trace has no modules

  bool empty() const { return roots.empty(); }
};

// The modules of PyTorch Lightning if the trace is from Lightning, else of nn.Module.
ModuleTable find_modules(const Forest& forest, const Events& events);

}  // namespace strobe::tensorboard
