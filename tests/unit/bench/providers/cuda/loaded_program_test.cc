#include "strobe/bench/providers/cuda/loaded_program.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tests/unit/bench/providers/cuda/scripted_driver.h"
#include "tests/unit/bench/providers/cuda/scripted_program.h"

namespace strobe::bench {
namespace {

class KernelCodeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = script_.device();
    ASSERT_NE(device_, nullptr);
  }
  Result<KernelCode> find(const std::string& source, const std::string& name = "strobe_a") {
    return find_or_compile(*device_, source, name, (folder_ / "new").string());
  }

  strobe::testing::TemporaryFolder folder_;
  ScriptedDriver script_;
  std::unique_ptr<CudaDevice> device_;
};

TEST_F(KernelCodeTest, is_compiled_once_and_found_again) {
  const auto first = find("a kernel");
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->is_cached);
  EXPECT_EQ(first->not_kept, "");
  const auto second = find("a kernel");
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->is_cached);
  EXPECT_EQ(second->image, first->image);
  EXPECT_EQ(script_.count("compile"), 1u);
}

TEST_F(KernelCodeTest, of_another_chip_it_is_other_code) {
  ASSERT_TRUE(find("a kernel"));
  script_.attributes[cu::kCapabilityMajor] = 8;
  device_ = script_.device();
  EXPECT_FALSE(find("a kernel")->is_cached);
}

TEST_F(KernelCodeTest, without_a_folder_nothing_is_kept) {
  ASSERT_TRUE(find_or_compile(*device_, "a kernel", "strobe_a", ""));
  EXPECT_FALSE(find_or_compile(*device_, "a kernel", "strobe_a", "")->is_cached);
}

TEST_F(KernelCodeTest, what_cannot_be_kept_is_used_all_the_same) {
  strobe::testing::put_bytes(folder_ / "new", "a file where a folder should be");
  const auto code = find("a kernel");
  ASSERT_TRUE(code);
  EXPECT_EQ(code->not_kept, (folder_ / "new").string() + ": Not a directory");
}

TEST_F(KernelCodeTest, what_does_not_compile_is_an_error_with_the_compilers_words) {
  const auto code = find("#error no");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().what, "nvrtcCompileProgram of 'strobe_a' gives an error of a test");
  EXPECT_EQ(code.error().hint, "line 1: error");
}

TEST_F(KernelCodeTest, candidates_are_compiled_together_each_source_once) {
  std::vector<KernelProgram> programs;
  for (int i = 0; i < 40; ++i) programs.push_back(copy_program("p" + std::to_string(i % 20)));
  programs[7].kernels[0].source = "#error no";
  const CandidateCode code(*device_, programs);
  EXPECT_EQ(script_.count("compile"), 21u);
  for (const KernelProgram& program : programs) {
    const GeneratedKernel& kernel = program.kernels[0];
    const auto found = code.of(kernel);
    if (kernel.source == "#error no") {
      EXPECT_EQ(found.error().hint, "line 1: error");
      continue;
    }
    ASSERT_TRUE(found);
    EXPECT_EQ(std::string(found->image.begin(), found->image.end()), kernel.source);
  }
}

TEST_F(KernelCodeTest, without_a_compiler_no_candidate_has_code) {
  const Error missing = {
      .code = ErrorCode::kMachineLacks, .what = "no compiler", .where = "", .hint = ""};
  const auto device = CudaDevice::open(script_.api(), missing, {});
  ASSERT_TRUE(device);
  const std::vector<KernelProgram> programs = {copy_program()};
  const auto found = CandidateCode(**device, programs).of(programs[0].kernels[0]);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kMachineLacks);
}

}  // namespace
}  // namespace strobe::bench
