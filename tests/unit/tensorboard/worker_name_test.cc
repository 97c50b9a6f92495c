#include "strobe/tensorboard/worker_name.h"

#include <gtest/gtest.h>

namespace strobe::tensorboard {
namespace {

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
