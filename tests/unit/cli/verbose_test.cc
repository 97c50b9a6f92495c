#include "strobe/cli/verbose.h"

#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

readers::LoadedTrace a_load() {
  readers::LoadedTrace loaded;
  loaded.path = "a.json.gz";
  loaded.report.event_count = 2;
  loaded.report.file_bytes = 400'000;
  loaded.report.text_bytes = 30'000'000;
  loaded.stages = {{"read and scan", 0.05}, {"merge", 0.01}};
  return loaded;
}

TEST(VerboseTest, a_load_is_told_stage_by_stage_with_its_speed) {
  EXPECT_EQ(load_text(a_load()),
            "strobe: a.json.gz: 30.0 MB (packed 400.0 KB), 2 events, read as \n"
            "strobe:   read and scan         50.0 ms\n"
            "strobe:   merge                 10.0 ms\n"
            "strobe:   load                  60.0 ms     500 MB/s\n");
}

TEST(VerboseTest, nothing_is_said_unless_asked) {
  testing::internal::CaptureStderr();
  Stages silent(Terminal{});
  silent.loaded(a_load());
  silent.end("summarize");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace strobe::cli
