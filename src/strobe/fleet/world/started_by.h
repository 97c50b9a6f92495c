#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace strobe::fleet {

// What the environment says about who started this process.
struct StartedBy {
  std::string launcher;             // "mpirun", "srun"; empty: neither
  std::size_t processes = 1;        // that it started together
  std::optional<std::size_t> self;  // this one among them; none: only MPI knows
};

using Variable = std::function<const char*(const char* name)>;  // null: not set
StartedBy started_by(const Variable& variable);

}  // namespace strobe::fleet
