#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/process.h"
#include "tests/support/run_file_sketch.h"
#include "tests/support/temporary_folder.h"

// `strobe compare` with folders that `strobe record --runs` has written.
namespace strobe::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t kMillisecond = 1'000'000;

class CompareRuns : public ::testing::Test {
 protected:
  // 40 steps with one kernel each.
  void record(const std::string& run, std::uint64_t kernel_ms) {
    const std::filesystem::path folder = folder_ / run;
    test::RunFileSketch file(folder / "process-17.strobe");
    testing::put_bytes(folder / "run.json", R"({"strobe_run":1,"recordings":[]})");
    file.process(17);
    const auto main = file.thread(17, "main");
    const auto gemm = file.kernel_shape("gemm");
    std::uint64_t now = 1000 * kMillisecond;
    for (std::uint64_t step = 0; step < 40; ++step) {
      const std::uint64_t length = kernel_ms * kMillisecond + step % 7 * 10'000;
      file.range(main, "step " + std::to_string(step), now, length + kMillisecond);
      file.call(main, "cudaLaunchKernel", now + 10'000, 5'000, step + 1);
      file.work(gemm, now + 20'000, length, step + 1);
      now += length + 2 * kMillisecond;
    }
    file.close();
  }
  test::ProcessOutcome compare(const std::vector<std::string>& words) {
    test::ProcessRequest request;
    request.command = {STROBE_BINARY, "compare"};
    request.command.insert(request.command.end(), words.begin(), words.end());
    request.folder = folder_.path().string();
    request.environment = {"PATH=/usr/bin:/bin"};
    return test::run_process(request);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(CompareRuns, the_first_runs_are_compared_and_more_normal_ones_are_the_baseline) {
  record("before/1", 10);
  record("before/2", 10);
  record("before/10", 10);
  record("after/1", 14);
  const test::ProcessOutcome once = compare({"before", "after", "--format", "json"});
  EXPECT_EQ(once.exit_code, 0) << once.err;
  EXPECT_THAT(once.err, IsEmpty()) << "all runs are used";
  const test::ProcessOutcome typed =
      compare({"before/1", "after/1", "--baseline", "before/2,before/10", "--format", "json"});
  EXPECT_EQ(once.out, typed.out);
  EXPECT_THAT(once.out, HasSubstr("before/1"));
}

TEST_F(CompareRuns, all_runs_of_both_folders_are_used) {
  record("before", 10);
  record("after/1", 14);
  record("after/2", 14);
  const test::ProcessOutcome once = compare({"before", "after", "--format", "json"});
  EXPECT_EQ(once.exit_code, 0) << once.err;
  EXPECT_THAT(once.err, IsEmpty());
  EXPECT_THAT(once.out, HasSubstr("\"runs_ms\":"));
  EXPECT_EQ(once.out,
            compare({"before", "after/1", "--repeat", "after/2", "--format", "json"}).out);
}

TEST_F(CompareRuns, the_report_of_the_replaced_script_names_runs_that_it_does_not_use) {
  record("before", 10);
  record("after/1", 14);
  record("after/2", 14);
  const test::ProcessOutcome outcome = compare({"before", "after", "--compat"});
  EXPECT_THAT(outcome.err, HasSubstr("before and after/1 are compared; not used: after/2"));
}

}  // namespace
}  // namespace strobe::cli
