#include "strobe/device/name_words.h"

#include <gtest/gtest.h>

namespace strobe::device {
namespace {

TEST(NameWordsTest, words_are_found_however_they_were_joined) {
  EXPECT_EQ(name_words("RMSNormKernel"), "^_rms_norm_kernel_$");
  EXPECT_EQ(name_words("rms_norm_kernel"), "^_rms_norm_kernel_$");
  EXPECT_EQ(name_words("rms::norm kernel<"), "^_rms_norm_kernel_$");
  EXPECT_EQ(name_words("nchwToNhwcKernel"), "^_nchw_to_nhwc_kernel_$");
  EXPECT_EQ(name_words("conv2dBackward"), "^_conv2d_backward_$");
  EXPECT_EQ(name_words("__amd_rocclr_copyBuffer"), "^_amd_rocclr_copy_buffer_$");
}

TEST(NameWordsTest, nothing_has_no_words) {
  EXPECT_EQ(name_words(""), "^_$");
  EXPECT_EQ(name_words("::<>"), "^_$");
}

}  // namespace
}  // namespace strobe::device
