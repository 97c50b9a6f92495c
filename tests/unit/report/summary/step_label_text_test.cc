#include "strobe/report/summary/step_label_text.h"

#include <gtest/gtest.h>

#include <set>

namespace strobe::report {
namespace {

using analysis::StepLabel;

TEST(StepLabelTextTest, every_label_has_words_of_its_own) {
  std::set<std::string> texts;
  for (int i = 0; i < analysis::kStepLabels; ++i) {
    texts.insert(step_label_text(static_cast<StepLabel>(i), "GPU"));
  }
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(analysis::kStepLabels));
}

TEST(StepLabelTextTest, headings_differ_and_are_idle_only_beside_a_device) {
  std::set<std::string> texts;
  for (int i = 0; i < analysis::kStepLabels; ++i) {
    texts.insert(step_label_header(static_cast<StepLabel>(i), "GPU"));
  }
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(analysis::kStepLabels));
  EXPECT_EQ(step_label_header(StepLabel::kHost, ""), "in code");
}

TEST(StepLabelTextTest, without_a_device_nothing_is_said_about_one) {
  EXPECT_EQ(step_label_text(StepLabel::kDataLoader, "MLU"), "MLU idle, host in data loading");
  EXPECT_EQ(step_label_text(StepLabel::kDataLoader, ""), "host in data loading");
  EXPECT_EQ(step_label_header(StepLabel::kDataLoader, ""), "data\nloading");
}

}  // namespace
}  // namespace strobe::report
