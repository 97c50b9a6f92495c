#include "strobe/record/torch_hook.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

using strobe::test::ProcessOutcome;
using testing::bytes_of;
using testing::put_bytes;

// A Python whose torch is a fake that tells which profiler is on.
class TorchHookTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(packages_ / "torch");
    put_bytes(packages_ / "torch/__init__.py",
              bytes_of(STROBE_SOURCE_DIR "/tests/support/torch_hook_fake.py"));
  }
  ProcessOutcome run_program(const std::vector<std::string>& arguments, bool with_hook = true) {
    const Result<TorchHookFolder> hook = TorchHookFolder::make();
    EXPECT_TRUE(hook);
    std::vector<std::string> command = {"/usr/bin/env", "python3"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const std::string own = packages_.path().string();
    return test::run_process(
        {.command = command,
         .folder = "/tmp",
         .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE=1",
                         "FAKE_TORCH=" + kind_of_torch_,
                         "PYTHONPATH=" + (with_hook ? hook->python_path(own) : own)}});
  }
  // What the program prints; it must not print anything else, and not fail.
  std::string output_of(const std::string& scenario, bool with_hook = true) {
    const ProcessOutcome outcome =
        run_program({STROBE_SOURCE_DIR "/tests/support/torch_hook_calls.py", scenario}, with_hook);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }

  testing::TemporaryFolder packages_;
  std::string kind_of_torch_;
};

TEST(TorchHook, the_source_travels_in_the_binary) {
  EXPECT_TRUE(torch_hook_source() ==
              bytes_of(STROBE_SOURCE_DIR "/src/strobe/record/torch_hook.py"));
}

TEST(TorchHook, its_folder_is_there_while_it_is_needed) {
  std::filesystem::path path;
  {
    const Result<TorchHookFolder> hook = TorchHookFolder::make();
    ASSERT_TRUE(hook) << hook.error().what;
    path = hook->path();
    EXPECT_TRUE(bytes_of(path / "sitecustomize.py") == torch_hook_source());
    EXPECT_EQ(hook->python_path(""), path.string());
    EXPECT_EQ(hook->python_path("/a:/b"), path.string() + ":/a:/b");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TorchHook, a_folder_that_cannot_be_made_is_an_error) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  const testing::TemporaryFolder folder;
  {
    const testing::FullDisk full_disk;
    const Result<TorchHookFolder> hook = TorchHookFolder::make();
    ASSERT_FALSE(hook);
    EXPECT_EQ(hook.error().code, ErrorCode::kCannotWrite);
  }
  setenv("TMPDIR", (folder.path() / "missing").c_str(), 1);
  const Result<TorchHookFolder> elsewhere = TorchHookFolder::make();  // falls back to /tmp
  EXPECT_TRUE(elsewhere);
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

TEST_F(TorchHookTest, threads_that_can_be_switched_off_again_are_switched_on) {
  EXPECT_EQ(output_of("threads"),
            "torch is there: True\n"
            "main: NVTX True\n"
            "thread: NVTX\n"
            "daemon: None\n"
            "failing: NVTX\n"
            "its loader: SourceFileLoader set()\n"
            "path: []\n"
            "at exit: None\n");
}

TEST_F(TorchHookTest, without_it_nothing_is_switched_on) {
  EXPECT_EQ(output_of("import", false), "imported: None\npath: []\nat exit: None\n");
}

// torch refuses a second profiler in a thread.
TEST_F(TorchHookTest, it_steps_aside_for_a_profiler_of_the_program) {
  EXPECT_EQ(output_of("profiler"),
            "inside: KINETO\n"
            "thread inside: NVTX\n"
            "result: result of KINETO NVTX True\n"
            "error: no such profiler NVTX\n"
            "error: Can't disable Kineto profiler when it's not running NVTX\n"
            "its own ranges: NVTX\n"
            "after: NVTX\n"
            "_enable_profiler Enables.\n"
            "path: []\n"
            "at exit: None\n");
}

TEST_F(TorchHookTest, processes_that_the_program_starts_are_switched_on) {
  EXPECT_EQ(output_of("children"),
            "spawned: NVTX\n"
            "at exit: None\n"
            "forked: NVTX\n"
            "path: []\n"
            "at exit: None\n");
}

TEST_F(TorchHookTest, an_import_in_another_thread_switches_on_the_threads_that_follow) {
  EXPECT_EQ(output_of("late"), "main: None\nthread: NVTX\npath: []\nat exit: None\n");
}

TEST_F(TorchHookTest, an_import_that_fails_may_be_tried_again) {
  kind_of_torch_ = "broken";
  EXPECT_EQ(output_of("again"),
            "error: libcudart is missing\nthen: NVTX\npath: []\nat exit: None\n");
}

TEST_F(TorchHookTest, a_torch_of_another_make_is_left_alone) {
  for (const char* kind : {"nocuda", "changed"}) {
    kind_of_torch_ = kind;
    EXPECT_EQ(output_of("import"), "imported: None\npath: []\nat exit: None\n") << kind;
  }
  kind_of_torch_ = "bare";
  EXPECT_EQ(output_of("import"), "imported: None\npath: []\n");
}

TEST_F(TorchHookTest, the_sitecustomize_of_the_user_runs_as_before) {
  put_bytes(packages_ / "sitecustomize.py", "import sys\nprint('mine:', __name__, __file__)\n");
  const std::string script =
      "import sitecustomize, torch; print(sitecustomize.__file__, torch.what_is_on())";
  const std::string own = (packages_ / "sitecustomize.py").string();
  const ProcessOutcome outcome = run_program({"-c", script});
  EXPECT_EQ(outcome.out, "mine: sitecustomize " + own + "\n" + own + " NVTX\n" + "at exit: None\n");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(TorchHookTest, an_error_in_the_sitecustomize_of_the_user_looks_as_before) {
  put_bytes(packages_ / "sitecustomize.py", "raise ValueError('of the user')\n");
  const ProcessOutcome with_hook = run_program({"-c", "print('runs')"});
  const ProcessOutcome without = run_program({"-c", "print('runs')"}, false);
  EXPECT_EQ(with_hook.out, "runs\n");
  EXPECT_EQ(with_hook.err, without.err);
  EXPECT_NE(with_hook.err, "");
}

}  // namespace
}  // namespace strobe::record
