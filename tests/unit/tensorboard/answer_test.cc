#include "strobe/tensorboard/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class AnswerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    desk_.add("worker1", TraceLines().op("a", 0, 10).text());
    desk_.add("worker0", TraceLines().op("a", 0, 10).x("kernel", "k", 2, 3).text());
  }

  ViewDesk desk_;
};

TEST_F(AnswerTest, a_run_lists_the_views_of_all_its_workers) {
  EXPECT_EQ(desk_.body("views"), R"(["Overview", "Operator", "Kernel", "Trace"])");
}

TEST_F(AnswerTest, workers_are_those_that_have_the_view) {
  EXPECT_EQ(desk_.body("workers", {{"view", "Overview"}}), R"(["worker0", "worker1"])");
  EXPECT_EQ(desk_.body("workers", {{"view", "Kernel"}}), R"(["worker0"])");
  EXPECT_EQ(desk_.body("workers", {{"view", "kernel"}}), "[]");
}

TEST_F(AnswerTest, spans_of_an_unknown_worker_are_none) {
  EXPECT_EQ(desk_.body("spans"), R"(["1"])");
  EXPECT_EQ(desk_.body("spans", {{"worker", "nobody"}}), "[]");
}

TEST_F(AnswerTest, what_is_missing_is_400_and_what_does_not_exist_404) {
  EXPECT_EQ(desk_.ask("overview", {{"run", ""}}).status, 400);
  EXPECT_EQ(desk_.ask("overview", {{"worker", ""}}).status, 400);
  EXPECT_EQ(desk_.ask("overview", {{"worker", "All"}}).status, 400);
  EXPECT_EQ(desk_.ask("workers").status, 400);
  EXPECT_EQ(desk_.ask("operation/stack").status, 400);
  EXPECT_EQ(desk_.ask("overview", {{"run", "other"}}).status, 404);
  EXPECT_EQ(desk_.ask("overview", {{"span", ""}}).status, 404);
  EXPECT_EQ(desk_.ask("overview", {{"worker", "nobody"}}).status, 404);
  EXPECT_EQ(desk_.ask("no/such/view").status, 404);
  EXPECT_EQ(desk_.ask("no/such/view", {{"run", ""}}).status, 404);
  EXPECT_EQ(desk_.ask("overview").status, 200);
}

TEST_F(AnswerTest, a_refusal_is_a_page_for_people_and_a_reason_in_plain_words) {
  const Answer refusal = desk_.ask("overview", {{"worker", "<b>"}});
  EXPECT_EQ(refusal.content_type, "text/html");
  EXPECT_EQ(refusal.reason, "worker '<b>' has no span '1'");
  EXPECT_THAT(refusal.body, HasSubstr("&lt;b&gt;"));
  EXPECT_EQ(html_text("a & b"), "a &amp; b");
}

TEST_F(AnswerTest, kernels_of_a_trace_without_any_are_null) {
  for (const std::string_view route : {"kernel", "kernel/table", "kernel/tc_pie"}) {
    EXPECT_EQ(desk_.body(route), "null") << route;
  }
}

TEST_F(AnswerTest, the_trace_is_the_one_that_the_plugin_compressed) {
  EXPECT_TRUE(desk_.ask("trace").gzip);
  EXPECT_FALSE(desk_.ask("overview").gzip);
}

TEST_F(AnswerTest, all_routes_are_told) {
  EXPECT_THAT(routes(), Contains("operation/table"));
  EXPECT_THAT(routes(), Contains("spans"));
}

}  // namespace
}  // namespace strobe::tensorboard
