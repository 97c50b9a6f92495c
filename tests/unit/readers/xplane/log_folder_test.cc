#include "strobe/readers/xplane/log_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace strobe::readers::xplane {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LogFolderTest, recordings_come_by_date) {
  const test::LogFolder logs;
  logs.write("plugins/profile/2026_11_20_08_00_00/vm.xplane.pb", "");
  logs.write("plugins/profile/2026_11_19_23_59_00/vm.xplane.pb", "");
  logs.write("plugins/profile/notes.txt", "");
  EXPECT_THAT(recordings_in(logs.path()),
              ElementsAre(logs.path() / "plugins/profile/2026_11_19_23_59_00",
                          logs.path() / "plugins/profile/2026_11_20_08_00_00"));
  EXPECT_THAT(recordings_in(logs.path() / "plugins"), IsEmpty());
}

TEST(LogFolderTest, a_recording_is_known_by_its_place) {
  EXPECT_TRUE(is_recording("logs/plugins/profile/2026_11_20"));
  EXPECT_TRUE(is_recording("/logs/plugins/profile/2026_11_20/"));
  EXPECT_FALSE(is_recording("logs/plugins/profile"));
  EXPECT_FALSE(is_recording("profile/2026_11_20"));
}

TEST(LogFolderTest, json_of_a_host_that_has_a_profile_is_a_copy) {
  std::vector<fs::path> files = {"a/h0.trace.json.gz",       "a/h0.xplane.pb",
                                 "a/h1.trace.json",          "a/h1.xplane.pb.zst",
                                 "a/perfetto_trace.json.gz", "a/other.trace.json"};
  drop_copies(files);
  EXPECT_THAT(files, ElementsAre("a/h0.xplane.pb", "a/h1.xplane.pb.zst", "a/other.trace.json"));
}

TEST(LogFolderTest, without_a_profile_nothing_is_a_copy) {
  std::vector<fs::path> files = {"h0.trace.json.gz", "perfetto_trace.json.gz"};
  drop_copies(files);
  EXPECT_EQ(files.size(), 2u);
}

}  // namespace
}  // namespace strobe::readers::xplane
