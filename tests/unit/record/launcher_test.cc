#include "strobe/record/launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "tests/support/recording_sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

using testing::bytes_of;
using ::testing::HasSubstr;
using testing::put_bytes;
using testing::TemporaryFolder;

RecordRequest shell(const std::string& script) {
  RecordRequest request;
  request.command = {"sh", "-c", script};
  request.settings.metrics = {{"a.sum", "b.sum"}};
  request.settings.kernel_pattern = "gemm";
  request.settings.isolated_pattern = "gather";
  request.settings.library = "/somewhere/libstrobe_inject.so";
  return request;
}

TEST(Launcher, the_program_is_told_through_its_environment) {
  TemporaryFolder folder;
  const std::string said = (folder / "said").string();
  const auto outcome = record_kernels(
      shell("echo $CUDA_INJECTION64_PATH $STROBE_RECORD_METRICS $STROBE_RECORD_KERNEL "
            "$STROBE_RECORD_ISOLATE "
            "[$STROBE_RECORD_LAUNCHES] $(test -d $STROBE_RECORD_FOLDER && echo folder) > " +
            said));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(bytes_of(said), "/somewhere/libstrobe_inject.so a.sum,b.sum gemm gather [] folder\n");
}

TEST(Launcher, sections_are_collected_in_the_order_of_their_beginnings) {
  TemporaryFolder folder;
  test::SectionSketch early;
  test::SectionSketch late;
  early.header.start_unix_ns = 1;
  late.header.start_unix_ns = 2;
  put_bytes(folder / "early", early.metric("first").bytes());
  // A process that is still writing: half a record follows the part that the header confirms.
  put_bytes(folder / "late", late.metric("second").bytes() + "half");
  const std::string from = folder.path().string();
  const auto outcome =
      record_kernels(shell("cp " + from + "/late $STROBE_RECORD_FOLDER/1.strobe; cp " + from +
                           "/early $STROBE_RECORD_FOLDER/2.strobe; echo > "
                           "$STROBE_RECORD_FOLDER/3.strobe"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->processes, 2u);
  EXPECT_EQ(outcome->recording, early.bytes() + late.bytes());
}

TEST(Launcher, the_end_of_the_program_is_told) {
  EXPECT_EQ(record_kernels(shell("exit 7"))->exit_code, 7);
  EXPECT_EQ(record_kernels(shell("kill -9 $$"))->signal, SIGKILL);
}

TEST(Launcher, a_signal_to_strobe_goes_to_the_program) {
  const std::string strobe = std::to_string(getpid());
  const auto outcome = record_kernels(shell("trap 'exit 5' TERM; kill -TERM " + strobe +
                                            "; for i in $(seq 100); do sleep 0.1; done"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit_code, 5);
}

TEST(Launcher, a_signal_that_strobe_ignores_is_ignored_by_the_program) {
  const auto before = std::signal(SIGHUP, SIG_IGN);  // as nohup does
  const auto outcome =
      record_kernels(shell("kill -HUP " + std::to_string(getpid()) + "; kill -HUP $$; exit 6"));
  std::signal(SIGHUP, before);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->signal, 0);
  EXPECT_EQ(outcome->exit_code, 6);
}

TEST(Launcher, a_hang_up_that_is_not_ignored_ends_the_program) {
  EXPECT_EQ(record_kernels(shell("kill -HUP $$; exit 6"))->signal, SIGHUP);
}

TEST(Launcher, a_program_that_cannot_be_started_is_named_with_the_reason) {
  RecordRequest request = shell("");
  request.command = {"no_such_program", "x"};
  const auto outcome = record_kernels(request);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(outcome.error().what, HasSubstr("'no_such_program': No such file"));
}

TEST(Launcher, nothing_is_left_behind) {
  TemporaryFolder folder;
  const std::string said = (folder / "said").string();
  ASSERT_TRUE(record_kernels(shell("printf %s $STROBE_RECORD_FOLDER > " + said)));
  EXPECT_FALSE(std::filesystem::exists(bytes_of(said)));
}

}  // namespace
}  // namespace strobe::record
