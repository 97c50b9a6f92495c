#include "strobe/record/sampler/sample_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strobe/base/file.h"
#include "strobe/wire/run_file_chunks.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

using ::testing::ElementsAre;
using testing::TemporaryFolder;

class SampleLogTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(file_.open(path_)); }

  // The rows of all chunks of a kind, column by column.
  std::vector<std::vector<std::uint64_t>> rows(wire::ChunkKind kind) {
    std::vector<std::vector<std::uint64_t>> all;
    const auto mapped = MappedFile::open(path_);
    EXPECT_TRUE(mapped);
    const std::span<const char> bytes = (*mapped)->bytes();
    wire::ChunkCursor cursor({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    while (const auto chunk = cursor.next()) {
      if (chunk->header.kind != kind) continue;
      std::vector<std::vector<std::uint64_t>> columns;
      EXPECT_TRUE(wire::decode_columns(*chunk, columns));
      all.resize(columns.size());
      for (std::size_t i = 0; i < columns.size(); ++i) {
        all[i].insert(all[i].end(), columns[i].begin(), columns[i].end());
      }
    }
    return all;
  }

  TemporaryFolder folder_;
  std::string path_ = (folder_ / "host.strobe").string();
  wire::RunFileWriter file_;
  SampleLog log_{file_};
};

const SeriesName kPower = {.of = wire::SeriesOf::kDevice, .metric = "gpu_power_mw"};
const SeriesName kLoad = {.metric = "host_load", .scale = -2};

TEST_F(SampleLogTest, samples_of_a_series_stand_together) {
  log_.add(kPower, 10, 70);
  log_.add(kLoad, 10, 3);
  log_.add(kPower, 20, 71);
  log_.flush();
  const auto samples = rows(wire::ChunkKind::kSamples);
  EXPECT_THAT(samples[wire::kSampleSeries], ElementsAre(0, 0, 1));
  EXPECT_THAT(samples[wire::kSampleTime], ElementsAre(10, 20, 10));
  EXPECT_THAT(samples[wire::kSampleValue], ElementsAre(70, 71, 3));
}

TEST_F(SampleLogTest, a_series_is_defined_once) {
  log_.add(kPower, 10, 70);
  log_.flush();
  log_.add(kPower, 20, 71);
  log_.add(kLoad, 20, 5);
  log_.flush();
  const auto series = rows(wire::ChunkKind::kSeries);
  ASSERT_EQ(series[wire::kSeriesOf].size(), 2u);
  EXPECT_EQ(static_cast<std::int64_t>(series[wire::kSeriesScale][1]), -2);
}

TEST_F(SampleLogTest, another_file_defines_its_series_again) {
  log_.add(kPower, 10, 70);
  log_.flush();
  path_ = (folder_ / "next.strobe").string();
  ASSERT_TRUE(file_.next_file(path_));
  log_.restart();
  log_.add(kLoad, 20, 5);
  log_.flush();
  EXPECT_THAT(rows(wire::ChunkKind::kSamples)[wire::kSampleSeries], ElementsAre(0));
  EXPECT_EQ(rows(wire::ChunkKind::kSeries)[wire::kSeriesOf].size(), 1u);
}

constexpr wire::SeriesOf kOfThread = wire::SeriesOf::kThread;

SeriesName name_of_thread(std::uint64_t thread, const std::string& metric) {
  return {.of = kOfThread, .number = 17, .thread = thread, .metric = metric};
}

TEST_F(SampleLogTest, who_gets_the_number_of_a_forgotten_one_has_series_of_its_own) {
  for (const std::uint64_t thread : {18, 19}) {
    log_.add(name_of_thread(thread, "core"), 10, 1);
    log_.add(name_of_thread(thread, "page_faults"), 10, 2);
  }
  log_.flush();
  log_.forget(kOfThread, 17, 18);
  log_.add(name_of_thread(18, "core"), 20, 3);
  log_.add(name_of_thread(19, "core"), 20, 4);
  log_.add(name_of_thread(18, "page_faults"), 20, 5);
  log_.flush();
  EXPECT_EQ(rows(wire::ChunkKind::kSeries)[wire::kSeriesOf].size(), 6u);
  const auto samples = rows(wire::ChunkKind::kSamples);
  EXPECT_THAT(samples[wire::kSampleSeries], ElementsAre(0, 1, 2, 3, 2, 4, 5));
  EXPECT_THAT(samples[wire::kSampleValue], ElementsAre(1, 2, 1, 2, 4, 3, 5));
}

TEST_F(SampleLogTest, the_last_samples_of_a_forgotten_series_are_written) {
  log_.add(name_of_thread(18, "core"), 10, 1);
  log_.forget(kOfThread, 17, 18);
  log_.add(name_of_thread(18, "core"), 20, 2);
  log_.flush();
  const auto samples = rows(wire::ChunkKind::kSamples);
  EXPECT_THAT(samples[wire::kSampleSeries], ElementsAre(0, 1));
  EXPECT_THAT(samples[wire::kSampleValue], ElementsAre(1, 2));
}

TEST_F(SampleLogTest, the_place_of_a_forgotten_series_is_used_again) {
  const SeriesId first = log_.series(name_of_thread(18, "core"));
  log_.flush();
  for (std::uint64_t thread = 19; thread < 100; ++thread) {
    log_.forget(kOfThread, 17, thread - 1);
    log_.flush();
    EXPECT_EQ(log_.series(name_of_thread(thread, "core")), first);
  }
  EXPECT_NE(log_.series(kLoad), first);
}

}  // namespace
}  // namespace strobe::record
