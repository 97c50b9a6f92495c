#include "strobe/serve/trace_finder.h"

#include <gtest/gtest.h>

#include "strobe/wire/run_file.h"
#include "tests/support/temporary_folder.h"

namespace strobe::serve {
namespace {

using test::kOneSlice;
using test::LogFolder;

constexpr std::string_view kRecordingNow =
    R"({"strobe_run":1,"recordings":[{"state":"recording","recorder":42}]})";

TraceFinder finder_of(const std::filesystem::path& place) {
  return {std::move(RunFolder::open({place.string()})).value(), [](auto, auto&) { return true; }};
}

TEST(TraceFinderTest, a_file_of_a_run_knows_that_the_run_is_being_recorded) {
  const LogFolder logs;
  logs.write("run.json", kRecordingNow);
  const auto file = logs.write("process-7.strobe", std::string(wire::kChunkMagic, 8) + "data");
  const SeenFolder seen = finder_of(file).scan();
  ASSERT_EQ(seen.traces.size(), 1u);
  EXPECT_TRUE(seen.traces[0].is_of_run);
  EXPECT_TRUE(seen.traces[0].is_recording);
  ASSERT_EQ(seen.recorded.size(), 1u);
  EXPECT_EQ(seen.recorded.begin()->first, seen.traces[0].trace.run);
}

TEST(TraceFinderTest, a_folder_is_looked_at_once_in_each_scan) {
  const LogFolder logs;
  logs.write("run.json", kRecordingNow);
  for (const char* name : {"process-7.strobe", "process-8.strobe", "process-9.strobe"}) {
    logs.write(name, std::string(wire::kChunkMagic, 8) + "data");
  }
  int looks = 0;
  constexpr std::int64_t kAsksAtOnce = 0;
  TraceFinder finder(
      std::move(RunFolder::open({logs.path().string()})).value(),
      [&](auto, auto&) { return ++looks > 0; }, kAsksAtOnce);
  EXPECT_EQ(finder.scan().traces.size(), 3u);
  EXPECT_EQ(looks, 1);
  finder.scan();
  EXPECT_EQ(looks, 2);
}

TEST(TraceFinderTest, another_trace_in_the_folder_of_a_run_is_not_recorded_by_strobe) {
  const LogFolder logs;
  logs.write("run.json", kRecordingNow);
  logs.write("trace.json", kOneSlice);
  const SeenFolder seen = finder_of(logs.path()).scan();
  ASSERT_EQ(seen.traces.size(), 1u);
  EXPECT_FALSE(seen.traces[0].is_of_run);
  EXPECT_FALSE(seen.traces[0].is_recording);
}

TEST(TraceFinderTest, a_folder_without_run_json_is_as_before) {
  const LogFolder logs;
  logs.write("trace.json", kOneSlice);
  TraceFinder finder = finder_of(logs.path());
  const SeenFolder seen = finder.scan();
  ASSERT_EQ(seen.traces.size(), 1u);
  EXPECT_TRUE(seen.recorded.empty());
  EXPECT_EQ(finder.label(), logs.path().string());
  EXPECT_EQ(seen.traces[0].trace.stamp, *stamp_of(logs.path() / "trace.json"));
}

TEST(TraceFinderTest, a_file_that_was_empty_at_first_is_looked_at_again) {
  const LogFolder logs;
  logs.write("run.json", kRecordingNow);
  const auto file = logs.write("process-7.strobe", "");
  TraceFinder finder = finder_of(file);
  EXPECT_FALSE(finder.scan().traces[0].is_of_run);
  logs.write("process-7.strobe", std::string(wire::kChunkMagic, 8));
  EXPECT_TRUE(finder.scan().traces[0].is_of_run);
}

}  // namespace
}  // namespace strobe::serve
