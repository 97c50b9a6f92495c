// The plugin's own answers for a real trace, value by value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "strobe/base/byte_stream.h"
#include "strobe/base/json_value.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

// Every scalar of a document by its path; keys and their order matter.
std::vector<std::pair<std::string, std::string>> scalars(std::string_view json) {
  std::vector<std::pair<std::string, std::string>> found;
  std::vector<std::pair<std::string, JsonValue>> waiting{{"", parse_value(json)}};
  while (!waiting.empty()) {
    const std::string path = waiting.back().first;
    const JsonValue value = waiting.back().second;
    waiting.pop_back();
    std::vector<std::pair<std::string, JsonValue>> inside;
    if (value.type == JsonType::kObject) {
      for_each_member(value.text, [&](std::string_view key, const JsonValue& member) {
        inside.emplace_back(path + "/" + std::string(key), member);
      });
    } else if (value.type == JsonType::kArray) {
      for_each_element(value.text, [&](const JsonValue& element) {
        inside.emplace_back(path + "/" + std::to_string(inside.size()), element);
      });
    } else {
      found.emplace_back(path, std::string(value.text));
      continue;
    }
    if (inside.empty()) found.emplace_back(path, "empty");
    waiting.insert(waiting.end(), inside.rbegin(), inside.rend());
  }
  return found;
}

// Texts that strobe words differently.
bool is_prose(const std::string& path) {
  return path == "/recommendations" || path == "/gpu_metrics/tooltip" ||
         path == "/data/columns/7/tooltip" || path == "/data/columns/8/tooltip";
}

class ExpectedViewsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path folder =
        STROBE_SOURCE_DIR "/../shared/traces/kineto_resnet50_num_workers_0";
    std::ifstream lines(folder / "expected_views.jsonl");
    if (!lines) GTEST_SKIP() << "the shared traces are not on this machine";
    for (std::string line; std::getline(lines, line);) expected_.push_back(line);
    const auto text = read_text(folder / "worker0.1623143089861.pt.trace.json.gz");
    ASSERT_TRUE(text);
    desk_.add("worker0", *text);
    ASSERT_EQ(expected_.size(), 5u);
  }

  void expect_equal(const std::string& mine, const std::string& theirs) {
    const auto a = scalars(mine);
    const auto b = scalars(theirs);
    ASSERT_EQ(a.size(), b.size());
    ASSERT_GT(a.size(), 50u);
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].first, b[i].first);
      if (!is_prose(a[i].first)) {
        EXPECT_EQ(a[i].second, b[i].second) << a[i].first;
      }
    }
  }

  std::vector<std::string> expected_;
  ViewDesk desk_;
};

TEST_F(ExpectedViewsTest, overview) {
  const std::string body = desk_.body("overview");
  expect_equal(body, expected_[0]);
  const std::string advice = member(body, "recommendations");
  EXPECT_THAT(advice, ::testing::HasSubstr("33.4%"));
  EXPECT_THAT(advice, ::testing::HasSubstr("68%"));
  EXPECT_THAT(advice, ::testing::Not(::testing::HasSubstr("low utilization")));
}

TEST_F(ExpectedViewsTest, operation) { EXPECT_EQ(desk_.body("operation"), expected_[1]); }

TEST_F(ExpectedViewsTest, operation_table) {
  EXPECT_EQ(desk_.body("operation/table"), expected_[2]);
}

TEST_F(ExpectedViewsTest, kernel_table) {
  expect_equal(desk_.body("kernel/table", {{"group_by", "Kernel"}}), expected_[3]);
}

// With two pairs of kernels of equal sums, in the order in which the plugin left them.
TEST_F(ExpectedViewsTest, kernel) { EXPECT_EQ(desk_.body("kernel"), expected_[4]); }

}  // namespace
}  // namespace strobe::tensorboard
