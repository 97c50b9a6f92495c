#include "strobe/record/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "strobe/record/provenance.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

using std::chrono::milliseconds;
using testing::bytes_of;
using ::testing::HasSubstr;
using testing::put_bytes;
using testing::TemporaryFolder;

class ChildProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto relay = SignalRelay::open();
    ASSERT_TRUE(relay);
    relay_ = std::move(*relay);
  }

  Result<ChildProcess> script(const std::string& text, const Variables& variables = {}) {
    return ChildProcess::prepare({"sh", "-c", text}, variables, *relay_);
  }
  Ending ending_of(const std::string& text) {
    Result<ChildProcess> child = script(text);
    EXPECT_TRUE(child && child->begin());
    return child->wait(*relay_);
  }

  std::unique_ptr<SignalRelay> relay_;
  TemporaryFolder folder_;
};

TEST_F(ChildProcessTest, a_prepared_process_does_nothing_until_it_begins) {
  const std::string said = (folder_ / "said").string();
  Result<ChildProcess> child = script("echo $WORD > " + said, {{"WORD", "hello"}});
  ASSERT_TRUE(child);
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_TRUE(is_alive(child->id()));
  EXPECT_FALSE(child->has_ended());
  EXPECT_FALSE(std::filesystem::exists(said));
  ASSERT_TRUE(child->begin());
  EXPECT_TRUE(child->wait(*relay_).is_success());
  EXPECT_EQ(bytes_of(said), "hello\n");
}

TEST_F(ChildProcessTest, a_process_that_never_begins_leaves_nothing_behind) {
  pid_t id = 0;
  {
    Result<ChildProcess> child = script("exit 0");
    ASSERT_TRUE(child);
    id = child->id();
  }
  EXPECT_FALSE(is_alive(id));
}

TEST_F(ChildProcessTest, the_end_is_told_as_a_shell_tells_it) {
  EXPECT_EQ(shell_code(ending_of("exit 7")), 7);
  const Ending killed = ending_of("kill -9 $$");
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(shell_code(killed), 128 + SIGKILL);
  EXPECT_FALSE(killed.is_success());
}

TEST_F(ChildProcessTest, an_ended_program_is_still_shown_until_its_end_is_asked_for) {
  Result<ChildProcess> child = script("exit 0");
  ASSERT_TRUE(child && child->begin());
  while (!child->has_ended()) relay_->wait(milliseconds(1000));
  EXPECT_TRUE(std::filesystem::exists("/proc/" + std::to_string(child->id()) + "/stat"));
  ASSERT_TRUE(child->ending());
  EXPECT_FALSE(is_alive(child->id()));
}

TEST_F(ChildProcessTest, signals_go_to_the_program_and_ask_strobe_to_end) {
  Result<ChildProcess> child = script("trap 'exit 5' TERM; kill -TERM " + std::to_string(getpid()) +
                                      "; for i in $(seq 100); do sleep 0.1; done");
  ASSERT_TRUE(child && child->begin());
  EXPECT_EQ(child->wait(*relay_).exit_code, 5);
  EXPECT_TRUE(relay_->wants_end());
}

TEST_F(ChildProcessTest, a_signal_that_only_tells_something_ends_nothing) {
  Result<ChildProcess> child = script("trap 'exit 6' USR1; kill -USR1 " + std::to_string(getpid()) +
                                      "; for i in $(seq 100); do sleep 0.1; done");
  ASSERT_TRUE(child && child->begin());
  EXPECT_EQ(child->wait(*relay_).exit_code, 6);
  EXPECT_FALSE(relay_->wants_end());
}

TEST_F(ChildProcessTest, a_request_for_a_dump_stays_with_strobe) {
  relay_->set_gives_dumps(true);
  EXPECT_EQ(ending_of("kill -USR2 " + std::to_string(getpid()) + "; sleep 0.1; exit 4").exit_code,
            4);
  EXPECT_TRUE(relay_->take_dump_request());
  EXPECT_FALSE(relay_->take_dump_request());
  EXPECT_FALSE(relay_->wants_end());
}

TEST_F(ChildProcessTest, where_there_are_no_dumps_the_signal_is_the_program_s) {
  Result<ChildProcess> child = script("trap 'exit 6' USR2; kill -USR2 " + std::to_string(getpid()) +
                                      "; for i in $(seq 100); do sleep 0.1; done");
  ASSERT_TRUE(child && child->begin());
  EXPECT_EQ(child->wait(*relay_).exit_code, 6);
  EXPECT_FALSE(relay_->take_dump_request());
  EXPECT_FALSE(relay_->wants_end());
}

TEST_F(ChildProcessTest, a_signal_that_came_before_the_wait_wakes_it) {
  relay_->set_gives_dumps(true);
  kill(getpid(), SIGUSR2);
  relay_->wait();  // hangs if it is missed
  EXPECT_TRUE(relay_->take_dump_request());
}

TEST_F(ChildProcessTest, the_program_has_the_usual_handlers) {
  // strobe ignores a full file and a closed pipe; the program must not.
  EXPECT_EQ(ending_of("kill -XFSZ $$; exit 1").signal, SIGXFSZ);
  EXPECT_EQ(ending_of("kill -PIPE $$; exit 1").signal, SIGPIPE);
  EXPECT_EQ(ending_of("kill -USR2 $$; exit 1").signal, SIGUSR2);
}

TEST_F(ChildProcessTest, pipes_that_were_ignored_before_strobe_stay_ignored) {
  relay_.reset();
  relay_ = std::move(*SignalRelay::open(true));
  EXPECT_EQ(ending_of("kill -PIPE $$; exit 1").exit_code, 1);
}

TEST_F(ChildProcessTest, a_program_that_cannot_be_started_says_why) {
  const auto code_of_start = [&](const std::string& program) {
    Result<ChildProcess> child = ChildProcess::prepare({program}, {}, *relay_);
    EXPECT_TRUE(child);
    const pid_t id = child->id();
    const Result<void> begun = child->begin();
    EXPECT_FALSE(begun);
    EXPECT_FALSE(is_alive(id));
    EXPECT_THAT(begun.error().what, HasSubstr("'" + program + "'"));
    const Result<void> checked = check_program(program);
    EXPECT_FALSE(checked);
    EXPECT_EQ(checked.error().what, begun.error().what);
    return begun.error().code;
  };
  EXPECT_EQ(code_of_start("no_such_program"), ErrorCode::kNotFound);
  EXPECT_EQ(code_of_start("/no/such/program"), ErrorCode::kNotFound);
  EXPECT_EQ(code_of_start(folder_.path().string()), ErrorCode::kMachineLacks);
  put_bytes(folder_ / "plain", "text");
  EXPECT_EQ(code_of_start((folder_ / "plain").string()), ErrorCode::kMachineLacks);
}

TEST_F(ChildProcessTest, programs_are_found_as_in_a_shell) {
  EXPECT_TRUE(check_program("sh"));
  EXPECT_TRUE(check_program("/bin/sh"));
}

TEST_F(ChildProcessTest, orphans_are_adopted_and_waited_for) {
  ASSERT_TRUE(adopt_orphans());
  const std::string said = (folder_ / "said").string();
  const std::string asked = (folder_ / "asked").string();
  Result<ChildProcess> child = script("(until test -e " + asked +
                                      "; do sleep 0.02; done; echo late > " + said + ") & exit 0");
  ASSERT_TRUE(child && child->begin());
  EXPECT_TRUE(child->wait(*relay_).is_success());
  EXPECT_FALSE(wait_for_adopted(*relay_, milliseconds(0)));
  put_bytes(asked, "");
  EXPECT_TRUE(wait_for_adopted(*relay_, milliseconds(60'000)));
  EXPECT_EQ(bytes_of(said), "late\n");
}

TEST_F(ChildProcessTest, an_orphan_that_ends_does_not_take_the_program_with_it) {
  ASSERT_TRUE(adopt_orphans());
  Result<ChildProcess> child = script("(exit 0) & sleep 0.2; exit 3");
  ASSERT_TRUE(child && child->begin());
  while (!child->has_ended()) {
    relay_->wait(milliseconds(1000));
    reap_adopted(*child);
  }
  ASSERT_TRUE(child->ending());
  EXPECT_EQ(child->ending()->exit_code, 3);
}

}  // namespace
}  // namespace strobe::record
