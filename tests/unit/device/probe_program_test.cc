#include <gmock/gmock.h>

#include "strobe/device/probe.h"

namespace strobe::device {
namespace {

TEST(ProbeProgramTest, a_program_is_found_by_any_of_its_names) {
  const auto shell = probe_program({"no-such-program-anywhere", "sh"});
  ASSERT_TRUE(shell.has_value());
  EXPECT_TRUE(shell->path.ends_with("/sh"));
}

TEST(ProbeProgramTest, a_program_that_is_not_there_is_absent) {
  EXPECT_FALSE(probe_program({"no-such-program-anywhere"}).has_value());
}

TEST(ProbeProgramTest, a_version_is_the_first_number_with_a_dot) {
  EXPECT_EQ(version_in("git version 2.39.5"), "2.39.5");
  EXPECT_EQ(version_in("v20.20.2\n"), "20.20.2");
  EXPECT_EQ(version_in("nvcc: NVIDIA (R)\n(c) 2005-2024 NVIDIA\nrelease 12.4, V12.4.131"), "12.4");
  EXPECT_EQ(version_in("Chromium 120.0.6099.224 built on Debian 12.4."), "120.0.6099.224");
  EXPECT_EQ(version_in("no numbers"), "");
  EXPECT_EQ(version_in("7"), "");
}

}  // namespace
}  // namespace strobe::device
