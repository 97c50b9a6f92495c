#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <set>
#include <string>

#include "strobe/paddle/labels.h"

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

TEST(KernelNameTest, a_template_loses_its_parameter_list) {
  EXPECT_EQ(without_parameters("void copyk<4>(int)"), "void copyk<4>");
  EXPECT_EQ(without_parameters("f<a>(b<c>(d), e)"), "f<a>(b<c>");
  EXPECT_EQ(without_parameters("f<1>()"), "f<1>");
  EXPECT_EQ(without_parameters("f<1>(int) [clone .x]"), "f<1>");
}

TEST(KernelNameTest, what_has_no_template_or_no_parameters_stays_whole) {
  EXPECT_EQ(without_parameters("gemm(int)"), "gemm(int)");
  EXPECT_EQ(without_parameters("f<4>"), "f<4>");
  EXPECT_EQ(without_parameters("f<4>(int"), "f<4>(int");
  EXPECT_EQ(without_parameters("<4>(int)"), "<4>(int)");
  EXPECT_EQ(without_parameters(""), "");
}

// The rule replaces this expression, of which groups 1 and 2 are kept.
TEST(KernelNameTest, agrees_with_the_regular_expression_it_replaces) {
  const std::regex expression(R"(^(.+?)(<.*>)(\(.*\)))");
  std::mt19937 random(7);
  std::uniform_int_distribution<std::size_t> letter(0, 5);
  std::uniform_int_distribution<std::size_t> length(0, 14);
  for (int i = 0; i < 20000; ++i) {
    std::string name(length(random), ' ');
    for (char& c : name) c = "<>()ab"[letter(random)];
    std::smatch match;
    const std::string expected =
        std::regex_search(name, match, expression) ? match[1].str() + match[2].str() : name;
    ASSERT_EQ(without_parameters(name), expected) << name;
  }
}

}  // namespace

}  // namespace strobe::paddle
