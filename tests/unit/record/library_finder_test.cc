#include "strobe/record/library_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::put_bytes;
using testing::TemporaryFolder;

class LibraryFinder : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("STROBE_INJECT");
    unsetenv("VIRTUAL_ENV");
  }
  TemporaryFolder folder_;
};

TEST_F(LibraryFinder, the_variable_names_the_library) {
  put_bytes(folder_ / "own.so", "");
  setenv("STROBE_INJECT", (folder_ / "own.so").c_str(), 1);
  const Result<fs::path> found = find_injection_library();
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, fs::canonical(folder_ / "own.so"));
}

TEST_F(LibraryFinder, where_it_was_looked_for_is_said) {
  setenv("STROBE_INJECT", (folder_ / "missing.so").c_str(), 1);
  const Result<fs::path> found = find_injection_library();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kMachineLacks);
  EXPECT_THAT(found.error().where, HasSubstr("missing.so"));
}

TEST_F(LibraryFinder, a_python_brings_its_own_counters) {
  const fs::path wheel = folder_ / "lib/python3.12/site-packages/nvidia/cu13/lib";
  fs::create_directories(wheel);
  fs::create_directories(folder_ / "bin");
  put_bytes(wheel / "libcupti.so.13", "");
  put_bytes(folder_ / "bin/python3", "");
  EXPECT_EQ(find_python_cupti((folder_ / "bin/python3").string()),
            (wheel / "libcupti.so.13").string());
  setenv("VIRTUAL_ENV", folder_.path().c_str(), 1);
  EXPECT_EQ(find_python_cupti("python3"), (wheel / "libcupti.so.13").string());
}

TEST_F(LibraryFinder, other_programs_bring_none) {
  EXPECT_EQ(find_python_cupti("./app"), "");
  EXPECT_EQ(find_python_cupti((folder_ / "bin/python3").string()), "");
}

}  // namespace
}  // namespace strobe::record
