#include "strobe/readers/classify.h"

#include <gtest/gtest.h>

#include <string>

namespace strobe::readers {
namespace {

CategoryRule rule_of(std::string_view category) {
  if (category == "call") return {SliceKind::kRuntimeCall, false};
  if (category == "work") return {SliceKind::kKernel, false};
  if (category == "range") return {SliceKind::kAnnotation, true};
  return {};
}

NameRule name_rule_of(SliceKind kind, std::string_view, std::string_view name) {
  if (name == "step") return {SliceKind::kStep, kNoFlags};
  if (name == "all_reduce") return {kind, kCommunicates};
  return {kind, kNoFlags};
}

const Dialect kTestDialect{
    .traits = {}, .recognises = nullptr, .category_rule = rule_of, .name_rule = name_rule_of};

SliceId add(TraceBuilder& builder, const char* category, const char* name,
            std::uint32_t correlation = kNoLaunchId) {
  TraceBuilder::SliceRow row;
  row.name = builder.intern(name);
  row.category = builder.category(category);
  row.correlation = correlation;
  return builder.add_slice(row);
}

TEST(ClassifyTest, a_category_decides_unless_it_asks_for_the_name) {
  TraceBuilder builder;
  add(builder, "call", "step");
  add(builder, "work", "all_reduce");
  add(builder, "range", "step");
  add(builder, "range", "mine");
  add(builder, "unheard of", "step");
  classify_slices(builder, kTestDialect);
  EXPECT_EQ(builder.slices().kinds,
            (std::vector{SliceKind::kRuntimeCall, SliceKind::kKernel, SliceKind::kStep,
                         SliceKind::kAnnotation, SliceKind::kOther}));
  EXPECT_EQ(builder.slices().flags[1], kNoFlags);
}

TEST(ClassifyTest, flags_of_the_name_join_those_the_reader_set) {
  TraceBuilder builder;
  add(builder, "range", "all_reduce");
  builder.slices().flags[0] = kUnfinished;
  classify_slices(builder, kTestDialect);
  EXPECT_EQ(builder.slices().flags[0], kUnfinished | kCommunicates);
}

TEST(DemangleKernelsTest, only_kernels_are_renamed_and_equal_names_stay_equal) {
  TraceBuilder builder;
  add(builder, "work", "_Z7k_emptyv");
  add(builder, "work", "k_empty()");
  add(builder, "work", "gemm");
  add(builder, "range", "_Z7k_emptyv");
  classify_slices(builder, kTestDialect);
  demangle_kernels(builder);
  const auto& names = builder.slices().names;
  EXPECT_EQ(builder.strings()[names[0]], "k_empty()");
  EXPECT_EQ(names[0], names[1]);
  EXPECT_EQ(builder.strings()[names[2]], "gemm");
  EXPECT_EQ(builder.strings()[names[3]], "_Z7k_emptyv");
}

ImportReport report_of(TraceBuilder& builder) {
  classify_slices(builder, kTestDialect);
  ImportReport report;
  check_launches(builder.slices(), report);
  return report;
}

TEST(ClassifyTest, device_work_without_its_call_is_an_orphan) {
  TraceBuilder builder;
  add(builder, "call", "launch", 1);
  add(builder, "work", "gemm", 1);
  add(builder, "work", "gemm", 2);
  add(builder, "work", "gemm");
  const ImportReport report = report_of(builder);
  EXPECT_EQ(report[ImportIssue::kOrphanDeviceWork].count, 2u);
  EXPECT_EQ(report[ImportIssue::kDuplicateCorrelation].count, 0u);
}

TEST(ClassifyTest, calls_that_share_an_id_are_counted_beyond_the_first) {
  TraceBuilder builder;
  for (int i = 0; i < 3; ++i) add(builder, "call", "launch", 5);
  add(builder, "call", "wait");
  add(builder, "call", "wait");
  EXPECT_EQ(report_of(builder)[ImportIssue::kDuplicateCorrelation].count, 2u);
}

TEST(ClassifyTest, scattered_ids_are_counted_like_dense_ones) {
  TraceBuilder builder;
  add(builder, "call", "launch", 7);
  add(builder, "call", "launch", 4'000'000'000u);
  add(builder, "call", "launch", 4'000'000'000u);
  add(builder, "work", "gemm", 4'000'000'000u);
  add(builder, "work", "gemm", 3'999'999'999u);
  const ImportReport report = report_of(builder);
  EXPECT_EQ(report[ImportIssue::kDuplicateCorrelation].count, 1u);
  EXPECT_EQ(report[ImportIssue::kOrphanDeviceWork].count, 1u);
}

TEST(ClassifyTest, nothing_is_reported_of_a_trace_without_device_work) {
  TraceBuilder builder;
  add(builder, "range", "mine");
  EXPECT_TRUE(report_of(builder).is_clean());
}

}  // namespace
}  // namespace strobe::readers
