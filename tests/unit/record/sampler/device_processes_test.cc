#include "strobe/record/sampler/device_processes.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stub_cuda/stub_nvml.h"
#include "tests/unit/record/sampler/device_recording.h"
#include "tests/unit/record/sampler/process_folder.h"

namespace strobe::record {
namespace {

using device::NvmlAnswer;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kDeviceBytes = 1000;

// The recorded process is 100; 300 belongs to somebody else.
class DeviceProcessesTest : public test::WithStubNvml {
 protected:
  void look(const std::string& script, int times = 1) { look_in(machine_, script, times); }
  void look_in(ProcessFolder& folder, const std::string& script, int times = 1) {
    folder.add(100, 1, "python3");
    folder.add(300, 1, "render");
    const device::NvmlApi api = started(script);
    ProcessOwners owners(folder.access());
    owners.set_own(std::array<pid_t, 1>{100});
    for (int i = 0; i < times; ++i) {
      list_ = processes_.sample_list(api, handle(api), i, owners, recording_.log());
      use_ = processes_.sample_use(api, handle(api), i, 1, owners, recording_.log());
    }
  }

  ProcessFolder machine_;
  DeviceRecording recording_;
  DeviceProcesses processes_{0, kDeviceBytes, 0};
  NvmlAnswer list_ = NvmlAnswer::kGiven;
  NvmlAnswer use_ = NvmlAnswer::kGiven;
};

TEST_F(DeviceProcessesTest, own_and_foreign_processes_are_told_apart) {
  look("0.processes=100:600 300:250; 0.use=100:61 300:30");
  EXPECT_THAT(recording_.values("gpu_process_usage"), ElementsAre(61));
  EXPECT_THAT(recording_.values("gpu_foreign_usage"), ElementsAre(30));
  EXPECT_THAT(recording_.values("gpu_foreign_process_usage", 0, "render (300)"), ElementsAre(30));
  EXPECT_THAT(recording_.values("gpu_foreign_processes"), ElementsAre(1));
  EXPECT_THAT(recording_.values("gpu_foreign_mem_used"), ElementsAre(25));
}

TEST_F(DeviceProcessesTest, processes_that_draw_count_too_and_only_once) {
  look("0.processes=300:250; 0.graphics=300:200");
  EXPECT_THAT(recording_.values("gpu_foreign_processes"), ElementsAre(1));
  EXPECT_THAT(recording_.values("gpu_foreign_mem_used"), ElementsAre(25));
}

TEST_F(DeviceProcessesTest, who_stops_using_the_device_is_written_as_0_once) {
  look("0.processes=100:1 300:1; 0.use=300:40,100:90,100:90", 3);
  EXPECT_THAT(recording_.values("gpu_foreign_process_usage", 0, "render (300)"),
              ElementsAre(40, 0));
  EXPECT_THAT(recording_.values("gpu_foreign_usage"), ElementsAre(40, 0, 0));
  EXPECT_THAT(recording_.values("gpu_process_usage"), ElementsAre(0, 90, 90));
}

TEST_F(DeviceProcessesTest, no_new_samples_are_no_use) {
  look("0.processes=100:1; 0.use=");
  EXPECT_THAT(recording_.values("gpu_process_usage"), ElementsAre(0));
  EXPECT_THAT(recording_.values("gpu_foreign_usage"), ElementsAre(0));
}

TEST_F(DeviceProcessesTest, an_empty_device_is_not_asked_for_use) {
  look("0.processes=", 3);
  EXPECT_EQ(calls("0.use"), 0u);
  EXPECT_THAT(recording_.values("gpu_process_usage"), ElementsAre(0, 0, 0));
}

TEST_F(DeviceProcessesTest, who_came_after_the_list_was_made_counts) {
  machine_.add(100, 1, "python3");
  const device::NvmlApi api = started("0.processes=,100:600; 0.use=100:61");
  ProcessOwners owners(machine_.access());
  owners.set_own(std::array<pid_t, 1>{100});
  processes_.sample_list(api, handle(api), 0, owners, recording_.log());
  processes_.sample_use(api, handle(api), 1, 1, owners, recording_.log());
  EXPECT_THAT(recording_.values("gpu_process_usage"), ElementsAre(61));
}

TEST_F(DeviceProcessesTest, rubbish_is_left_out) {
  look("0.processes=100:1 300:1; 0.use=300:37100 0:50 100:20");
  EXPECT_THAT(recording_.values("gpu_process_usage"), ElementsAre(20));
  EXPECT_THAT(recording_.values("gpu_foreign_usage"), ElementsAre(0));
}

TEST_F(DeviceProcessesTest, a_process_that_has_ended_makes_nobody_foreign) {
  look("0.processes=100:1 555:1; 0.use=100:20 555:70");
  EXPECT_THAT(recording_.values("gpu_process_usage"), ElementsAre(20));
  EXPECT_THAT(recording_.values("gpu_foreign_usage"), IsEmpty()) << "70 % may be own";
  EXPECT_THAT(recording_.values("gpu_foreign_processes"), IsEmpty());
  EXPECT_THAT(recording_.keys("gpu_foreign_process_usage"), IsEmpty());
}

TEST_F(DeviceProcessesTest, more_processes_than_room_fit_the_next_time) {
  std::string all = "100:1";
  for (pid_t process = 1000; process < 2200; ++process) {
    machine_.add(process, 1, "crowd");
    all += " " + std::to_string(process) + ":1";
  }
  look("0.processes=" + all + "; 0.use=" + all, 3);
  EXPECT_THAT(recording_.values("gpu_foreign_processes"), ElementsAre(1200, 1200));
  EXPECT_THAT(recording_.values("gpu_process_usage"), ElementsAre(1, 1));
  EXPECT_THAT(recording_.values("gpu_foreign_usage"), ElementsAre(100, 100));
}

TEST_F(DeviceProcessesTest, in_a_container_numbers_of_the_host_make_nobody_foreign) {
  ProcessFolder container(true);
  look_in(container, "0.processes=645400:600 645500:100; 0.use=645400:61 645500:30", 12);
  for (const char* metric : {"gpu_process_usage", "gpu_foreign_usage", "gpu_foreign_process_usage",
                             "gpu_foreign_processes", "gpu_foreign_mem_used"}) {
    EXPECT_THAT(recording_.keys(metric), IsEmpty()) << metric;
  }
  EXPECT_EQ(processes_.strange_answers(), 12);
}

TEST_F(DeviceProcessesTest, in_a_container_a_list_may_hold_while_the_use_does_not) {
  ProcessFolder container(true);
  look_in(container, "0.processes=100:0 300:0; 0.use=645400:61");
  EXPECT_THAT(recording_.values("gpu_foreign_processes"), ElementsAre(1));
  EXPECT_THAT(recording_.values("gpu_foreign_mem_used"), IsEmpty()) << "0 bytes are not known";
  EXPECT_THAT(recording_.values("gpu_process_usage"), IsEmpty());
  EXPECT_THAT(recording_.values("gpu_foreign_usage"), IsEmpty());
}

TEST_F(DeviceProcessesTest, in_a_container_no_foreign_process_is_no_fact) {
  ProcessFolder container(true);
  look_in(container, "0.processes=100:5,100:5 300:5,100:5; 0.use=100:50 645500:30", 3);
  EXPECT_THAT(recording_.values("gpu_foreign_processes"), ElementsAre(1, 0));
  EXPECT_THAT(recording_.values("gpu_process_usage"), Each(50));
  EXPECT_THAT(recording_.values("gpu_foreign_usage"), IsEmpty());
}

TEST_F(DeviceProcessesTest, a_server_that_runs_own_work_is_not_foreign) {
  machine_.add(12, 1, "nvidia-cuda-mps");
  look("0.processes=12:30 100:600; 0.mps=100:600; 0.use=12:80");
  EXPECT_TRUE(processes_.shares_mps_server());
  EXPECT_THAT(recording_.values("gpu_foreign_processes"), ElementsAre(0));
  EXPECT_THAT(recording_.values("gpu_foreign_usage"), IsEmpty());
  EXPECT_EQ(processes_.strange_answers(), 0);
}

TEST_F(DeviceProcessesTest, a_server_of_others_is_foreign_and_named_as_one) {
  machine_.add(12, 1, "nvidia-cuda-mps");
  look("0.processes=12:30 100:600 300:200; 0.mps=300:200; 0.use=12:80 100:10");
  EXPECT_FALSE(processes_.shares_mps_server());
  EXPECT_THAT(recording_.values("gpu_foreign_usage"), ElementsAre(80));
  EXPECT_THAT(recording_.keys("gpu_foreign_process_usage"), ElementsAre("MPS server (12)"));
}

TEST_F(DeviceProcessesTest, a_server_whose_clients_are_not_known_is_not_foreign) {
  machine_.add(12, 1, "nvidia-cuda-mps");
  look("0.processes=12:30 100:600; 0.mps=!3; 0.use=12:80");
  EXPECT_TRUE(processes_.shares_mps_server());
  EXPECT_THAT(recording_.values("gpu_foreign_usage"), IsEmpty());
}

TEST_F(DeviceProcessesTest, a_driver_without_these_calls_says_so) {
  look("0.processes=!3; 0.use=!3");
  EXPECT_EQ(list_, NvmlAnswer::kNever);
  EXPECT_EQ(use_, NvmlAnswer::kNever);
}

}  // namespace
}  // namespace strobe::record
