#include "strobe/record/dump_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "strobe/record/child_process.h"
#include "strobe/record/control_file.h"
#include "strobe/record/run_manifest.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

namespace fs = std::filesystem;

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::put_bytes;
using testing::TemporaryFolder;

// This process is the recorder.
class DumpRequest : public ::testing::Test {
 protected:
  void SetUp() override {
    relay_ = std::move(*SignalRelay::open());
    relay_->set_gives_dumps(true);
    control_.emplace(std::move(*ControlFile::open(folder_.path())));
    describe(true);
  }
  void describe(bool is_flight_recorder, bool is_finished = false) {
    Recording recording;
    recording.recorder = getpid();
    recording.host = host_name();
    recording.is_finished = is_finished;
    if (is_flight_recorder) recording.settings.last_ms = 1000;
    put_bytes(folder_ / "run.json", manifest_json({recording_json(recording)}));
  }
  // Answers the next request with a dump.
  std::thread answer() {
    return std::thread([this] {
      while (!relay_->take_dump_request()) relay_->wait(milliseconds(20));
      fs::create_directory(folder_ / "dump-4");
    });
  }

  TemporaryFolder folder_;
  std::unique_ptr<SignalRelay> relay_;
  std::optional<ControlFile> control_;
};

TEST_F(DumpRequest, the_recorder_is_asked_and_its_dump_waited_for) {
  fs::create_directory(folder_ / "dump-3");
  std::thread recorder = answer();
  const Result<fs::path> dump = request_dump(getpid());
  recorder.join();
  ASSERT_TRUE(dump) << dump.error().what;
  EXPECT_EQ(dump->filename(), "dump-4");
}

TEST_F(DumpRequest, a_process_of_the_program_leads_to_its_recorder) {
  auto child = ChildProcess::prepare({"sleep", "60"},
                                     {{"STROBE_RUN_FOLDER", folder_.path().string()},
                                      {"STROBE_RUN_RECORDER", std::to_string(getpid())}},
                                     *relay_);
  ASSERT_TRUE(child && child->begin());
  std::thread recorder = answer();
  const Result<fs::path> dump = request_dump(child->id());
  recorder.join();
  kill(child->id(), SIGKILL);
  child->wait(*relay_);
  ASSERT_TRUE(dump) << dump.error().what;
  EXPECT_EQ(dump->filename(), "dump-4");
}

TEST_F(DumpRequest, a_process_that_nobody_records_gets_no_signal) {
  auto child = ChildProcess::prepare(
      {"sleep", "60"}, {{"STROBE_RUN_FOLDER", ""}, {"STROBE_RUN_RECORDER", ""}}, *relay_);
  ASSERT_TRUE(child && child->begin());
  const Result<fs::path> dump = request_dump(child->id());
  ASSERT_FALSE(dump);
  EXPECT_EQ(dump.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(dump.error().what, HasSubstr("neither a recorder nor recorded"));
  EXPECT_FALSE(child->has_ended());
  kill(child->id(), SIGKILL);
  child->wait(*relay_);
}

TEST_F(DumpRequest, a_process_that_does_not_run_is_told) {
  const Result<fs::path> dump = request_dump(4'999'999);
  ASSERT_FALSE(dump);
  EXPECT_THAT(dump.error().hint, HasSubstr("no such process"));
}

TEST_F(DumpRequest, a_recorder_that_keeps_everything_gives_no_dump) {
  describe(false);
  const Result<fs::path> dump = request_dump(getpid());
  ASSERT_FALSE(dump);
  EXPECT_EQ(dump.error().code, ErrorCode::kUnsupported);
  EXPECT_FALSE(relay_->take_dump_request());
}

TEST_F(DumpRequest, a_recorder_that_has_ended_gets_no_signal) {
  describe(true, true);
  EXPECT_FALSE(request_dump(getpid()));
  EXPECT_FALSE(relay_->take_dump_request());
}

TEST_F(DumpRequest, patience_has_an_end) {
  const Result<fs::path> dump = request_dump(getpid(), milliseconds(50));
  ASSERT_FALSE(dump);
  EXPECT_EQ(dump.error().code, ErrorCode::kCannotWrite);
  EXPECT_TRUE(relay_->take_dump_request());
}

}  // namespace
}  // namespace strobe::record
