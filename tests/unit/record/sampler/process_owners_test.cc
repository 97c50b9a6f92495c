#include "strobe/record/sampler/process_owners.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/record/sampler/process_folder.h"

namespace strobe::record {
namespace {

constexpr auto kSeenInList = NumberSource::kList;
constexpr auto kSeenWithUse = NumberSource::kUse;

TEST(ProcessOwnersTest, descendants_of_recorded_processes_are_own) {
  ProcessFolder processes;
  processes.add(100, 1, "python3");
  processes.add(110, 100, "sh");
  processes.add(120, 110, "worker");
  processes.add(300, 1, "other");
  processes.add(310, 300, "other");
  ProcessOwners owners(processes.access());
  owners.set_own(std::array<pid_t, 1>{100});
  EXPECT_EQ(owners.see(kSeenInList, 100), Owner::kOwn);
  EXPECT_EQ(owners.see(kSeenInList, 120), Owner::kOwn);
  EXPECT_EQ(owners.see(kSeenInList, 310), Owner::kForeign);
  EXPECT_EQ(owners.name_of(310), "other (310)");
}

TEST(ProcessOwnersTest, a_process_that_turns_out_to_be_recorded_is_no_longer_foreign) {
  ProcessFolder processes;
  processes.add(300, 1, "daemon");
  processes.add(310, 300, "daemon");
  ProcessOwners owners(processes.access());
  EXPECT_EQ(owners.see(kSeenInList, 310), Owner::kForeign);
  owners.set_own(std::array<pid_t, 1>{300});
  EXPECT_EQ(owners.see(kSeenInList, 310), Owner::kOwn);
  EXPECT_EQ(owners.see(kSeenInList, 300), Owner::kOwn);
  owners.set_own({});
  processes.remove(300);
  EXPECT_EQ(owners.see(kSeenInList, 310), Owner::kOwn);
  EXPECT_EQ(owners.see(kSeenInList, 300), Owner::kOwn) << "also after its end";
}

TEST(ProcessOwnersTest, a_process_that_nobody_can_look_at_is_unknown) {
  ProcessFolder processes;
  ProcessOwners owners(processes.access());
  EXPECT_EQ(owners.see(kSeenInList, 4711), Owner::kUnknown);
  EXPECT_EQ(owners.see(kSeenInList, 0), Owner::kUnknown);
  EXPECT_EQ(owners.see(kSeenInList, -1), Owner::kUnknown);
  processes.add(4711, 1, "late");
  EXPECT_EQ(owners.see(kSeenInList, 4711), Owner::kForeign);
}

TEST(ProcessOwnersTest, where_users_see_only_their_own_processes_a_hidden_one_is_foreign) {
  ProcessFolder machine;
  machine.hide(900);
  ProcessOwners owners(machine.access());
  EXPECT_EQ(owners.see(kSeenInList, 900), Owner::kForeign);
  EXPECT_EQ(owners.name_of(900), "another user's process (900)");
  ProcessFolder container(true);
  container.hide(900);
  EXPECT_EQ(ProcessOwners(container.access()).see(kSeenInList, 900), Owner::kUnknown);
}

TEST(ProcessOwnersTest, numbers_in_a_container_hold_once_an_own_process_was_seen) {
  ProcessFolder container(true);
  container.add(17, 1, "python3");
  ProcessOwners owners(container.access());
  owners.set_own(std::array<pid_t, 1>{17});
  EXPECT_FALSE(owners.sees_all());
  EXPECT_FALSE(owners.are_of_this_machine(kSeenInList));
  owners.see(kSeenInList, 645400);
  EXPECT_FALSE(owners.are_of_this_machine(kSeenInList));
  owners.see(kSeenInList, 17);
  EXPECT_TRUE(owners.are_of_this_machine(kSeenInList));
  EXPECT_FALSE(owners.are_of_this_machine(kSeenWithUse)) << "the driver may differ there";
}

TEST(ProcessOwnersTest, outside_of_containers_all_numbers_hold) {
  const ProcessFolder machine;
  const ProcessOwners owners(machine.access());
  EXPECT_TRUE(owners.sees_all());
  EXPECT_TRUE(owners.are_of_this_machine(kSeenInList));
  EXPECT_TRUE(owners.are_of_this_machine(kSeenWithUse));
}

TEST(ProcessOwnersTest, a_program_that_computes_on_the_device_holds_its_memory_manager) {
  ProcessFolder processes;
  processes.add(17, 1, "python3");
  processes.open_file(17, "/dev/nvidiactl");
  ProcessOwners owners(processes.access());
  owners.set_own(std::array<pid_t, 2>{16, 17});
  EXPECT_FALSE(owners.own_process_uses_device()) << "NVML opens this one, too";
  processes.open_file(17, "/dev/nvidia-uvm");
  EXPECT_TRUE(owners.own_process_uses_device());
}

TEST(ProcessOwnersTest, servers_are_named_as_such_and_names_may_be_hidden) {
  ProcessFolder processes;
  processes.add(12, 1, "nvidia-cuda-mps");
  processes.add(13, 1, "a (b)\n");
  ProcessAccess access = processes.access();
  ProcessOwners owners(access);
  EXPECT_TRUE(owners.is_mps_server(12));
  EXPECT_EQ(owners.name_of(12), "MPS server (12)");
  EXPECT_EQ(owners.name_of(13).find('\n'), std::string::npos);
  access.shown_name = [](std::string_view) { return std::string("hidden"); };
  EXPECT_EQ(ProcessOwners(access).name_of(13), "hidden (13)");
}

TEST(ProcessOwnersTest, this_test_is_no_ancestor_of_itself) {
  ProcessOwners owners;
  EXPECT_NE(owners.see(kSeenInList, getpid()), Owner::kOwn);
  owners.set_own(std::array<pid_t, 1>{getppid()});
  EXPECT_EQ(owners.see(kSeenInList, getpid()), Owner::kOwn);
}

}  // namespace
}  // namespace strobe::record
