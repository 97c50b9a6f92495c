#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include "strobe/analysis/tables/summary.h"
#include "strobe/paddle/summary_text.h"
#include "strobe/readers/trace_cache.h"
#include "strobe/trace/trace_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

// Disks lose bits and jobs are killed: whatever happens to a cached trace, the answer is that of
// the original file.
namespace strobe::readers {
namespace {

namespace fs = std::filesystem;
using testing::bytes_of;
using testing::put_bytes;

std::string answer_of(const LoadedTrace& loaded) {
  analysis::SummaryOptions classic;
  classic.rules = analysis::TreeRules::kCompatible;
  return paddle::summary_text(loaded.trace, analysis::summarize(loaded.trace, classic), {});
}

class DamagedCacheTest : public ::testing::TestWithParam<const char*> {
 protected:
  DamagedCacheTest() {
    cache_.folder = folder_ / "cache";
    cache_.least_file_bytes = 0;
    const LoadedTrace first = read();
    EXPECT_TRUE(store_trace(first, cache_));
    answer_ = answer_of(first);
    text_ = testing::describe(first.trace);
    for (const std::string& name : testing::names_in(cache_.folder)) {
      if (name.ends_with(".trace")) file_ = cache_.folder / name;
    }
    bytes_ = bytes_of(file_);
  }

  LoadedTrace read() {
    const fs::path path = fs::path(STROBE_SOURCE_DIR) / "examples" / GetParam();
    return read_trace_cached(path, {.threads = 2}, cache_).value();
  }

  testing::TemporaryFolder folder_;
  CacheOptions cache_;
  fs::path file_;
  std::string bytes_;
  std::string answer_;
  std::string text_;
};

TEST_P(DamagedCacheTest, whole_it_gives_the_same_trace) {
  const LoadedTrace cached = read();
  ASSERT_TRUE(cached.is_from_cache);
  EXPECT_EQ(testing::describe(cached.trace), text_);
  EXPECT_EQ(answer_of(cached), answer_);
}

TEST_P(DamagedCacheTest, flipped_cut_or_zeroed_anywhere_it_changes_no_answer) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = bytes_;
    const std::size_t at = random() % damaged.size();
    if (round % 3 == 0) {
      damaged.resize(at);
    } else if (round % 3 == 1) {
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    } else {
      const std::size_t length = std::min<std::size_t>(damaged.size() - at, 1 + random() % 8192);
      damaged.replace(at, length, length, '\0');
    }
    put_bytes(file_, damaged);
    EXPECT_EQ(map_trace_file(file_).has_value(), damaged == bytes_) << round << " at " << at;
    if (round % 15 > 2) continue;
    const LoadedTrace loaded = read();
    EXPECT_EQ(loaded.is_from_cache, damaged == bytes_) << round << " at " << at;
    ASSERT_EQ(answer_of(loaded), answer_) << round << " at " << at;
  }
  put_bytes(file_, "");
  const LoadedTrace loaded = read();
  ASSERT_TRUE(store_trace(loaded, cache_));
  EXPECT_TRUE(read().is_from_cache) << "rebuilt";
  EXPECT_EQ(bytes_of(file_), bytes_);
}

INSTANTIATE_TEST_SUITE_P(Examples, DamagedCacheTest,
                         ::testing::Values("gpt_inference_compiled.json.gz",
                                           "paddle_attention.json.gz"),
                         [](const auto& parameter) {
                           return std::string(parameter.param).substr(0, 4);
                         });

}  // namespace
}  // namespace strobe::readers
