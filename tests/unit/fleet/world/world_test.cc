#include "strobe/fleet/world/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace strobe::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WorldTest : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("STROBE_MPI");
  }
};

TEST_F(WorldTest, one_process_has_its_own_messages) {
  const auto world = open_world();
  ASSERT_TRUE(world);
  EXPECT_TRUE((*world)->is_first());
  EXPECT_EQ((*world)->size(), 1u);
  EXPECT_THAT(*(*world)->gather({"a", ""}), ElementsAre(ElementsAre("a", "")));
}

TEST_F(WorldTest, several_processes_need_the_library) {
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  setenv("STROBE_MPI", "/nowhere/libstrobe_mpi.so", 1);
  const auto world = open_world();
  ASSERT_FALSE(world);
  EXPECT_EQ(world.error().code, ErrorCode::kMachineLacks);
  EXPECT_EQ(world.error().what, "mpirun started 4 processes, and this strobe speaks no MPI");
  EXPECT_THAT(world.error().hint, HasSubstr("libopenmpi-dev"));
}

}  // namespace
}  // namespace strobe::fleet
