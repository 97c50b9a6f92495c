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

TEST(StartedByTest, launchers_say_which_one_this_is) {
  EXPECT_EQ(with({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}).self, 3u);
  EXPECT_EQ(with({{"PMI_SIZE", "3"}, {"PMI_RANK", "0"}}).self, 0u);
  EXPECT_EQ(
      with({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}).self,
      1u);
  EXPECT_FALSE(with({{"MPI_LOCALNRANKS", "2"}, {"MPI_LOCALRANKID", "1"}}).self);  // of one machine
  EXPECT_FALSE(with({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "4"}}).self);
  EXPECT_FALSE(with({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "-1"}}).self);
}

TEST(StartedByTest, an_mpirun_that_starts_its_helpers_with_srun_counts_its_own_processes) {
  const std::map<std::string, std::string> helper = {
      {"SLURM_STEP_ID", "3"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}};
  auto process = helper;
  process.insert({{"OMPI_COMM_WORLD_SIZE", "16"}, {"OMPI_COMM_WORLD_RANK", "9"}});
  EXPECT_EQ(with(process).launcher, "mpirun");
  EXPECT_EQ(with(process).processes, 16u);
  EXPECT_EQ(with(process).self, 9u);
  process = helper;
  process.insert({{"MPI_LOCALNRANKS", "8"}, {"PMI_SIZE", "16"}, {"PMI_RANK", "9"}});
  EXPECT_EQ(with(process).processes, 16u);
  EXPECT_EQ(with(process).self, 9u);
}

}  // namespace
}  // namespace strobe::fleet
