#include "strobe/paddle/labels.h"

#include <gtest/gtest.h>

#include <set>

namespace strobe::paddle {
namespace {

TEST(LabelsTest, every_kind_the_operator_tree_holds_has_a_label_of_its_own) {
  std::set<std::string> labels;
  int kinds = 0;
  for (int i = 0; i < kSliceKinds; ++i) {
    const auto kind = static_cast<SliceKind>(i);
    if (!is_tree_kind(kind) && !is_device_work(kind)) continue;
    labels.insert(label_of(kind, {}));
    ++kinds;
  }
  EXPECT_EQ(labels.size(), static_cast<std::size_t>(kinds));
}

TEST(LabelsTest, runtime_calls_are_called_as_the_vendor_does) {
  TraceTraits traits;
  traits.runtime_label = "XpuRuntime";
  EXPECT_EQ(label_of(SliceKind::kRuntimeCall, traits), "XpuRuntime");
}

TEST(LabelsTest, what_has_no_kind_keeps_its_category) {
  EXPECT_EQ(label_of(analysis::TypeRow{SliceKind::kOther, "my category", 1, 1}, {}), "my category");
  EXPECT_EQ(label_of(analysis::TypeRow{SliceKind::kKernel, "", 1, 1}, {}), "Kernel");
}

TEST(LabelsTest, a_thread_title_names_its_thread_or_all_of_them) {
  EXPECT_EQ(thread_title("7001"), "Thread: 7001");
  EXPECT_EQ(thread_title(""), "Thread: All threads merged");
}

}  // namespace
}  // namespace strobe::paddle
