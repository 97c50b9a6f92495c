#include "strobe/bench/results/cell_record.h"

#include <gtest/gtest.h>

#include "tests/support/bench_sketch.h"

namespace strobe::bench {
namespace {

TEST(CellRecord, every_status_reads_back_from_its_name) {
  for (int i = 0; i <= static_cast<int>(CellStatus::kMissing); ++i) {
    const auto status = static_cast<CellStatus>(i);
    ASSERT_FALSE(status_name(status).empty()) << i;
    EXPECT_EQ(parse_status(status_name(status)).value(), status);
  }
}

TEST(CellRecord, every_flag_reads_back_from_its_name) {
  for (int i = 0; i <= static_cast<int>(CellFlag::kUnrepeatable); ++i) {
    const auto flag = static_cast<CellFlag>(i);
    ASSERT_FALSE(flag_name(flag).empty()) << i;
    EXPECT_EQ(find_flag(flag_name(flag)), flag);
  }
  EXPECT_FALSE(find_flag("purple"));
}

TEST(CellRecord, every_mode_reads_back_from_its_name) {
  for (int i = 0; i <= static_cast<int>(TimeMode::kCpu); ++i) {
    const auto mode = static_cast<TimeMode>(i);
    ASSERT_FALSE(mode_name(mode).empty()) << i;
    EXPECT_EQ(parse_mode(mode_name(mode)).value(), mode);
  }
}

TEST(Roofs, hold_for_what_ran_where_they_were_measured) {
  CellRecord device = sketched_cell("matmul_add", {{8, 8, 8}}, "cublaslt", 10);
  CellRecord host;
  host.times[TimeMode::kCpu] = sketched_time(10);
  Roofs roofs{.copy_gbps = 4300, .gemm_tflops = 790};
  EXPECT_EQ(roofs.over(host).copy_gbps, 4300);  // an older run: unknown
  roofs.is_of_host = false;
  EXPECT_FALSE(roofs.over(host).copy_gbps);
  EXPECT_EQ(roofs.over(device).copy_gbps, 4300);
  roofs.is_of_host = true;
  EXPECT_EQ(roofs.over(host).gemm_tflops, 790);
  EXPECT_FALSE(roofs.over(device).copy_gbps);
}

TEST(Roofs, a_matrix_roof_of_16_bits_is_none_of_32) {
  CellRecord record = sketched_cell("matmul_add", {{8, 8, 8}}, "cublaslt", 10);
  const Roofs roofs{.copy_gbps = 4300, .gemm_tflops = 790, .is_of_host = false};
  EXPECT_FALSE(roofs.over(record).gemm_tflops);
  record.cell.dtype = DType::kBf16;
  EXPECT_EQ(roofs.over(record).gemm_tflops, 790);
}

TEST(CellRecord, rates_count_what_the_mask_of_an_attention_leaves) {
  CellRecord record;
  record.flops = 1000;
  record.cell.case_id = "attention";
  EXPECT_EQ(record.rated_flops(), 500);
  record.cell.case_id = "matmul_add";
  EXPECT_EQ(record.rated_flops(), 1000);
  record.cell.case_id = "somebody_elses";
  EXPECT_EQ(record.rated_flops(), 1000);
}

TEST(CellRecord, a_word_that_is_no_mode_is_answered_with_those_there_are) {
  const auto mode = parse_mode("gpu");
  ASSERT_FALSE(mode);
  EXPECT_EQ(mode.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(mode.error().hint, "one of device, graph, call, activity, cpu");
}

TEST(CellRecord, the_four_states_of_a_cache_have_names_and_others_are_refused) {
  for (const FlushKind kind :
       {FlushKind::kCold, FlushKind::kColdDirty, FlushKind::kRotate, FlushKind::kHot}) {
    EXPECT_EQ(*parse_flush(flush_name(kind)), kind);
  }
  EXPECT_EQ(flush_name(FlushKind::kColdDirty), "cold-dirty");
  const auto wrong = parse_flush("warm");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().what, "unknown cache state 'warm'");
  EXPECT_EQ(wrong.error().hint, "one of cold, cold-dirty, rotate, hot");
}

TEST(CellRecord, a_flag_is_set_once) {
  CellRecord record;
  record.set(CellFlag::kNoisy);
  record.set(CellFlag::kNoisy);
  EXPECT_EQ(record.flags.size(), 1u);
}

TEST(CellRecord, the_headline_is_device_time_and_without_a_device_the_hosts) {
  CellRecord record;
  EXPECT_EQ(record.headline(), nullptr);
  record.times[TimeMode::kCall] = sketched_time(30);
  record.times[TimeMode::kCpu] = sketched_time(20);
  EXPECT_EQ(record.headline()->p50, 20);
  record.times[TimeMode::kDevice] = sketched_time(10);
  EXPECT_EQ(record.headline()->p50, 10);
}

TEST(CellRecord, it_has_the_flags_that_were_set) {
  CellRecord record;
  record.flags = {CellFlag::kNoisy};
  EXPECT_TRUE(record.has(CellFlag::kNoisy));
  EXPECT_FALSE(record.has(CellFlag::kThrottled));
}

}  // namespace
}  // namespace strobe::bench
