#include "strobe/device/own_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/temporary_folder.h"

namespace strobe::device {
namespace {

TEST(OwnLibraryTest, a_variable_names_it) {
  const testing::TemporaryFolder folder;
  setenv("STROBE_OWN_LIBRARY", (folder / "own.so").c_str(), 1);
  const auto missing = find_own_library("libstrobe_x.so", "STROBE_OWN_LIBRARY", "there is an X");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kMachineLacks);
  EXPECT_EQ(missing.error().where, (folder / "own.so").string());
  EXPECT_THAT(missing.error().hint, ::testing::HasSubstr("built where there is an X"));

  testing::put_bytes(folder / "own.so", "");
  const auto found = find_own_library("libstrobe_x.so", "STROBE_OWN_LIBRARY", "there is an X");
  unsetenv("STROBE_OWN_LIBRARY");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, std::filesystem::canonical(folder / "own.so"));
}

}  // namespace
}  // namespace strobe::device
