#include "strobe/bench/providers/cuda/nvrtc.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tests/unit/bench/providers/cuda/fake_nvrtc.h"

namespace strobe::bench {
namespace {

TEST(Nvrtc, a_library_that_is_another_one_is_refused) {
  const auto missing = open_nvrtc_at("libno_such_compiler.so");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  const auto other = open_nvrtc_at("libc.so.6");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().what, "is not NVRTC of CUDA 11.2 or newer (it has no nvrtcVersion)");
}

TEST(Nvrtc, tells_its_version_where_it_is_installed) {
  const auto nvrtc = open_nvrtc(13);
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().what;
  EXPECT_NE(nvrtc->version_text().find('.'), std::string::npos);
}

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

TEST(RunTimeCompiler, is_known_by_its_file_before_it_is_opened) {
  const FakeNvrtc nvrtc("13.7");
  const RunTimeCompiler compiler = RunTimeCompiler::find(13);
  EXPECT_TRUE(compiler.is_there());
  EXPECT_EQ(compiler.text(), "NVRTC 13.7");
  EXPECT_FALSE(compiler.is_open());
}

TEST(RunTimeCompiler, a_file_that_turns_out_to_be_none_gives_way_to_the_next) {
  const FakeNvrtc nvrtc("13.7");
  RunTimeCompiler compiler = RunTimeCompiler::find(13);
  const auto opened = compiler.open();
  if (!opened) {
    EXPECT_EQ(opened.error().code, ErrorCode::kMachineLacks);
    EXPECT_FALSE(compiler.is_there());
    EXPECT_EQ(compiler.text(), "");
    return;
  }
  EXPECT_NE((*opened)->library, nvrtc.library().string());
  EXPECT_NE(compiler.text(), "NVRTC 13.7");  // its own answer
}

TEST(RunTimeCompiler, its_name_tells_what_it_says_itself) {
  RunTimeCompiler compiler = RunTimeCompiler::find(99);
  const std::string before = compiler.text();
  if (!compiler.open()) GTEST_SKIP() << "no run-time compiler here";
  EXPECT_EQ(compiler.text(), before);
}

TEST(RunTimeCompiler, what_is_missing_is_said) {
  const RunTimeCompiler compiler =
      Error{.code = ErrorCode::kMachineLacks, .what = "none", .where = "", .hint = ""};
  EXPECT_FALSE(compiler.is_there());
  EXPECT_EQ(compiler.text(), "");
}

}  // namespace
}  // namespace strobe::bench
