#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "strobe/base/byte_stream.h"
#include "strobe/readers/trace_reader.h"
#include "tests/property/shared_files.h"
#include "tests/support/trace_text.h"
#include "tests/support/watched.h"

// Every available real trace, compared with a strict JSON parser: no event is lost, whatever the
// file's size and age.
namespace strobe::readers {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> traces_in(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().string().ends_with(".json.gz")) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<fs::path> all_traces() {
  const fs::path source = STROBE_SOURCE_DIR;
  std::vector<fs::path> found = traces_in(source / "examples");
  for (const fs::path& path : traces_in(source / ".." / "shared")) found.push_back(path);
  return found;
}

using Counts = std::map<std::pair<char, std::string>, std::uint64_t>;

Counts count_strictly(const std::string& text) {
  simdjson::dom::parser parser;
  const simdjson::dom::element document = parser.parse(text);
  const simdjson::dom::array events =
      document.is_array() ? document.get_array() : document["traceEvents"].get_array();
  Counts counts;
  for (const simdjson::dom::element event : events) {
    std::string_view phase;
    std::string_view category;
    if (event["ph"].get(phase) != simdjson::SUCCESS) phase = std::string_view("\0", 1);
    if (event["cat"].get(category) != simdjson::SUCCESS) category = "";
    ++counts[{phase[0], std::string(category)}];
  }
  return counts;
}

class SharedTraceTest : public ::testing::TestWithParam<fs::path> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SharedTraceTest);

TEST_P(SharedTraceTest, has_the_events_a_strict_parser_counts_at_any_thread_count) {
  const auto loaded = read_trace(GetParam(), {.threads = 1});
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_FALSE(loaded->report.lost_something()) << testing::describe(loaded->report);

  const std::string text = file_text(GetParam());
  EXPECT_EQ(loaded->report.events, count_strictly(text));
  EXPECT_EQ(loaded->report.text_bytes, text.size());

  // Splitting a large trace gives a sanitizer nothing new to see, and takes it ten seconds.
  if (test::kIsWatched && text.size() > 30'000'000) return;
  const auto split = read_trace_bytes(text, "text", {.threads = 2, .piece_bytes = 300'000});
  ASSERT_TRUE(split) << split.error().what;
  // Compared as a bool: a difference of two large texts is not useful.
  EXPECT_TRUE(testing::describe(split->trace) == testing::describe(loaded->trace));
  EXPECT_EQ(testing::describe(split->report), testing::describe(loaded->report));
}

INSTANTIATE_TEST_SUITE_P(
    All, SharedTraceTest, ::testing::ValuesIn(all_traces()), [](const auto& parameter) {
      const fs::path folder = parameter.param.parent_path();
      std::string name =
          (folder.parent_path().filename() / folder.filename() / parameter.param.filename())
              .string();
      std::replace_if(
          name.begin(), name.end(),
          [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
      return name;
    });

TEST(SharedTracesTest, are_there) {
  STROBE_NEEDS_SHARED();
  EXPECT_GE(all_traces().size(), 9u);
}

}  // namespace
}  // namespace strobe::readers
