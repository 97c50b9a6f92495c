#include "strobe/bench/providers/cuda/dnn_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/bench/providers/cuda/scripted_cudnn.h"

namespace strobe::bench {
namespace {

using ::testing::HasSubstr;

const Shape kConvolution = {{32, 56, 56, 64, 64, 3, 1}};

class DnnPlansTest : public ::testing::Test {
 protected:
  Result<DnnPlans> find(DType dtype, std::size_t most = 8) {
    return DnnPlans::find(api_, {.handle = reinterpret_cast<DnnHandle>(1), .device_json = ""},
                          convolution_graph(kConvolution, dtype, ConvolutionTail::kRelu), most,
                          1000);
  }
  static std::vector<std::int64_t> engines(const DnnPlans& plans) {
    std::vector<std::int64_t> engines;
    for (const DnnPlan& plan : plans.plans()) engines.push_back(plan.engine);
    return engines;
  }

  ScriptedDriver driver_;
  ScriptedCudnn library_{driver_.api()};
  CudnnApi api_ = library_.api();
};

TEST_F(DnnPlansTest, engines_that_compute_in_less_or_give_other_bits_are_left_out) {
  library_.engines = {{.index = 1, .notes = {dnn::kTensorCore}},
                      {.index = 2, .notes = {dnn::kDownConvertsInputs}},
                      {.index = 3, .notes = {dnn::kNondeterministic}},
                      {.index = 4, .notes = {dnn::kReducedPrecisionReduction}},
                      {.index = 5}};
  const auto half = find(DType::kF16);
  ASSERT_TRUE(half) << half.error().what;
  EXPECT_EQ(engines(*half), (std::vector<std::int64_t>{1, 5}));
  EXPECT_EQ(half->unfair(), 3u);
  // For f32, tensor cores would use TF32.
  const auto full = find(DType::kF32);
  ASSERT_TRUE(full);
  EXPECT_EQ(engines(*full), (std::vector<std::int64_t>{5}));
}

TEST_F(DnnPlansTest, engines_that_do_not_finish_or_want_too_much_room_are_passed_over) {
  library_.engines = {{.index = 1, .plan_status = dnn::kNotSupported},
                      {.index = 2, .workspace_bytes = 1001},
                      {.index = 3, .workspace_bytes = 1000},
                      {.index = 4}};
  const auto plans = find(DType::kF16);
  ASSERT_TRUE(plans);
  EXPECT_EQ(engines(*plans), (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(plans->plans()[0].workspace_bytes, 1000);
  EXPECT_EQ(find(DType::kF16, 1)->plans().size(), 1u);
}

TEST_F(DnnPlansTest, no_engine_is_not_found_with_the_librarys_last_words) {
  library_.engines = {{.index = 1, .plan_status = 3007}};
  const auto plans = find(DType::kF16);
  ASSERT_FALSE(plans);
  EXPECT_EQ(plans.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(plans.error().hint, HasSubstr("(3007: scripted) while making a plan"));
  library_.engines = {};
  EXPECT_THAT(find(DType::kF16).error().what, HasSubstr("no engine for this on this GPU"));
}

TEST_F(DnnPlansTest, running_out_of_memory_is_told_as_such) {
  library_.engines = {{.index = 1, .plan_status = dnn::kDeviceAllocationFailed}};
  EXPECT_EQ(find(DType::kF16).error().code, ErrorCode::kOutOfMemory);
}

TEST_F(DnnPlansTest, a_call_hands_over_the_tensors_in_memory_and_the_workspace) {
  library_.engines = {{.index = 9}};
  const auto plans = find(DType::kF16);
  ASSERT_TRUE(plans);
  const auto pack = plans->pack(
      [](std::string_view name) {
        return name == "x" ? CuPointer{16} : name == "w" ? CuPointer{32} : CuPointer{48};
      },
      64);
  ASSERT_TRUE(pack) << pack.error().what;
  ASSERT_TRUE(plans->enqueue(reinterpret_cast<DnnHandle>(1), 0, *pack));
  ASSERT_EQ(library_.calls.size(), 1u);
  EXPECT_EQ(library_.calls[0].engine, 9);
  EXPECT_EQ(library_.calls[0].places, (std::vector<std::uint64_t>{16, 32, 48}));
  EXPECT_EQ(library_.calls[0].workspace, 64u);
}

TEST_F(DnnPlansTest, every_descriptor_is_given_back) {
  library_.engines = {{.index = 1, .plan_status = 3000}, {.index = 2}, {.index = 3}};
  { ASSERT_TRUE(find(DType::kF16)); }
  EXPECT_EQ(library_.alive, 0);
}

}  // namespace
}  // namespace strobe::bench
