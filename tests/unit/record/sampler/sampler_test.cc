#include "strobe/record/sampler/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "strobe/record/run_contents.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

using std::chrono::milliseconds;
using testing::TemporaryFolder;

struct LooksSeen {
  std::atomic<int> looks = 0;
  std::atomic<int> last_looks = 0;
  std::atomic<int> restarts = 0;
  std::atomic<std::int64_t> shortest_gap_ns = 1'000'000'000'000;
};

class WatchedSource : public Source {
 public:
  WatchedSource(HostFile& file, LooksSeen& seen, milliseconds takes = milliseconds(0))
      : file_(file), seen_(seen), takes_(takes) {}
  void look(std::int64_t now_ns) override {
    if (last_ns_ != 0) {
      seen_.shortest_gap_ns = std::min<std::int64_t>(seen_.shortest_gap_ns, now_ns - last_ns_);
    }
    last_ns_ = now_ns;
    ++seen_.looks;
    file_.log().add({.metric = "looks"}, now_ns, seen_.looks);
    std::this_thread::sleep_for(takes_);
  }
  void look_last(std::int64_t now_ns) override {
    ++seen_.last_looks;
    file_.log().add({.metric = "last"}, now_ns, 1);
  }
  void restart() override { ++seen_.restarts; }

 private:
  HostFile& file_;
  LooksSeen& seen_;
  milliseconds takes_;
  std::int64_t last_ns_ = 0;
};

class SamplerTest : public ::testing::Test {
 protected:
  void SetUp() override { open(std::nullopt); }
  void open(std::optional<std::int64_t> keep_ns) {
    file_ = std::move(*HostFile::open(folder_ / (keep_ns ? "parts" : "host"), {}, keep_ns));
  }
  std::uint64_t samples_in_file() {
    return contents_of_file(folder_ / "host")->rows_of(wire::ChunkKind::kSamples);
  }
  static void wait_for(const std::atomic<int>& count, int least) {
    for (int i = 0; i < 60'000 && count < least; ++i) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    EXPECT_GE(count, least);
  }

  TemporaryFolder folder_;
  std::unique_ptr<HostFile> file_;
  LooksSeen seen_;
};

TEST_F(SamplerTest, a_source_is_looked_at_until_the_end_and_once_more) {
  Sampler sampler(*file_);
  sampler.add(std::make_unique<WatchedSource>(*file_, seen_), {.period_ns = 5'000'000});
  sampler.start();
  wait_for(seen_.looks, 10);
  sampler.stop();
  EXPECT_EQ(seen_.last_looks, 1);
  EXPECT_EQ(samples_in_file(), static_cast<std::uint64_t>(seen_.looks) + 1);
  EXPECT_GE(sampler.cost().seconds, 0.045);
  EXPECT_LT(sampler.cost().cpu_seconds, sampler.cost().seconds);
}

TEST_F(SamplerTest, a_source_that_is_too_slow_is_not_looked_at_in_bursts) {
  Sampler sampler(*file_);
  sampler.add(std::make_unique<WatchedSource>(*file_, seen_, milliseconds(12)),
              {.period_ns = 5'000'000});
  sampler.start();
  wait_for(seen_.looks, 5);
  sampler.stop();
  EXPECT_GE(seen_.shortest_gap_ns, 12'000'000);
}

TEST_F(SamplerTest, a_source_can_be_added_while_the_thread_runs) {
  Sampler sampler(*file_);
  sampler.start();
  std::this_thread::sleep_for(milliseconds(20));
  sampler.add(std::make_unique<WatchedSource>(*file_, seen_), {.period_ns = 1'000'000'000});
  wait_for(seen_.looks, 1);
}

TEST_F(SamplerTest, a_flush_is_in_the_file_when_it_returns) {
  Sampler sampler(*file_);
  sampler.add(std::make_unique<WatchedSource>(*file_, seen_), {.period_ns = 5'000'000});
  sampler.start();
  wait_for(seen_.looks, 3);
  const auto looked = static_cast<std::uint64_t>(seen_.looks);  // it is written once a second
  sampler.flush();
  EXPECT_GE(samples_in_file(), looked);
}

TEST_F(SamplerTest, samples_are_written_once_a_second) {
  Sampler sampler(*file_);
  sampler.add(std::make_unique<WatchedSource>(*file_, seen_), {.period_ns = 100'000'000});
  sampler.start();
  for (int i = 0; i < 600 && samples_in_file() < 9; ++i) {
    std::this_thread::sleep_for(milliseconds(100));
  }
  EXPECT_GE(samples_in_file(), 9u);
}

TEST_F(SamplerTest, sources_are_told_that_a_new_part_has_begun) {
  open(1'000'000'000);
  Sampler sampler(*file_);
  sampler.add(std::make_unique<WatchedSource>(*file_, seen_), {.period_ns = 50'000'000});
  sampler.start();
  wait_for(seen_.restarts, 1);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "parts.part1"));
}

TEST_F(SamplerTest, nothing_looks_while_somebody_reads) {
  Sampler sampler(*file_);
  sampler.add(std::make_unique<WatchedSource>(*file_, seen_), {.period_ns = 1'000'000});
  sampler.start();
  wait_for(seen_.looks, 2);
  sampler.between_looks([&] {
    const int before = seen_.looks;
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(seen_.looks, before);
  });
}

TEST_F(SamplerTest, a_thread_that_never_started_can_be_stopped_and_flushed) {
  Sampler sampler(*file_);
  sampler.flush();
  sampler.stop();
}

TEST_F(SamplerTest, the_thread_takes_no_signals) {
  // They are for the thread that waits for the program, which then can act at once.
  class MaskSource : public Source {
   public:
    explicit MaskSource(std::atomic<int>& blocked) : blocked_(blocked) {}
    void look(std::int64_t) override {
      sigset_t mask;
      pthread_sigmask(SIG_BLOCK, nullptr, &mask);
      blocked_ = sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGUSR2) == 1 ? 1 : 2;
    }

   private:
    std::atomic<int>& blocked_;
  };
  std::atomic<int> blocked = 0;
  Sampler sampler(*file_);
  sampler.add(std::make_unique<MaskSource>(blocked), {.period_ns = 1'000'000});
  sampler.start();
  wait_for(blocked, 1);
  EXPECT_EQ(blocked, 1);
}

}  // namespace
}  // namespace strobe::record
