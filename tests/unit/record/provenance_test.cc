#include "strobe/record/provenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace strobe::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

TEST(Provenance, only_what_concerns_the_device_and_the_ranks_is_shown) {
  const Environment all = {{"CUDA_VISIBLE_DEVICES", "0,1"},
                           {"NCCL_DEBUG", "INFO"},
                           {"RANK", "3"},
                           {"HOME", "/somewhere"},
                           {"AWS_SESSION", "x"},
                           {"PATH", "/bin"},
                           {"XCUDA_HOME", "x"}};
  EXPECT_THAT(shown_environment(all, false),
              ElementsAre(Key("CUDA_VISIBLE_DEVICES"), Key("NCCL_DEBUG"), Key("RANK")));
}

TEST(Provenance, secrets_are_never_shown_whatever_their_beginning) {
  const Environment all = {{"NVIDIA_API_KEY", "x"},
                           {"TORCH_TOKEN", "x"},
                           {"NCCL_SECRET_PATH", "x"},
                           {"CUDA_Password", "x"},
                           {"PYTORCH_CREDENTIAL", "x"}};
  EXPECT_THAT(shown_environment(all, false), IsEmpty());
}

TEST(Provenance, paths_are_left_out_on_request) {
  const Environment all = {{"CUDA_CACHE_PATH", "/data/user"}, {"OMP_NUM_THREADS", "8"}};
  EXPECT_THAT(shown_environment(all, true), ElementsAre(Pair("OMP_NUM_THREADS", "8")));
}

TEST(Provenance, ranks_of_torchrun_are_one_job) {
  Environment environment = {{"TORCHELASTIC_RUN_ID", "none"},
                             {"MASTER_ADDR", "127.0.0.1"},
                             {"MASTER_PORT", "29500"},
                             {"RANK", "1"},
                             {"WORLD_SIZE", "8"},
                             {"TORCHELASTIC_RESTART_COUNT", "2"}};
  const Job job = job_of(environment);
  EXPECT_EQ(job.key, "torchelastic:none:127.0.0.1:29500");
  EXPECT_EQ(job.rank, 1);
  EXPECT_EQ(job.world_size, 8);
  EXPECT_EQ(job.restart, 2);
  EXPECT_TRUE(job.is_shared());
  environment["RANK"] = "2";
  EXPECT_EQ(job_of(environment).key, job.key);
}

TEST(Provenance, ranks_of_other_starters_are_found_too) {
  const Job slurm = job_of({{"SLURM_JOB_ID", "7"},
                            {"SLURM_STEP_ID", "0"},
                            {"SLURM_PROCID", "4"},
                            {"SLURM_NTASKS", "16"}});
  EXPECT_EQ(slurm.key, "slurm:7:0");
  EXPECT_EQ(slurm.rank, 4);
  EXPECT_EQ(slurm.world_size, 16);
  const Job mpi = job_of({{"OMPI_MCA_ess_base_jobid", "99"},
                          {"OMPI_COMM_WORLD_RANK", "1"},
                          {"OMPI_COMM_WORLD_SIZE", "2"}});
  EXPECT_EQ(mpi.key, "openmpi:99");
  EXPECT_EQ(mpi.rank, 1);
  EXPECT_EQ(job_of({{"PMIX_NAMESPACE", "n"}, {"PMIX_RANK", "0"}}).key, "pmix:n");
}

TEST(Provenance, a_program_outside_of_a_step_has_no_job) {
  // As in a batch script, where SLURM_PROCID is 0 whatever runs.
  const Job job = job_of({{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "0"}});
  EXPECT_EQ(job.key, "");
  EXPECT_EQ(job.rank, std::nullopt);
  EXPECT_FALSE(job.is_shared());
}

TEST(Provenance, a_rank_that_is_no_number_is_none) {
  EXPECT_EQ(job_of({{"RANK", "first"}}).rank, std::nullopt);
  EXPECT_EQ(job_of({{"RANK", "-1"}}).rank, std::nullopt);
}

TEST(Provenance, hashes_tell_names_apart_and_do_not_show_them) {
  EXPECT_EQ(hashed_name("train.py"), hashed_name("train.py"));
  EXPECT_NE(hashed_name("train.py"), hashed_name("serve.py"));
  EXPECT_EQ(hashed_name("train.py").size(), 16u);
  EXPECT_THAT(hashed_name("train.py"), Not(::testing::HasSubstr("train")));
}

TEST(Provenance, a_process_tells_its_command_and_environment) {
  const pid_t child = fork();
  if (child == 0) {
    const char* words[] = {"sleep", "30", nullptr};
    const char* variables[] = {"OMP_NUM_THREADS=3", "EMPTY=", nullptr};
    execve("/bin/sleep", const_cast<char* const*>(words), const_cast<char* const*>(variables));
    _exit(127);
  }
  while (command_of(child) != std::vector<std::string>{"sleep", "30"}) usleep(1000);
  EXPECT_THAT(environment_of(child), ElementsAre(Pair("EMPTY", ""), Pair("OMP_NUM_THREADS", "3")));
  EXPECT_TRUE(is_alive(child));
  ASSERT_TRUE(start_ticks_of(child) && start_ticks_of(getpid()));
  EXPECT_GE(*start_ticks_of(child), *start_ticks_of(getpid()));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_alive(child));
  EXPECT_FALSE(start_ticks_of(child));
  EXPECT_THAT(command_of(child), IsEmpty());
}

}  // namespace
}  // namespace strobe::record
