#include "strobe/analysis/headroom/kernel_roofline.h"

#include <gtest/gtest.h>

#include "strobe/analysis/headroom/kernel_study.h"
#include "tests/support/kernel_sketch.h"

namespace strobe::analysis {
namespace {

const Roof& roof_named(const std::vector<Roof>& roofs, std::string_view name) {
  static const Roof kNone;
  for (const Roof& roof : roofs) {
    if (roof.name() == name) return roof;
  }
  ADD_FAILURE() << "no roof " << name;
  return kNone;
}

// 4e9 operations on 1e9 bytes in 1 ms: 4 TFLOP/s at 4 FLOP/byte, under 2 TB/s at most 8 TFLOP/s.
TEST(KernelRooflineTest, counted_work_is_a_point_under_the_roofs) {
  const KernelTable table = KernelSketch()
                                .launch("elementwise_kernel", 1'000'000, 0, 50)
                                .metric(KernelMetric::kFlops, 4e9)
                                .metric(KernelMetric::kDramReadBytes, 6e8)
                                .metric(KernelMetric::kDramWriteBytes, 4e8)
                                .metric(KernelMetric::kL2Bytes, 3e9)
                                .table();
  StudyOptions options;
  options.chip = "h200";
  options.dram_bytes_per_s = 2e12;
  const KernelStudy study = study_kernels(table, options);
  ASSERT_EQ(study.roofline.points.size(), 1u);
  const RooflinePoint& point = study.roofline.points[0];
  EXPECT_DOUBLE_EQ(*point.flop_per_s, 4e12);
  EXPECT_DOUBLE_EQ(*point.dram_bytes_per_s, 1e12);
  EXPECT_DOUBLE_EQ(*point.l2_bytes_per_s, 3e12);
  EXPECT_DOUBLE_EQ(*point.flop_per_byte, 4);
  EXPECT_DOUBLE_EQ(*point.attainable_flop_per_s, 8e12);
  EXPECT_FALSE(point.flops_are_estimated);
  EXPECT_FALSE(point.bytes_are_estimated);
}

TEST(KernelRooflineTest, matrix_work_is_estimated_from_the_busy_pipe_and_the_clock) {
  const KernelTable table = KernelSketch().launch("some_fp16_gemm", 1'000'000, 50, 20).table();
  StudyOptions options;
  options.chip = "h200";
  const KernelStudy study = study_kernels(table, options);
  ASSERT_TRUE(study.chip);
  const RooflinePoint& point = study.roofline.points[0];
  EXPECT_DOUBLE_EQ(*point.flop_per_s, 0.5 * study.chip->f16_flops);
  EXPECT_TRUE(point.flops_are_estimated);
  EXPECT_DOUBLE_EQ(*point.dram_bytes_per_s, 0.2 * study.chip->dram_bytes_per_s);
  EXPECT_TRUE(point.bytes_are_estimated);

  const KernelTable slow = KernelSketch()
                               .launch("some_fp16_gemm", 1'000'000, 50, 20)
                               .metric(KernelMetric::kClockHz, study.chip->matrix_clock_hz / 2)
                               .table();
  EXPECT_DOUBLE_EQ(*study_kernels(slow, options).roofline.points[0].flop_per_s,
                   0.25 * study.chip->f16_flops);
}

TEST(KernelRooflineTest, measured_roofs_stand_in_for_those_of_the_sheet) {
  const KernelTable table = KernelSketch().launch("k", 1000).table();
  StudyOptions options;
  options.chip = "h200";
  options.flops = 790e12;
  options.dram_bytes_per_s = 4.3e12;
  const Roofline roofline = study_kernels(table, options).roofline;
  EXPECT_EQ(roof_named(roofline.compute, "f16 matrix").value, 790e12);
  EXPECT_EQ(roof_named(roofline.compute, "f16 matrix").source, RoofSource::kMeasured);
  EXPECT_EQ(roof_named(roofline.compute, "f32").source, RoofSource::kDataSheet);
  EXPECT_EQ(roof_named(roofline.memory, "DRAM").source, RoofSource::kMeasured);
  EXPECT_NEAR(*roofline.ridge_flop_per_byte, 183.7, 0.05);
  for (std::size_t i = 1; i < roofline.compute.size(); ++i) {
    EXPECT_GE(roofline.compute[i - 1].value, roofline.compute[i].value);
  }
}

TEST(KernelRooflineTest, the_file_knows_its_own_bus_best) {
  const KernelTable table =
      KernelSketch().device("NVIDIA H200", 0, 4.81e12).launch("k", 1000, 0, 50).table();
  const Roofline roofline = study_kernels(table).roofline;
  EXPECT_EQ(roof_named(roofline.memory, "DRAM").source, RoofSource::kFile);
  EXPECT_DOUBLE_EQ(*roofline.points[0].dram_bytes_per_s, 0.5 * 4.81e12);
}

TEST(KernelRooflineTest, an_unknown_chip_leaves_the_fractions) {
  const KernelTable table = KernelSketch().launch("some_gemm", 1000, 50, 20).table();
  const Roofline roofline = study_kernels(table).roofline;
  EXPECT_TRUE(roofline.compute.empty());
  EXPECT_TRUE(roofline.memory.empty());
  EXPECT_FALSE(roofline.ridge_flop_per_byte);
  EXPECT_FALSE(roofline.points[0].flop_per_s);
  EXPECT_EQ(roofline.points[0].tensor_percent, 50.0);
}

TEST(KernelRooflineTest, a_name_has_one_point_and_the_longest_comes_first) {
  const KernelTable table = KernelSketch().launch("a", 10).launch("b", 15).launch("a", 10).table();
  const KernelStudy study = study_kernels(table);
  ASSERT_EQ(study.roofline.points.size(), 2u);
  EXPECT_EQ(study.identities[study.roofline.points[0].identity].full, "a");
  EXPECT_EQ(study.roofline.points[0].launches, 2u);
  EXPECT_EQ(study.roofline.points[0].latency_ns, 20);
}

TEST(KernelRooflineTest, bytes_that_not_every_launch_counted_are_no_rate) {
  const KernelTable table =
      KernelSketch().launch("a", 10).metric(KernelMetric::kL2Bytes, 100).launch("a", 10).table();
  EXPECT_FALSE(study_kernels(table).roofline.points[0].l2_bytes_per_s);
}

// 100 ns at 40 % are the unit; 400 ns at 40 % four of it, 50 ns at 20 % a quarter.
TEST(KernelRooflineTest, work_units_are_relative_to_the_most_frequent_product) {
  const KernelTable table = KernelSketch()
                                .launch("gemm_a", 100, 40, 0)
                                .launch("gemm_b", 400, 40, 0)
                                .launch("gemm_a", 100, 40, 0)
                                .launch("gemm_c", 50, 20, 0)
                                .launch("elementwise_kernel", 50, 3, 0)
                                .table();
  const KernelStudy study = study_kernels(table);
  ASSERT_EQ(study.work_units.size(), 3u);
  EXPECT_EQ(study.identities[study.work_units[0].identity].full, "gemm_b");
  EXPECT_DOUBLE_EQ(study.work_units[0].relative, 4);
  EXPECT_DOUBLE_EQ(study.work_units[1].relative, 1);
  EXPECT_DOUBLE_EQ(study.work_units[1].per_launch, 4000);
  EXPECT_DOUBLE_EQ(study.work_units[2].relative, 0.25);
}

}  // namespace
}  // namespace strobe::analysis
