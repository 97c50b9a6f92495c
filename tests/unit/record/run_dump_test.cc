#include "strobe/record/run_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "strobe/record/run_contents.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/record/run_file_sketch.h"

namespace strobe::record {
namespace {

namespace fs = std::filesystem;

using testing::bytes_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::names_in;
using ::testing::Not;
using testing::put_bytes;
using testing::TemporaryFolder;

class RunDumpTest : public ::testing::Test {
 protected:
  RunDumpTest() {
    RunFileSketch(folder_ / "process-4.strobe.part0", 4, 17).kernels(5);
    RunFileSketch(folder_ / "process-4.strobe.part1", 4, 17).kernels(7);
    RunFileSketch(folder_ / "host-17.strobe.part3", 4, 17);
  }
  Result<fs::path> dump() {
    return write_dump(folder_.path(), [](const fs::path& folder) {
      Recording recording;
      recording.is_finished = true;
      for (const FileContents& file : process_files(folder, std::nullopt)) {
        recording.files.push_back(recorded_file(file));
      }
      return recording;
    });
  }

  TemporaryFolder folder_;
};

TEST_F(RunDumpTest, a_dump_is_a_run_of_its_own) {
  const Result<fs::path> dumped = dump();
  ASSERT_TRUE(dumped);
  EXPECT_EQ(*dumped, folder_ / "dump-1");
  EXPECT_THAT(names_in(*dumped), ElementsAre("host-17.strobe", "process-4.strobe", "run.json"));
  EXPECT_THAT(bytes_of(*dumped / "run.json"), HasSubstr("\"kernels\":12"));
  EXPECT_TRUE(fs::exists(folder_ / "process-4.strobe.part0"));  // the recorder goes on
}

TEST_F(RunDumpTest, dumps_are_numbered) {
  fs::create_directory(folder_ / "dump-9");
  fs::create_directory(folder_ / "dump-10");
  put_bytes(folder_ / "dump-x", "");
  EXPECT_THAT(dump_numbers(folder_.path()), ElementsAre(9, 10));
  EXPECT_EQ(*dump(), folder_ / "dump-11");
}

TEST_F(RunDumpTest, a_full_disk_leaves_no_half_dump) {
  const auto before = names_in(folder_.path());
  {
    const testing::FullDisk full;
    EXPECT_FALSE(dump());
  }
  EXPECT_EQ(names_in(folder_.path()), before);
}

TEST_F(RunDumpTest, at_the_end_the_parts_become_whole_files) {
  RunFileSketch(folder_ / "process-9.strobe.part0", 9, 18).kernels(1);  // of another rank
  ASSERT_TRUE(join_last_parts(folder_.path(), 17));
  EXPECT_THAT(names_in(folder_.path()),
              ElementsAre("host-17.strobe", "process-4.strobe", "process-9.strobe.part0"));
  EXPECT_EQ(contents_of_file(folder_ / "process-4.strobe")->rows_of(wire::ChunkKind::kWork), 12u);
}

TEST_F(RunDumpTest, parts_that_cannot_be_joined_stay) {
  const auto before = names_in(folder_.path());
  {
    const testing::FullDisk full;
    EXPECT_FALSE(join_last_parts(folder_.path(), 17));
  }
  EXPECT_EQ(names_in(folder_.path()), before);
}

}  // namespace
}  // namespace strobe::record
