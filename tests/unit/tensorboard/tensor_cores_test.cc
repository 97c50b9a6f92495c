#include "strobe/tensorboard/tensor_cores.h"

#include <gtest/gtest.h>

#include "strobe/tensorboard/profile.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

TEST(TensorCoresTest, kernels_are_known_by_a_piece_of_their_name_and_operators_by_all_of_it) {
  EXPECT_TRUE(kernel_uses_tensor_cores("volta_fp16_s884cudnn_fp16_256x128"));
  EXPECT_FALSE(kernel_uses_tensor_cores("volta_sgemm_128x64_nn"));
  EXPECT_TRUE(operator_could_use_tensor_cores("aten::addmm_"));
  EXPECT_FALSE(operator_could_use_tensor_cores("aten::addmm_out"));
}

TEST(TensorCoresTest, a_device_whose_kernels_no_operator_launched_has_a_ratio_of_0) {
  const auto profile = *read_profile(TraceLines()
                                         .launch("aten::mm", 0, 10, "hmma", 20, 30)
                                         .launch("aten::add", 10, 10, "add", 50, 10)
                                         .x("kernel", "hmma", 90, 5, R"("device":1)")
                                         .text());
  ASSERT_EQ(profile->device_report.devices.size(), 2u);
  EXPECT_EQ(to_text(*profile->device_report.devices[0].tensor_core_ratio), "0.75");
  EXPECT_EQ(to_text(*profile->device_report.devices[1].tensor_core_ratio), "0.0");
  EXPECT_EQ(profile->tensor_core_used_ratio, ratio(Number::whole(35), Number::whole(45)));
}

TEST(TensorCoresTest, without_a_launched_kernel_no_device_has_a_ratio) {
  const auto profile =
      *read_profile(TraceLines().op("a", 0, 1).x("kernel", "k", 5, 1, R"("device":0)").text());
  EXPECT_FALSE(profile->device_report.devices.at(0).tensor_core_ratio);
}

// aten::linear is eligible too, but aten::addmm below it is counted already.
TEST(TensorCoresTest, only_the_lowest_eligible_operators_count) {
  const auto profile = *read_profile(TraceLines()
                                         .launch("aten::linear", 0, 100, "bias", 200, 10)
                                         .launch("aten::addmm", 10, 20, "sgemm", 220, 30)
                                         .launch("aten::relu", 110, 20, "relu", 260, 20)
                                         .text());
  EXPECT_EQ(to_text(profile->tensor_core_eligible_ratio), "0.5");
}

}  // namespace
}  // namespace strobe::tensorboard
