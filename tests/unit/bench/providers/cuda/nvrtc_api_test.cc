#include "strobe/bench/providers/cuda/nvrtc_api.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

namespace fs = std::filesystem;

TEST(Nvrtc, a_library_newer_than_the_driver_is_the_last_resort) {
  const auto places = nvrtc_places(12);
  const auto at = [&](const char* name) {
    return std::ranges::find(places, name) - places.begin();
  };
  EXPECT_LT(at("libnvrtc.so.12"), at("libnvrtc.so.11.2"));
  EXPECT_LT(at("libnvrtc.so.11.2"), at("libnvrtc.so.13"));
  EXPECT_LT(at("libnvrtc.so.13"), static_cast<std::ptrdiff_t>(places.size()));
  EXPECT_EQ(nvrtc_places(13).front(), "libnvrtc.so.13");
}

TEST(Nvrtc, is_looked_for_in_toolkits_and_in_pythons_packages) {
  testing::TemporaryFolder folder;
  const fs::path toolkit = folder.path() / "toolkit";
  const fs::path packages = folder.path() / "venv/lib/python3.12/site-packages/nvidia";
  for (const fs::path& place : {toolkit / "lib64", toolkit / "targets/sbsa-linux/lib",
                                packages / "cuda_nvrtc/lib", packages / "cu13/lib"}) {
    fs::create_directories(place);
    testing::put_bytes(place / "libnvrtc.so.13", "");
  }
  const char* const home_before = std::getenv("CUDA_HOME");
  const std::string home = home_before == nullptr ? "" : home_before;
  setenv("CUDA_HOME", toolkit.c_str(), 1);
  setenv("VIRTUAL_ENV", (folder.path() / "venv").c_str(), 1);
  const auto places = nvrtc_places(13);
  unsetenv("VIRTUAL_ENV");
  home_before == nullptr ? unsetenv("CUDA_HOME") : setenv("CUDA_HOME", home.c_str(), 1);
  for (const fs::path& place : {toolkit / "lib64", toolkit / "targets/sbsa-linux/lib",
                                packages / "cuda_nvrtc/lib", packages / "cu13/lib"}) {
    EXPECT_TRUE(std::ranges::count(places, (place / "libnvrtc.so.13").string()) == 1) << place;
  }
}

TEST(Nvrtc, a_library_that_is_another_one_is_refused) {
  const auto missing = open_nvrtc_at("libno_such_compiler.so");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kMachineLacks);
  const auto other = open_nvrtc_at("libc.so.6");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().what, "is no NVRTC of CUDA 11.2 or newer");
}

TEST(Nvrtc, tells_its_version_where_it_is_installed) {
  const auto nvrtc = open_nvrtc(13);
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().what;
  EXPECT_NE(nvrtc->version_text().find('.'), std::string::npos);
}

}  // namespace
}  // namespace strobe::bench
