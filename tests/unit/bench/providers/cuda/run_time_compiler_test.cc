#include "strobe/bench/providers/cuda/run_time_compiler.h"

#include <gtest/gtest.h>

#include "fake_nvrtc.h"

namespace strobe::bench {
namespace {

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
  EXPECT_NE(compiler.text(), "NVRTC 13.7");  // what it says itself
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
