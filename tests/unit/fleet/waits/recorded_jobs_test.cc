#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "strobe/base/byte_stream.h"
#include "strobe/base/file.h"
#include "strobe/fleet/digest/digest_file.h"
#include "strobe/fleet/waits/make_job.h"
#include "strobe/readers/run_reader.h"
#include "tests/support/job_sketch.h"
#include "tests/support/job_text.h"
#include "tests/support/needs_shared.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

// Jobs that were recorded: eight ranks of one tensor-parallel step on GPUs, and eight that trained
// over gloo on the host.
namespace strobe::fleet {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::filesystem::path kTensorParallel = STROBE_SOURCE_DIR "/../shared/traces/megatron_tp8";
const std::filesystem::path kOverGloo = STROBE_SOURCE_DIR "/tests/data/ranks";

std::vector<RankDigest> digests_of(const std::filesystem::path& folder) {
  const auto run = readers::read_run(folder, {}, {});
  EXPECT_TRUE(run) << folder;
  std::vector<RankDigest> digests;
  for (const RankCapture& rank : run->ranks) {
    digests.push_back(make_rank_digest(*rank.trace, rank.rank, {rank.path, "", ""}));
  }
  return digests;
}

std::uint64_t count_of(const Job& job, std::size_t rank, std::uint64_t RankStep::*member) {
  std::uint64_t sum = 0;
  for (const RankStep& step : job.ranks[rank].steps) sum += step.*member;
  return sum;
}

std::vector<std::int64_t> caused_waits(const Job& job) {
  std::vector<std::int64_t> caused;
  for (const RankOfJob& rank : job.ranks) {
    caused.push_back(0);
    for (const RankStep& step : rank.steps) caused.back() += step.caused_wait_ns;
  }
  return caused;
}

void expect_balance(const Job& job) {
  for (const RankOfJob& rank : job.ranks) {
    for (const RankStep& step : rank.steps) {
      EXPECT_EQ(step.own_ns() + step.wait_ns + step.transfer_ns, step.end_ns - step.start_ns);
    }
  }
}

TEST(RecordedJobsTest, all_collectives_of_a_tensor_parallel_step_are_matched) {
  STROBE_NEEDS_SHARED();
  const auto digests = digests_of(kTensorParallel);
  ASSERT_THAT(digests, SizeIs(8));
  for (const RankDigest& digest : digests) {
    EXPECT_THAT(digest.calls, SizeIs(84));
    EXPECT_GT(digest.calls.front().sequence, 0);
    EXPECT_LE(pack_rank_digest(digest)->size(), 16u << 10);
    EXPECT_EQ(*unpack_rank_digest(*pack_rank_digest(digest)), digest);
  }
  const Job job = make_job(digests);
  EXPECT_THAT(job.mismatches, IsEmpty());
  EXPECT_THAT(job.steps, ElementsAre("ProfilerStep#3"));
  ASSERT_THAT(job.collectives, SizeIs(2));
  EXPECT_EQ(job.collectives[0].bytes, 4u * 2048 * 4);
  EXPECT_EQ(job.collectives[0].matched, 3u);
  EXPECT_EQ(job.collectives[1].bytes, 2048u * 4 * 4096 * 2);
  EXPECT_EQ(job.collectives[1].matched, 81u);
  EXPECT_EQ(job.collectives[1].ranks, 8u);
  EXPECT_EQ(job.collectives[1].group, "8 ranks");
  // NVLink of this machine carries 300 GB/s in each direction.
  EXPECT_GT(job.collectives[1].bus_bytes_per_s(), 150e9);
  EXPECT_LT(job.collectives[1].bus_bytes_per_s(), 300e9);
  expect_balance(job);
}

TEST(RecordedJobsTest, two_ranks_hold_up_the_tensor_parallel_step) {
  STROBE_NEEDS_SHARED();
  const Job job = make_job(digests_of(kTensorParallel));
  const auto caused = caused_waits(job);
  const std::int64_t all = std::accumulate(caused.begin(), caused.end(), std::int64_t{0});
  EXPECT_GT(caused[0] + caused[6], all * 9 / 10);
  for (const std::size_t rank : {1, 2, 3, 4, 5, 7}) {
    EXPECT_LT(caused[rank], caused[0] / 4) << rank;
    EXPECT_LT(caused[rank], caused[6] / 4) << rank;
    EXPECT_LT(count_of(job, rank, &RankStep::last), count_of(job, 0, &RankStep::last)) << rank;
    EXPECT_LT(count_of(job, rank, &RankStep::last), count_of(job, 6, &RankStep::last)) << rank;
  }
}

std::string whole_text(const std::filesystem::path& path) {
  const auto stream = open_stream(File::open(path).value()).value();
  std::string text;
  std::string piece(1 << 20, '\0');
  while (const std::size_t bytes = stream->read(piece).value()) text.append(piece, 0, bytes);
  return text;
}

TEST(RecordedJobsTest, a_plain_script_counts_the_same) {
  STROBE_NEEDS_SHARED();
  const testing::TemporaryFolder folder;
  test::ProcessRequest request;
  request.command = {"/usr/bin/env", "python3", STROBE_SOURCE_DIR "/tests/support/recount_job.py"};
  request.folder = folder.path().string();
  if (const char* path = std::getenv("PATH")) {
    request.environment.push_back(std::string("PATH=") + path);
  }
  const std::string job = (folder.path() / "job.json").string();
  std::ofstream(job) << text_of(make_job(digests_of(kTensorParallel), {.align = false}));
  request.command.push_back(job);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kTensorParallel)) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    request.command.push_back((folder.path() / file.stem()).string());
    std::ofstream(request.command.back()) << whole_text(file);
  }
  const auto outcome = test::run_process(request);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

TEST(RecordedJobsTest, wrong_clocks_of_a_recorded_step_are_found_within_20_us) {
  STROBE_NEEDS_SHARED();
  const auto truth = digests_of(kTensorParallel);
  const std::int64_t origin_ns = truth[0].steps[0].interval.start_ns;
  std::int64_t worst_ns = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    stats::Dice dice(seed);
    auto shown = truth;
    for (std::size_t rank = 1; rank < shown.size(); ++rank) {
      set_clock(shown[rank], origin_ns, static_cast<std::int64_t>((dice.share() * 2 - 1) * 1e7),
                (dice.share() * 2 - 1) * 50e-6);
    }
    const auto sorted = by_rank(shown);
    const Clocks clocks = fit_clocks(sorted, match_exchanges(sorted));
    for (std::size_t rank = 0; rank < shown.size(); ++rank) {
      for (std::size_t call = 0; call < shown[rank].calls.size(); ++call) {
        const std::int64_t found_ns =
            clocks.common_ns(rank, shown[rank].calls[call].interval.start_ns);
        worst_ns = std::max<std::int64_t>(
            worst_ns, std::abs(found_ns - truth[rank].calls[call].interval.start_ns));
      }
    }
  }
  EXPECT_LE(worst_ns, 20'000);
}

TEST(RecordedJobsTest, collectives_on_the_host_show_the_rank_that_sleeps) {
  const Job job = make_job(digests_of(kOverGloo / "rank_5_sleeps"));
  EXPECT_THAT(job.mismatches, IsEmpty());
  ASSERT_THAT(job.steps, SizeIs(16));
  ASSERT_THAT(job.collectives, SizeIs(1));
  EXPECT_TRUE(job.collectives[0].on_host);
  EXPECT_EQ(job.collectives[0].matched, 16u);
  expect_balance(job);
  const auto caused = caused_waits(job);
  EXPECT_EQ(std::ranges::max_element(caused) - caused.begin(), 5);
  EXPECT_GE(count_of(job, 5, &RankStep::last), 15u);
  std::vector<std::int64_t> own_ns;
  for (const RankStep& step : job.ranks[5].steps) own_ns.push_back(step.host_ns);
  EXPECT_THAT(own_ns, Each(::testing::Gt(30'000'000)));
}

TEST(RecordedJobsTest, of_equal_ranks_on_the_host_none_causes_most_of_the_waiting) {
  const auto caused = caused_waits(make_job(digests_of(kOverGloo / "equal")));
  const std::int64_t all = std::accumulate(caused.begin(), caused.end(), std::int64_t{0});
  EXPECT_LT(*std::ranges::max_element(caused), all / 2);
}

}  // namespace
}  // namespace strobe::fleet
