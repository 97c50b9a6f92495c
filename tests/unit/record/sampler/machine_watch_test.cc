#include "strobe/record/sampler/machine_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "strobe/record/run_contents.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/record/sampler/played_kernel.h"

namespace strobe::record {
namespace {

using testing::TemporaryFolder;

// Of this process itself, on whatever machine this is.
TEST(MachineWatch, a_real_process_is_sampled_and_what_is_missing_is_told) {
  const TemporaryFolder folder;
  auto file = std::move(*HostFile::open(folder / "host", {}, {}));
  MachineLock lock(folder.path(), "here", {});
  Sampler sampler(*file);
  MachineWatch watch;
  const RunWatch::Place place = {.root = getpid(), .file = *file, .machine = lock};
  watch.begin(sampler, place);
  sampler.start();
  watch.begin_devices(sampler, place);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
  while (std::chrono::steady_clock::now() < end) {
  }
  sampler.stop();
  file->close();

  const std::vector<SourceReport> reports = watch.reports();
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[0].name, "device_metrics");
  EXPECT_EQ(reports[1].name, "host");
  EXPECT_EQ(reports[2].name, "scheduler");
  EXPECT_EQ(reports[1].state, SourceState::kRecorded);
  for (const SourceReport& report : reports) {
    EXPECT_EQ(report.state == SourceState::kRecorded, report.why.empty()) << report.name;
  }
  EXPECT_EQ(reports[0].state == SourceState::kMissing, watch.devices().empty());
  const auto contents = contents_of_file(folder / "host");
  ASSERT_TRUE(contents);
  EXPECT_GT(contents->rows_of(wire::ChunkKind::kSeries), 3u);
  EXPECT_GT(contents->rows_of(wire::ChunkKind::kSamples), 10u);
}

// The kernel allows everything at first, but to read the switches of all cores costs too much.
TEST(MachineWatch, what_a_source_loses_during_the_run_is_told_at_its_end) {
  PlayedKernel kernel;
  SchedulerWaitsOptions waits = kernel.options();
  waits.most_share = 0;
  waits.cost_window_ns = 0;
  const TemporaryFolder folder;
  auto file = std::move(*HostFile::open(folder / "host", {}, {}));
  MachineLock lock(folder.path(), "here", {});
  Sampler sampler(*file);
  MachineWatch watch(std::move(waits));
  watch.begin(sampler, {.root = getpid(), .file = *file, .machine = lock});
  const SourceReport at_start = watch.reports().back();
  EXPECT_EQ(at_start.name, "scheduler");
  EXPECT_EQ(at_start.state, SourceState::kRecorded);
  sampler.start();
  const auto has_lost = [&] {
    bool has = false;
    sampler.between_looks([&] { has = !watch.reports().back().why.empty(); });
    return has;
  };
  for (int i = 0; i < 6000 && !has_lost(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  sampler.stop();
  const SourceReport at_end = watch.reports().back();
  EXPECT_EQ(at_end.state, SourceState::kPartly);
  EXPECT_THAT(at_end.why, ::testing::HasSubstr("the cores switch too often"));
}

}  // namespace
}  // namespace strobe::record
