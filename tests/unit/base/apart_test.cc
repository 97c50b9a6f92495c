#include "strobe/base/apart.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace strobe {
namespace {

using std::chrono::milliseconds;

Result<std::string> endless() {
  while (true) std::this_thread::yield();
}

TEST(RunApartTest, the_answer_and_the_error_come_back_whole) {
  const std::string loaded(1 << 20, 'x');
  const auto answer = run_apart([&] { return Result<std::string>(loaded + "\0y"); }, {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, loaded + "\0y");
  const auto failed = run_apart(
      []() -> Result<std::string> {
        return Error{ErrorCode::kNotFound, "there is none", "line 3", "look"};
      },
      {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(failed.error().what, "there is none");
  EXPECT_EQ(failed.error().where, "line 3");
  EXPECT_EQ(failed.error().hint, "look");
}

TEST(RunApartTest, nothing_here_is_changed) {
  int number = 1;
  ASSERT_TRUE(run_apart(
      [&]() -> Result<std::string> {
        number = 2;
        return std::to_string(number);
      },
      {}));
  EXPECT_EQ(number, 1);
}

// Libraries print: the engine of queries writes its log there if it is told to.
TEST(RunApartTest, what_the_copy_prints_is_not_seen) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::fflush(stdout);
  const int before = dup(STDOUT_FILENO);
  dup2(ends[1], STDOUT_FILENO);
  const auto answer = run_apart(
      []() -> Result<std::string> {
        std::puts("noise");
        std::fflush(stdout);
        return std::string(std::getchar() == EOF ? "nothing to read" : "something");
      },
      {});
  dup2(before, STDOUT_FILENO);
  close(before);
  close(ends[1]);
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, "nothing to read");
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

TEST(RunApartTest, work_that_never_ends_is_ended) {
  const auto answer = run_apart(endless, {.timeout = milliseconds(100)});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(answer.error().what, "it took longer than 0.1 s");
}

TEST(RunApartTest, work_that_nobody_waits_for_is_ended) {
  std::atomic<bool> is_gone = false;
  std::jthread user([&] {
    std::this_thread::sleep_for(milliseconds(50));
    is_gone = true;
  });
  const auto answer = run_apart(endless, {.is_abandoned = [&] { return is_gone.load(); }});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kInterrupted);
}

// A sanitizer ends the process itself, and catches its signals.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(RunApartTest, work_that_takes_all_memory_is_refused) {
  const auto answer = run_apart(
      []() -> Result<std::string> {
        std::vector<std::unique_ptr<char[]>> held;
        while (true) {
          held.push_back(std::make_unique<char[]>(1 << 20));  // zeroed, so touched
        }
      },
      {.memory_bytes = 64 << 20});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kOutOfMemory);
}

TEST(RunApartTest, work_that_crashes_ends_alone) {
  const auto answer = run_apart(
      []() -> Result<std::string> {
        std::raise(SIGSEGV);
        return std::string();
      },
      {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnsupported);
}
#endif

TEST(RunApartTest, no_file_is_written_and_no_descriptor_is_seen) {
  const std::string path = ::testing::TempDir() + "strobe_apart_must_stay_empty";
  unlink(path.c_str());
  const int here = open("/dev/null", O_RDONLY);
  const auto answer = run_apart(
      [&]() -> Result<std::string> {
        std::signal(SIGXFSZ, SIG_IGN);
        const int file = open(path.c_str(), O_CREAT | O_WRONLY, 0600);
        const bool is_written = write(file, "x", 1) == 1;
        const bool is_seen = fcntl(here, F_GETFD) >= 0 && here != file;
        return std::string(is_written ? "written" : "") + (is_seen ? "seen" : "");
      },
      {});
  close(here);
  unlink(path.c_str());
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, "");
}

TEST(RunApartTest, a_long_answer_is_refused) {
  const auto answer = run_apart([] { return Result<std::string>(std::string(3 << 20, 'x')); },
                                {.answer_bytes = 2 << 20});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "the answer is longer than 2 MiB");
}

TEST(RunApartTest, several_threads_may_use_it_at_once) {
  std::vector<std::jthread> threads;
  std::atomic<int> answered = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 5; ++k) {
        const auto answer = run_apart([&] { return Result<std::string>(std::to_string(i)); }, {});
        if (answer && *answer == std::to_string(i)) ++answered;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(answered, 20);
}

}  // namespace
}  // namespace strobe
