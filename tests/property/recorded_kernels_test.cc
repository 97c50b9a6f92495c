#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "strobe/device/kernel_name.h"
#include "strobe/readers/counters/kernel_reader.h"

// Recordings of an H200 (driver 580, CUDA 13.0) beside what Nsight Compute 2025.3 counted of the
// same programs on the same machine, minutes apart: `probe` has six kernels of known make, `model`
// is a forward pass of a small language model in PyTorch.
namespace strobe {
namespace {

const std::filesystem::path kRecordings = STROBE_SOURCE_DIR "/tests/data/recordings";

struct Pair {
  const char* name;
  const char* recording;
  const char* ncu;
  double most_dram_points;  // by name, at the median
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

std::map<std::string, double> medians(const KernelTable& table, KernelMetric metric) {
  std::map<std::string, std::vector<double>> values;
  for (std::size_t row = 0; row < table.size(); ++row) {
    values[device::short_name(table.name(row))].push_back(table.value(metric, row).value());
  }
  std::map<std::string, double> middle;
  for (auto& [name, all] : values) {
    std::ranges::sort(all);
    middle[name] = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
  }
  return middle;
}

void expect_near_by_name(const KernelTable& ours, const KernelTable& ncu, KernelMetric metric,
                         double points) {
  const std::map<std::string, double> theirs = medians(ncu, metric);
  for (const auto& [name, value] : medians(ours, metric)) {
    ASSERT_TRUE(theirs.contains(name)) << name;
    EXPECT_NEAR(value, theirs.at(name), points) << name << ' ' << word_of(metric);
  }
}

class RecordedKernels : public ::testing::TestWithParam<Pair> {};

TEST_P(RecordedKernels, the_same_launches_in_the_same_order) {
  const KernelTable ours = read(GetParam().recording);
  const KernelTable ncu = read(GetParam().ncu);
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

TEST_P(RecordedKernels, the_same_time_and_the_same_shares) {
  const KernelTable ours = read(GetParam().recording);
  const KernelTable ncu = read(GetParam().ncu);
  EXPECT_NEAR(total_ns(ours) / total_ns(ncu), 1, 0.03);
  expect_near_by_name(ours, ncu, KernelMetric::kTensorPercent, 1);
  expect_near_by_name(ours, ncu, KernelMetric::kDramPercent, GetParam().most_dram_points);
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

// Where no kernel is run twice, the one before leaves its lines in the cache, as in a real run; a
// replay has flushed them. That moves the small DRAM shares.
INSTANTIATE_TEST_SUITE_P(H200, RecordedKernels,
                         ::testing::Values(Pair{"probe", "probe.strobe", "probe_ncu.csv.gz", 2},
                                           Pair{"model", "model.strobe.gz", "model_ncu.csv.gz", 2},
                                           Pair{"model_no_replay", "model_no_replay.strobe.gz",
                                                "model_ncu.csv.gz", 5}),
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
