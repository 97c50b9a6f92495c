#include "strobe/bench/providers/cuda/code_store.h"

#include <gtest/gtest.h>

#include "scripted_driver.h"
#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

namespace fs = std::filesystem;

class CodeStore : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = script_.device();
    ASSERT_NE(device_, nullptr);
  }
  Result<StoredCode> find(const std::string& source) {
    return compile_or_find(*device_, source, "strobe_a", folder_.path() / "new");
  }
  fs::path file_of(const std::string& source) {
    return folder_.path() / "new" / (code_key(*device_, source) + ".cubin");
  }

  testing::TemporaryFolder folder_;
  ScriptedDriver script_;
  std::unique_ptr<CudaDevice> device_;
};

TEST_F(CodeStore, compiles_once_and_finds_it_again) {
  const auto first = find("a kernel");
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->is_cached);
  const auto second = find("a kernel");
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->is_cached);
  EXPECT_EQ(second->image, first->image);
  EXPECT_EQ(script_.count("compile"), 1u);
}

TEST_F(CodeStore, another_source_or_another_chip_is_another_key) {
  EXPECT_NE(code_key(*device_, "a"), code_key(*device_, "b"));
  script_.attributes[cu::kCapabilityMajor] = 8;
  const auto device = script_.device();
  EXPECT_NE(code_key(*device_, "a"), code_key(*device, "a"));
}

TEST_F(CodeStore, a_damaged_file_is_compiled_anew_and_written_over) {
  ASSERT_TRUE(find("a kernel"));
  std::string bytes = testing::bytes_of(file_of("a kernel"));
  bytes.back() ^= 1;
  testing::put_bytes(file_of("a kernel"), bytes);
  EXPECT_FALSE(find("a kernel")->is_cached);
  EXPECT_TRUE(find("a kernel")->is_cached);
  for (const std::size_t length : {std::size_t{0}, std::size_t{5}, bytes.size() - 1}) {
    testing::put_bytes(file_of("a kernel"), bytes.substr(0, length));
    EXPECT_FALSE(find("a kernel")->is_cached) << length;
  }
}

TEST_F(CodeStore, leaves_no_half_written_file) {
  ASSERT_TRUE(find("a kernel"));
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_.path() / "new")) {
    EXPECT_EQ(entry.path().extension(), ".cubin");
    ++files;
  }
  EXPECT_EQ(files, 1u);
}

TEST_F(CodeStore, a_folder_that_cannot_be_written_to_is_no_error) {
  testing::put_bytes(folder_.path() / "new", "a file where a folder should be");
  const auto code = find("a kernel");
  ASSERT_TRUE(code);
  EXPECT_FALSE(code->is_cached);
}

TEST_F(CodeStore, without_a_folder_nothing_is_kept) {
  ASSERT_TRUE(compile_or_find(*device_, "a kernel", "strobe_a", ""));
  EXPECT_FALSE(compile_or_find(*device_, "a kernel", "strobe_a", "")->is_cached);
}

TEST_F(CodeStore, what_does_not_compile_is_an_error_with_the_compilers_words) {
  const auto code = find("#error no");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().what, "nvrtcCompileProgram of 'strobe_a' gives an error of a test");
  EXPECT_EQ(code.error().hint, "line 1: error");
  EXPECT_FALSE(fs::exists(file_of("#error no")));
}

}  // namespace
}  // namespace strobe::bench
