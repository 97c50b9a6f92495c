#include "strobe/bench/providers/cuda/library_places.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

using ::testing::Contains;

constexpr std::array<std::string_view, 1> kSonames = {"libof_a_test.so.7"};
constexpr std::array<std::string_view, 1> kWheels = {"of_a_test"};

class LibraryPlaces : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("CUDA_HOME");
    unsetenv("VIRTUAL_ENV");
  }
  std::string put(const std::string& below) {
    const auto path = folder_.path() / below / "libof_a_test.so.7";
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "x";
    return path.string();
  }
  testing::TemporaryFolder folder_;
};

TEST_F(LibraryPlaces, the_loaders_own_places_come_first) {
  EXPECT_EQ(library_places(kSonames, kWheels).at(0), "libof_a_test.so.7");
}

TEST_F(LibraryPlaces, a_toolkit_and_a_wheel_that_the_environment_names_are_searched) {
  const std::string toolkit = put("toolkit/lib64");
  const std::string wheel = put("venv/lib/python3.11/site-packages/nvidia/of_a_test/lib");
  setenv("CUDA_HOME", (folder_.path() / "toolkit").c_str(), 1);
  setenv("VIRTUAL_ENV", (folder_.path() / "venv").c_str(), 1);
  const auto places = library_places(kSonames, kWheels);
  EXPECT_THAT(places, Contains(toolkit));
  EXPECT_THAT(places, Contains(wheel));
}

}  // namespace
}  // namespace strobe::bench
