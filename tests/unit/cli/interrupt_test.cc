#include "strobe/cli/interrupt.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "tests/support/process.h"

namespace strobe::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A summary that waits for its trace: a pipe that the test holds open and never fills.
class InterruptTest : public ::testing::Test {
 protected:
  InterruptTest() {
    std::string name = (fs::temp_directory_path() / "strobe-interrupt-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    if (mkfifo((folder_ / "trace.json").c_str(), 0600) != 0) std::abort();
    // For both directions, so that neither side blocks while opening.
    pipe_ = open((folder_ / "trace.json").c_str(), O_RDWR | O_CLOEXEC);
  }
  ~InterruptTest() override {
    close(pipe_);
    fs::remove_all(folder_);
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }

  test::ProcessOutcome interrupted_by(int signal, int times) {
    test::ProcessRequest request;
    request.command = {STROBE_BINARY, "summary", "trace.json", "-o", "out.txt"};
    request.folder = folder_.string();
    test::RunningProcess process(request);
    for (int i = 0; i < 6000 && files().size() < 2; ++i) usleep(10'000);
    EXPECT_EQ(files().size(), 2u) << "the temporary file shows that the work has begun";
    for (int i = 0; i < times; ++i) {
      usleep(100'000);
      kill(process.id(), signal);
    }
    return process.wait();
  }

  fs::path folder_;
  int pipe_ = -1;
};

TEST_F(InterruptTest, control_c_ends_with_130_and_leaves_no_file) {
  const test::ProcessOutcome outcome = interrupted_by(SIGINT, 1);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted"));
  EXPECT_THAT(files(), ElementsAre("trace.json"));
}

TEST_F(InterruptTest, being_told_to_terminate_is_the_same) {
  const test::ProcessOutcome outcome = interrupted_by(SIGTERM, 1);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(files(), ElementsAre("trace.json"));
}

TEST_F(InterruptTest, a_second_signal_ends_at_once_and_still_leaves_no_file) {
  const test::ProcessOutcome outcome = interrupted_by(SIGINT, 2);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(files(), ElementsAre("trace.json"));
}

}  // namespace
}  // namespace strobe::cli
