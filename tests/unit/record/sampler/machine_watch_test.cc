#include "strobe/record/sampler/machine_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "strobe/record/run_contents.h"
#include "tests/support/temporary_folder.h"

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

}  // namespace
}  // namespace strobe::record
