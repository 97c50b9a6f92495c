#include "strobe/fleet/world/started_by.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace strobe::fleet {
namespace {

StartedBy with(const std::map<std::string, std::string>& environment) {
  return started_by([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(StartedByTest, a_shell_starts_one_process) {
  EXPECT_EQ(with({}).launcher, "");
  EXPECT_EQ(with({{"SLURM_NTASKS", "8"}}).launcher, "");  // in a batch script, before srun
  EXPECT_EQ(with({{"OMPI_COMM_WORLD_SIZE", "many"}}).launcher, "");
}

TEST(StartedByTest, launchers_say_how_many) {
  EXPECT_EQ(with({{"OMPI_COMM_WORLD_SIZE", "4"}}).processes, 4u);
  EXPECT_EQ(with({{"PMI_SIZE", "3"}}).launcher, "mpirun");
  const StartedBy slurm = with({{"SLURM_STEP_ID", "0"},
                                {"SLURM_PROCID", "1"},
                                {"SLURM_STEP_NUM_TASKS", "2"},
                                {"PMI_SIZE", "2"}});
  EXPECT_EQ(slurm.launcher, "srun");
  EXPECT_EQ(slurm.processes, 2u);
}

}  // namespace
}  // namespace strobe::fleet
