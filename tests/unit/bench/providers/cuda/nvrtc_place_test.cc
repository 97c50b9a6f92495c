#include "strobe/bench/providers/cuda/nvrtc_place.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "fake_nvrtc.h"
#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

namespace fs = std::filesystem;
using strobe::testing::put_bytes;
using strobe::testing::TemporaryFolder;

TEST(NvrtcPlace, the_first_library_of_this_machine_is_found_with_its_version) {
  const FakeNvrtc nvrtc("13.0");
  const auto place = find_nvrtc(13);
  ASSERT_TRUE(place) << place.error().what;
  EXPECT_EQ(place->library, nvrtc.library().string());
  EXPECT_EQ(place->version, "13.0");
}

TEST(NvrtcPlace, a_library_of_another_machine_is_passed_over) {
  const FakeNvrtc nvrtc("13.0");
  std::string bytes = strobe::testing::bytes_of(nvrtc.library()).substr(0, 64);
  bytes[18] = '\x14';  // PowerPC, in the head of the file
  put_bytes(nvrtc.library(), bytes);
  const auto place = find_nvrtc(13);
  if (place) {
    EXPECT_NE(place->library, nvrtc.library().string());
  }
}

TEST(NvrtcPlace, the_name_a_link_ends_at_tells_the_version) {
  const TemporaryFolder folder;
  put_bytes(folder / "libnvrtc.so.12.8.93", "");
  fs::create_symlink("libnvrtc.so.12.8.93", folder / "libnvrtc.so.12");
  put_bytes(folder / "libnvrtc-builtins.so.12.6", "");
  EXPECT_EQ(nvrtc_version_at(folder / "libnvrtc.so.12"), "12.8");
}

TEST(NvrtcPlace, else_its_companion_tells) {
  const TemporaryFolder folder;
  put_bytes(folder / "libnvrtc.so.13", "");
  EXPECT_EQ(nvrtc_version_at(folder / "libnvrtc.so.13"), "");
  put_bytes(folder / "libnvrtc-builtins.so.13.1.20", "");
  fs::create_symlink("libnvrtc-builtins.so.13.1.20", folder / "libnvrtc-builtins.so.13.1");
  EXPECT_EQ(nvrtc_version_at(folder / "libnvrtc.so.13"), "13.1");
}

TEST(NvrtcPlace, two_companions_tell_nothing) {
  const TemporaryFolder folder;
  put_bytes(folder / "libnvrtc.so.13", "");
  put_bytes(folder / "libnvrtc-builtins.so.13.0", "");
  put_bytes(folder / "libnvrtc-builtins.so.13.1", "");
  EXPECT_EQ(nvrtc_version_at(folder / "libnvrtc.so.13"), "");
}

TEST(NvrtcPlace, the_name_of_cuda_11_does_not_tell_its_version) {
  const TemporaryFolder folder;
  put_bytes(folder / "libnvrtc.so.11.2", "");
  EXPECT_EQ(nvrtc_version_at(folder / "libnvrtc.so.11.2"), "");
  put_bytes(folder / "libnvrtc-builtins.so.11.8", "");
  EXPECT_EQ(nvrtc_version_at(folder / "libnvrtc.so.11.2"), "11.8");
}

TEST(NvrtcPlace, what_is_not_there_has_no_version) {
  EXPECT_EQ(nvrtc_version_at("/no/such/libnvrtc.so.13"), "");
}

}  // namespace
}  // namespace strobe::bench
