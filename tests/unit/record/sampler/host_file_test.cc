#include "strobe/record/sampler/host_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/record/run_contents.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

using ::testing::ElementsAre;
using testing::names_in;
using ::testing::Pair;
using testing::TemporaryFolder;

constexpr std::int64_t kSecondOfTest_ns = 1'000'000'000;

class HostFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<HostFile> open(std::optional<std::int64_t> keep_ns = {}) {
    auto file = HostFile::open(folder_ / "host-1.strobe", {{"host", "here"}}, keep_ns);
    EXPECT_TRUE(file);
    return std::move(*file);
  }
  FileContents contents(const std::string& name) { return *contents_of_file(folder_ / name); }

  TemporaryFolder folder_;
};

TEST_F(HostFileTest, facts_stand_first_and_can_follow) {
  const auto file = open();
  file->add_facts({{"process", "4"}});
  file->log().add({.metric = "m"}, 1, 2);
  file->close();
  const FileContents read = contents("host-1.strobe");
  EXPECT_THAT(read.facts,
              ElementsAre(Pair("finished", "1"), Pair("host", "here"), Pair("process", "4")));
  EXPECT_EQ(read.rows_of(wire::ChunkKind::kSamples), 1u);
}

TEST_F(HostFileTest, without_a_limit_there_are_no_parts) {
  const auto file = open();
  EXPECT_FALSE(file->flush(wire::run_clock_ns() + 3600 * kSecondOfTest_ns));
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("host-1.strobe"));
}

TEST_F(HostFileTest, parts_are_whole_files_and_old_ones_are_removed) {
  const auto file = open(16 * kSecondOfTest_ns);  // parts of two seconds
  file->add_facts({{"process", "4"}});
  std::int64_t now_ns = wire::run_clock_ns();
  for (int part = 0; part < 12; ++part) {
    file->log().add({.metric = "m"}, now_ns, part);
    EXPECT_FALSE(file->flush(now_ns + kSecondOfTest_ns));
    now_ns += 3 * kSecondOfTest_ns;
    file->log().add({.metric = "m"}, now_ns, part);
    EXPECT_TRUE(file->flush(now_ns));
  }
  // The parts that ended in the last 16 seconds, three seconds each, and the one that grows.
  EXPECT_THAT(names_in(folder_.path()),
              ElementsAre("host-1.strobe.part10", "host-1.strobe.part11", "host-1.strobe.part12",
                          "host-1.strobe.part6", "host-1.strobe.part7", "host-1.strobe.part8",
                          "host-1.strobe.part9"));
  const FileContents read = contents("host-1.strobe.part8");
  EXPECT_THAT(read.facts, ElementsAre(Pair("host", "here"), Pair("process", "4")));
  EXPECT_EQ(read.rows_of(wire::ChunkKind::kSeries), 1u);
  EXPECT_EQ(read.rows_of(wire::ChunkKind::kSamples), 2u);
}

TEST_F(HostFileTest, a_file_that_cannot_be_made_is_an_error) {
  const auto file = HostFile::open("/no/such/folder/host-1.strobe", {}, {});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kCannotWrite);
}

}  // namespace
}  // namespace strobe::record
