#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "strobe/device/kernel_name.h"
#include "strobe/readers/counters/kernel_reader.h"

// Recordings of an H200 (driver 580, CUDA 13.0), compared with the counters of Nsight Compute
// 2025.3 for the same programs on the same machine, minutes apart: `probe` has six known kernels,
// `model` is a small language model in PyTorch. The short ones are eight rounds of the kernels and
// three forward passes; `more` is a hundred rounds, `model_20` twenty passes.
namespace strobe {
namespace {

const std::filesystem::path kRecordings = STROBE_SOURCE_DIR "/tests/data/recordings";

struct Pair {
  const char* name;
  const char* recording;
  const char* ncu;
};

KernelTable read(const char* file) {
  Result<KernelTable> table = readers::read_kernels(kRecordings / file);
  EXPECT_TRUE(table) << table.error().what;
  return std::move(table).value();
}

double total_ns(const KernelTable& table) {
  double total = 0;
  for (const std::int64_t ns : table.durations_ns) total += static_cast<double>(ns);
  return total;
}

// A share of all launches of a name and a grid, weighted by time, and how many they are.
struct WeightedShare {
  double time_ns = 0;
  double percent_ns = 0;
  int launches = 0;
};

std::map<std::string, WeightedShare> shares(const KernelTable& table, KernelMetric metric) {
  std::map<std::string, WeightedShare> shares;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const LaunchShape& grid = table.grids[row];
    WeightedShare& share =
        shares[device::short_name(table.name(row)) + " " + std::to_string(grid.x) + "," +
               std::to_string(grid.y) + "," + std::to_string(grid.z)];
    const auto ns = static_cast<double>(table.durations_ns[row]);
    share.time_ns += ns;
    share.percent_ns += ns * table.value(metric, row).value();
    ++share.launches;
  }
  return shares;
}

// If a kernel ran three times, the cache state of the first launch decides; the rest must agree.
void expect_near_by_kernel(const KernelTable& ours, const KernelTable& ncu, KernelMetric metric,
                           double points) {
  constexpr int kFewLaunches = 4;
  const std::map<std::string, WeightedShare> theirs = shares(ncu, metric);
  double few_ns = 0;
  for (const auto& [name, share] : shares(ours, metric)) {
    ASSERT_TRUE(theirs.contains(name)) << name;
    if (share.launches < kFewLaunches) {
      few_ns += share.time_ns;
      continue;
    }
    EXPECT_NEAR(share.percent_ns / share.time_ns,
                theirs.at(name).percent_ns / theirs.at(name).time_ns, points)
        << name << ' ' << word_of(metric);
  }
  EXPECT_LT(few_ns, 0.01 * total_ns(ours));
}

void expect_same_launches(const KernelTable& ours, const KernelTable& ncu) {
  EXPECT_EQ(ours.source, KernelSource::kRecording);
  EXPECT_TRUE(ours.remarks.empty());
  ASSERT_EQ(ours.size(), ncu.size());
  for (std::size_t row = 0; row < ours.size(); ++row) {
    EXPECT_EQ(device::short_name(ours.name(row)), device::short_name(ncu.name(row))) << row;
    EXPECT_EQ(ours.grids[row], ncu.grids[row]) << row;
    EXPECT_EQ(ours.blocks[row], ncu.blocks[row]) << row;
    EXPECT_EQ(ours.streams[row], ncu.streams[row]) << row;
  }
}

class RecordedKernels : public ::testing::TestWithParam<Pair> {};

TEST_P(RecordedKernels, the_same_launches_in_the_same_order) {
  expect_same_launches(read(GetParam().recording), read(GetParam().ncu));
}

TEST_P(RecordedKernels, the_same_time_and_the_same_shares) {
  const KernelTable ours = read(GetParam().recording);
  const KernelTable ncu = read(GetParam().ncu);
  EXPECT_NEAR(total_ns(ours) / total_ns(ncu), 1, 0.03);
  expect_near_by_kernel(ours, ncu, KernelMetric::kTensorPercent, 1);
  expect_near_by_kernel(ours, ncu, KernelMetric::kDramPercent, 2);
}

TEST_P(RecordedKernels, instructions_are_counted_to_the_last) {
  const KernelTable ours = read(GetParam().recording);
  const KernelTable ncu = read(GetParam().ncu);
  double mine = 0;
  double theirs = 0;
  for (std::size_t row = 0; row < ours.size(); ++row) {
    mine += ours.value(KernelMetric::kInstructions, row).value();
    theirs += ncu.value(KernelMetric::kInstructions, row).value();
  }
  EXPECT_NEAR(mine / theirs, 1, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(H200, RecordedKernels,
                         ::testing::Values(Pair{"probe", "probe.strobe", "probe_ncu.csv.gz"},
                                           Pair{"model", "model.strobe.gz", "model_ncu.csv.gz"},
                                           Pair{"model_no_replay", "model_no_replay.strobe.gz",
                                                "model_ncu.csv.gz"}),
                         [](const auto& pair) { return pair.param.name; });

// No kernel is left out here.
class RecordedAtLength : public ::testing::TestWithParam<Pair> {};

TEST_P(RecordedAtLength, every_kernel_is_within_three_percent_and_two_points) {
  const KernelTable ours = read(GetParam().recording);
  const KernelTable ncu = read(GetParam().ncu);
  expect_same_launches(ours, ncu);
  for (const KernelMetric metric : {KernelMetric::kTensorPercent, KernelMetric::kDramPercent}) {
    const std::map<std::string, WeightedShare> theirs = shares(ncu, metric);
    for (const auto& [name, share] : shares(ours, metric)) {
      ASSERT_TRUE(theirs.contains(name)) << name;
      const WeightedShare& other = theirs.at(name);
      EXPECT_NEAR(share.time_ns / other.time_ns, 1, 0.03) << name;
      EXPECT_NEAR(share.percent_ns / share.time_ns, other.percent_ns / other.time_ns, 2)
          << name << ' ' << word_of(metric);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(H200, RecordedAtLength,
                         ::testing::Values(Pair{"more", "more.strobe.gz", "more_ncu.csv.gz"},
                                           Pair{"model_20", "model_20.strobe.gz",
                                                "model_20_ncu.csv.gz"}),
                         [](const auto& pair) { return pair.param.name; });

TEST(RecordedKernelsDevice, the_device_is_described) {
  const KernelTable table = read("probe.strobe");
  ASSERT_EQ(table.devices.size(), 1u);
  EXPECT_EQ(table.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(table.devices[0].capability, "9.0");
  EXPECT_EQ(table.devices[0].sm_count, 132);
  EXPECT_NEAR(table.devices[0].dram_bytes_per_s, 4.8e12, 0.05e12);
}

}  // namespace
}  // namespace strobe
