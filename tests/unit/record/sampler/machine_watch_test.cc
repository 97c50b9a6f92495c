#include "strobe/record/sampler/machine_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "strobe/record/run_contents.h"
#include "strobe/wire/run_file_chunks.h"
#include "tests/support/stub_cuda/stub_nvml.h"
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

// The times of all samples of a metric in a file.
std::vector<std::int64_t> sample_times_of(const std::filesystem::path& file,
                                          std::string_view metric) {
  const std::string bytes = testing::bytes_of(file);
  wire::ChunkCursor cursor({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  std::vector<std::string> texts;
  std::vector<std::string> metrics;  // by series
  std::vector<std::int64_t> times;
  while (const auto chunk = cursor.next()) {
    const wire::ChunkKind kind = chunk->header.kind;
    if (kind == wire::ChunkKind::kTexts) {
      for (const std::string_view text : wire::decode_texts(*chunk)) texts.emplace_back(text);
    }
    if (kind != wire::ChunkKind::kSeries && kind != wire::ChunkKind::kSamples) continue;
    std::vector<std::vector<std::uint64_t>> columns;
    EXPECT_TRUE(wire::decode_columns(*chunk, columns));
    for (std::size_t row = 0; row < chunk->header.rows; ++row) {
      if (kind == wire::ChunkKind::kSeries) {
        metrics.push_back(texts.at(columns[wire::kSeriesMetric][row]));
      } else if (metrics.at(columns[wire::kSampleSeries][row]) == metric) {
        times.push_back(static_cast<std::int64_t>(columns[wire::kSampleTime][row]));
      }
    }
  }
  return times;
}

class MachineWatchDevices : public test::WithStubNvml {};

// To find them may take long: a reading behind it would be later than its time says.
TEST_F(MachineWatchDevices, other_recorders_are_looked_for_behind_the_readings) {
  constexpr const char* kAskForPower = "0.field.186";
  struct Look {
    std::int64_t time_ns;
    unsigned readings;
  };
  std::vector<Look> looks;
  unsigned before = 0;
  const TemporaryFolder folder;
  auto file = std::move(*HostFile::open(folder / "host", {}, {}));
  MachineLock lock(folder.path(), "here", {});
  Sampler sampler(*file);
  MachineWatch watch({}, [&](const ProcessAccess& access) {
    auto opened = DeviceSampler::open(nvml("0.field.186=412500"), access);
    before = calls(kAskForPower);
    return opened;
  });
  const RunWatch::Place place = {
      .root = getpid(), .file = *file, .machine = lock, .other_recorders = [&] {
        looks.push_back({wire::run_clock_ns(), calls(kAskForPower) - before});
        return std::vector<pid_t>{};
      }};
  watch.begin(sampler, place);
  watch.begin_devices(sampler, place);
  sampler.start();
  const auto looks_so_far = [&] {
    std::size_t count = 0;
    sampler.between_looks([&] { count = looks.size(); });
    return count;
  };
  for (int i = 0; i < 6000 && looks_so_far() < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  sampler.stop();
  file->close();

  const std::vector<std::int64_t> times = sample_times_of(folder / "host", "gpu_power_mw");
  EXPECT_FALSE(times.empty());
  EXPECT_GT(looks.size(), 2u);
  for (const Look& look : looks) {
    EXPECT_EQ(std::ranges::count_if(times, [&](std::int64_t each) { return each < look.time_ns; }),
              look.readings);
  }
}

}  // namespace
}  // namespace strobe::record
