#include "strobe/fleet/world/started_by.h"

#include <cstdint>

#include "strobe/base/text.h"

namespace strobe::fleet {
namespace {

std::optional<std::size_t> number_of(const Variable& variable, const char* name) {
  const char* text = variable(name);
  if (text == nullptr) return std::nullopt;
  const auto number = parse_whole_number(text);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

struct Launcher {
  const char* name;
  const char* present;  // a variable that it always sets
  const char* processes;
  const char* self;
};

// Those whose variables others leave alone come first: an mpirun starts its helpers with srun,
// whose variables the processes inherit, and srun sets those of an MPI that it starts itself.
constexpr Launcher kLaunchers[] = {
    {"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"mpirun", "MPI_LOCALNRANKS", "PMI_SIZE", "PMI_RANK"},
    {"srun", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
    {"mpirun", "PMI_SIZE", "PMI_SIZE", "PMI_RANK"},
    {"mpirun", "MPI_LOCALNRANKS", "MPI_LOCALNRANKS", nullptr},
};

}  // namespace

StartedBy started_by(const Variable& variable) {
  for (const Launcher& launcher : kLaunchers) {
    if (variable(launcher.present) == nullptr) continue;
    const std::size_t processes = number_of(variable, launcher.processes).value_or(0);
    if (processes == 0) continue;
    StartedBy started = {.launcher = launcher.name, .processes = processes, .self = {}};
    if (launcher.self != nullptr) started.self = number_of(variable, launcher.self);
    if (started.self && *started.self >= processes) started.self.reset();
    return started;
  }
  return {};
}

}  // namespace strobe::fleet
