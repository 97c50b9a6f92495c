#include "strobe/bench/providers/cuda/nvrtc_api.h"

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

TEST(Nvrtc, a_library_that_is_another_one_is_refused) {
  const auto missing = open_nvrtc_at("libno_such_compiler.so");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  const auto other = open_nvrtc_at("libc.so.6");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().what, "is no NVRTC of CUDA 11.2 or newer (it has no nvrtcVersion)");
}

TEST(Nvrtc, tells_its_version_where_it_is_installed) {
  const auto nvrtc = open_nvrtc(13);
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().what;
  EXPECT_NE(nvrtc->version_text().find('.'), std::string::npos);
}

}  // namespace
}  // namespace strobe::bench
