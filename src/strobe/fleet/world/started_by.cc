#include "strobe/fleet/world/started_by.h"

#include <algorithm>
#include <cstdint>

#include "strobe/base/text.h"

namespace strobe::fleet {

StartedBy started_by(const Variable& variable) {
  const auto number = [&](const char* name) -> std::size_t {
    const char* text = variable(name);
    if (text == nullptr) return 0;
    return static_cast<std::size_t>(
        std::max<std::int64_t>(0, parse_whole_number(text).value_or(0)));
  };
  // srun sets the variables of an MPI, too, if it starts one.
  if (variable("SLURM_STEP_ID") != nullptr && variable("SLURM_PROCID") != nullptr) {
    if (const std::size_t processes = number("SLURM_STEP_NUM_TASKS"); processes > 0) {
      return {.launcher = "srun", .processes = processes};
    }
  }
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"}) {
    if (const std::size_t processes = number(name); processes > 0) {
      return {.launcher = "mpirun", .processes = processes};
    }
  }
  return {};
}

}  // namespace strobe::fleet
