#include "strobe/analysis/ranks/collective_form.h"

#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

TEST(CollectiveFormTest, a_library_on_the_host_shows_the_whole_exchange) {
  for (const char* name : {"gloo:all_reduce", "mpi:broadcast", "ucc:all_gather"}) {
    EXPECT_EQ(host_collective_form(name, false), CollectiveForm::kExchange) << name;
    EXPECT_EQ(host_collective_form(name, true), CollectiveForm::kExchange) << name;
  }
}

TEST(CollectiveFormTest, a_library_of_a_device_shows_only_its_call) {
  for (const char* name :
       {"nccl:all_reduce", "rccl:all_reduce", "hccl:broadcast", "cncl:barrier"}) {
    EXPECT_EQ(host_collective_form(name, false), CollectiveForm::kLibraryCall) << name;
  }
}

TEST(CollectiveFormTest, operators_and_the_notes_inside_of_them_are_told_apart) {
  EXPECT_EQ(host_collective_form("c10d::allreduce_", true), CollectiveForm::kOperator);
  EXPECT_EQ(host_collective_form("record_param_comms", true), CollectiveForm::kParameters);
}

TEST(CollectiveFormTest, other_names_are_none) {
  EXPECT_EQ(host_collective_form("aten::mm", true), CollectiveForm::kNone);
  EXPECT_EQ(host_collective_form("c10d::allreduce_", false), CollectiveForm::kNone);
  EXPECT_EQ(host_collective_form("my gloo:all_reduce", false), CollectiveForm::kNone);
}

}  // namespace
}  // namespace strobe::analysis
