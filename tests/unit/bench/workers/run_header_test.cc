#include "strobe/bench/workers/run_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/bench_worker.h"

namespace strobe::bench {
namespace {

using strobe::testing::scripted_worker;
using strobe::testing::Words;

class RunHeaderTest : public ::testing::Test {
 protected:
  RunHeaderTest() : request_(strobe::testing::brief_run(5)) { request_.workers.own.clear(); }

  RunHeader header(const std::vector<std::pair<std::string, Words>>& workers) {
    std::vector<std::unique_ptr<WorkerSession>> sessions;
    for (const auto& [name, words] : workers) {
      request_.workers.commands[name] = scripted_worker(words);
      sessions.push_back(std::make_unique<WorkerSession>(name, request_.workers));
      EXPECT_TRUE(sessions.back()->begin(""));
    }
    return header_of(request_, sessions, log_);
  }

  RunRequest request_;
  std::vector<std::string> log_;
};

const Words kDevice = {"modes=device", "device=Chip"};
const Words kHost = {"modes=cpu", "device=Host"};
// Supports cells but not roofs, like external stacks.
const Words kStack = {"modes=device", "device=Chip", "only=cell"};

TEST_F(RunHeaderTest, a_device_comes_before_the_host) {
  const RunHeader found = header({{"host", kHost}, {"own", kDevice}});
  EXPECT_EQ(found.device, "Chip");
  EXPECT_EQ(found.roofs.is_of_host, false);
  EXPECT_EQ(found.roofs.copy_gbps, 1000);
}

TEST_F(RunHeaderTest, the_host_alone_is_its_own_roof) {
  const RunHeader found = header({{"host", kHost}});
  EXPECT_EQ(found.device, "Host");
  EXPECT_EQ(found.roofs.is_of_host, true);
}

TEST_F(RunHeaderTest, the_hosts_roofs_are_not_those_of_a_stack_on_a_device) {
  const RunHeader found = header({{"host", kHost}, {"stack", kStack}});
  EXPECT_EQ(found.device, "Chip");
  EXPECT_FALSE(found.roofs.copy_gbps);
}

TEST_F(RunHeaderTest, where_only_a_stack_runs_a_worker_of_ones_own_measures_its_device) {
  request_.workers.own = scripted_worker(kDevice);
  const RunHeader found = header({{"stack", kStack}});
  EXPECT_EQ(found.roofs.copy_gbps, 1000);
  EXPECT_EQ(found.floors.empty_kernel_events, 2);
}

TEST_F(RunHeaderTest, another_device_says_nothing_of_the_stacks) {
  request_.workers.own = scripted_worker({"modes=device", "device=Other"});
  const RunHeader found = header({{"stack", kStack}});
  EXPECT_EQ(found.device, "Chip");
  EXPECT_FALSE(found.roofs.copy_gbps);
}

TEST_F(RunHeaderTest, products_need_a_matrix_roof_and_rows_do_not) {
  request_.workers.own = scripted_worker({"modes=device", "device=Chip", "gemm=790"});
  EXPECT_FALSE(header({{"own", kDevice}}).roofs.gemm_tflops);
  request_.cells.cases = {"matmul_add"};
  EXPECT_EQ(header({{"own", kDevice}}).roofs.gemm_tflops, 790);
}

TEST_F(RunHeaderTest, why_there_is_no_matrix_roof_is_logged) {
  request_.workers.own = scripted_worker({"obstacle=no cuBLASLt here"});
  request_.cells.cases = {"matmul_add"};
  EXPECT_FALSE(header({{"own", kDevice}}).roofs.gemm_tflops);
  EXPECT_THAT(log_, ::testing::Contains("cublaslt: no matrix roof: no cuBLASLt here"));
}

}  // namespace
}  // namespace strobe::bench
