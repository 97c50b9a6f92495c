#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/base/byte_stream.h"
#include "strobe/bench/results/foreign_tables.h"
#include "strobe/report/bench/bench_page.h"
#include "tests/property/shared_files.h"

// The choices of another program's tuner for a layout kernel on one card.
namespace strobe::report {
namespace {

namespace fs = std::filesystem;
using ::testing::StartsWith;

const fs::path kTuned = STROBE_SOURCE_DIR "/../shared/data/fusion_autotune.csv";

TEST(FusionAutotune, the_most_frequent_block_is_32x64) {
  STROBE_NEEDS_SHARED();
  const auto text = read_text(kTuned, 1 << 20);
  ASSERT_TRUE(text);
  ASSERT_TRUE(bench::looks_like_tuned_shapes(*text));
  const auto tuned = bench::parse_tuned_shapes(*text, kTuned.string());
  ASSERT_TRUE(tuned) << tuned.error().what;
  EXPECT_TRUE(tuned->remarks.empty());
  const auto page = tuning_page(*tuned, {});
  ASSERT_TRUE(page) << page.error().what;
  const Section& section = page->sections.at(0);
  EXPECT_EQ(section.table.rows.size(), 24u);
  EXPECT_THAT(section.notes.at(0), StartsWith("blocks: 32x64 (9 of 24 shapes), 32x16 (8), "));
  EXPECT_EQ(section.notes.at(1), "warps: 2 (16 of 24 shapes), 4 (8)");
}

}  // namespace
}  // namespace strobe::report
