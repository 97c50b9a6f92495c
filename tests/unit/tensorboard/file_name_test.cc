#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/tensorboard/file_name.h"

namespace strobe::tensorboard {
namespace {

using ::testing::ElementsAre;

TEST(FileNameTest, the_worker_is_the_shortest_prefix_that_lets_the_rest_match) {
  const auto name = parse_file_name("a.1.2.pt.trace.json");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->worker, "a.1");
  EXPECT_EQ(name->stamp, "2");
}

TEST(FileNameTest, a_stamp_is_optional_and_gz_may_follow) {
  const auto name = parse_file_name("host_77.pt.trace.json.gz");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->worker, "host_77");
  EXPECT_EQ(name->stamp, std::nullopt);
}

TEST(FileNameTest, digits_alone_are_a_worker_and_not_a_stamp) {
  const auto name = parse_file_name("17.pt.trace.json");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->worker, "17");
  EXPECT_EQ(name->stamp, std::nullopt);
}

TEST(FileNameTest, other_names_are_no_profiles) {
  EXPECT_FALSE(parse_file_name("trace.json"));
  EXPECT_FALSE(parse_file_name(".pt.trace.json"));
  EXPECT_FALSE(parse_file_name("worker0.pt.trace.json.zip"));
}

TEST(FileNameTest, other_traces_are_called_by_their_name_without_endings) {
  EXPECT_EQ(without_endings("x.json"), "x");
  EXPECT_EQ(without_endings("x.pt.json"), "x");
  EXPECT_EQ(without_endings("x.trace.json.gz"), "x");
  EXPECT_EQ(without_endings("x.pt.trace.json.zst"), "x");
  EXPECT_EQ(without_endings(".json"), ".json");
  EXPECT_EQ(without_endings("x.csv"), "x.csv");
}

TEST(FileNameTest, spans_count_stamps_as_text_within_a_worker) {
  EXPECT_THAT(number_spans({{"w0", "9"}, {"w0", "10"}, {"w1", "5"}, {"w0", std::nullopt}}),
              ElementsAre("2", "1", "1", "default"));
}

TEST(FileNameTest, files_with_the_same_stamp_share_the_higher_number) {
  EXPECT_THAT(number_spans({{"w", "1"}, {"w", "1"}, {"w", "2"}}), ElementsAre("2", "2", "3"));
}

std::string node_of(std::string_view worker) {
  const auto name = split_worker_name(worker);
  return name ? name->node + "|" + name->process : "none";
}

TEST(WorkerNameTest, the_node_is_as_long_as_it_can_be) {
  EXPECT_EQ(node_of("host_12_34"), "host_12|34");
  EXPECT_EQ(node_of("host_12_"), "host|12");
}

TEST(WorkerNameTest, text_behind_the_digits_is_ignored) {
  EXPECT_EQ(node_of("host_12.extra"), "host|12");
  EXPECT_EQ(node_of("host_12_rank"), "host|12");
}

TEST(WorkerNameTest, the_node_may_be_empty) { EXPECT_EQ(node_of("_7"), "|7"); }

TEST(WorkerNameTest, a_name_without_underscore_and_digit_has_no_process) {
  EXPECT_EQ(node_of("worker0"), "none");
  EXPECT_EQ(node_of("worker_a"), "none");
  EXPECT_EQ(node_of("worker_"), "none");
  EXPECT_EQ(node_of(""), "none");
}

}  // namespace

}  // namespace strobe::tensorboard
