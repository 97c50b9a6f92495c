#include "strobe/record/sampler/device_sampler.h"

#include <array>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stub_cuda/stub_nvml.h"
#include "tests/unit/record/sampler/device_recording.h"
#include "tests/unit/record/sampler/process_folder.h"

namespace strobe::record {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

constexpr std::int64_t kTicksPerSecond = 50;
constexpr std::int64_t kDeviceTickNs = 1'000'000'000 / kTicksPerSecond;

class DeviceSamplerTest : public test::WithStubNvml {
 protected:
  // By default nothing costs anything.
  void open(
      const std::string& script, const ProcessFolder& folder = ProcessFolder(),
      CpuClock cpu_clock = [] { return std::int64_t{0}; }) {
    auto opened = DeviceSampler::open(nvml(script), folder.access(), cpu_clock);
    ASSERT_TRUE(opened);
    sampler_ = std::move(*opened);
  }
  void run(std::int64_t seconds) {
    const std::int64_t until = tick_ + seconds * kTicksPerSecond;
    for (; tick_ < until; ++tick_) sampler_->sample(tick_ * kDeviceTickNs, recording_.log());
  }

  DeviceRecording recording_;
  std::unique_ptr<DeviceSampler> sampler_;
  std::int64_t tick_ = 0;
};

TEST_F(DeviceSamplerTest, devices_are_described_for_the_manifest) {
  open("devices=2; 1.name=NVIDIA H200; 1.uuid=GPU-7; 1.memory=150754820096; 1.sm_clock=345");
  ASSERT_THAT(sampler_->devices(), SizeIs(2));
  const RecordedDevice& second = sampler_->devices()[1];
  EXPECT_EQ(second.index, 1);
  EXPECT_EQ(second.name, "NVIDIA H200");
  EXPECT_EQ(second.uuid, "GPU-7");
  EXPECT_EQ(second.memory_bytes, 150754820096u);
  EXPECT_EQ(second.sm_clock_mhz, 345);
  EXPECT_EQ(second.memory_clock_mhz, 2619);
  EXPECT_EQ(sampler_->driver_version(), "580.95.05");
  EXPECT_EQ(sampler_->cuda_version(), "13.0");
}

TEST_F(DeviceSamplerTest, what_changes_quickly_is_sampled_often) {
  open("devices=2");
  run(2);
  EXPECT_THAT(recording_.values("gpu_sm_frequency", 1), SizeIs(2 * kTicksPerSecond));
  EXPECT_THAT(recording_.values("gpu_temperature_c", 1), SizeIs(AllOf(Ge(10), Le(12))));
  EXPECT_THAT(recording_.values("gpu_power_limit_mw", 1), SizeIs(AllOf(Ge(2), Le(3))));
  EXPECT_THAT(recording_.values("gpu_pcie_replays", 1), SizeIs(1));
  EXPECT_THAT(recording_.values("gpu_foreign_processes", 1), Each(0));
  EXPECT_THAT(recording_.notes(), IsEmpty());
}

TEST_F(DeviceSamplerTest, a_slow_driver_is_asked_less_often) {
  static std::int64_t spent_ns = 0;
  // Whatever is asked takes a millisecond on a core.
  open("", ProcessFolder(), [] { return spent_ns += 1'000'000; });
  constexpr std::int64_t kSeconds = 100;
  run(kSeconds);
  EXPECT_GT(sampler_->cpu_ns(), 0);
  EXPECT_LE(sampler_->cpu_ns(), kSeconds * 5'000'000) << "0.5 % of a core";
  EXPECT_THAT(recording_.values("gpu_sm_frequency"), SizeIs(Ge(kSeconds)));
}

TEST_F(DeviceSamplerTest, its_own_time_is_counted) {
  open("", ProcessFolder(), thread_cpu_ns);
  run(1);
  EXPECT_GT(sampler_->cpu_ns(), 0);
}

TEST_F(DeviceSamplerTest, a_lost_device_is_noted_once_and_the_others_go_on) {
  open("devices=2; 0.lost_after=60");
  run(1);
  const std::size_t before = recording_.values("gpu_sm_frequency", 0).size();
  const unsigned asked = calls("0.sm_clock");
  run(1);
  EXPECT_EQ(recording_.values("gpu_sm_frequency", 0).size(), before);
  EXPECT_EQ(calls("0.sm_clock"), asked);
  EXPECT_THAT(recording_.values("gpu_sm_frequency", 1), SizeIs(2 * kTicksPerSecond));
  ASSERT_THAT(recording_.notes(), SizeIs(1));
  EXPECT_EQ(recording_.notes()[0].what, wire::NoteWhat::kRefused);
  EXPECT_THAT(recording_.notes()[0].text, HasSubstr("GPU 0 is lost"));
  EXPECT_THAT(sampler_->remarks(), ElementsAre(HasSubstr("GPU 0 is lost")));
}

TEST_F(DeviceSamplerTest, an_error_of_the_device_is_an_event_and_a_note) {
  open("devices=2; 1.event=-,-,8:79,8:79,8:4242,1:0,2:0,-");
  run(1);
  EXPECT_THAT(recording_.values("gpu_xid", 1), ElementsAre(79, 79, 4242));
  ASSERT_THAT(recording_.notes(), SizeIs(3)) << "the same error is told once";
  EXPECT_EQ(recording_.notes()[0].what, wire::NoteWhat::kDeviceError);
  EXPECT_EQ(recording_.notes()[0].count, 79u);
  EXPECT_EQ(recording_.notes()[0].text, "GPU 1 reported Xid 79: the device has fallen off the bus");
  EXPECT_EQ(recording_.notes()[1].text, "GPU 1 reported Xid 4242, an error");
  EXPECT_THAT(recording_.notes()[2].text, HasSubstr("could not be corrected"));
}

TEST_F(DeviceSamplerTest, use_by_processes_is_asked_of_one_device_at_a_time) {
  ProcessFolder machine;
  machine.add(100, 1, "python3");
  open("devices=2; 0.processes=100:1; 1.processes=100:1; 0.use=100:50; 1.use=100:60", machine);
  sampler_->set_own_processes(std::array<pid_t, 1>{100});
  run(4);
  // About two questions to each, instead of four.
  EXPECT_THAT(recording_.values("gpu_process_usage", 0),
              AllOf(Each(50), SizeIs(AllOf(Ge(2), Le(3)))));
  EXPECT_THAT(recording_.values("gpu_process_usage", 1),
              AllOf(Each(60), SizeIs(AllOf(Ge(2), Le(3)))));
}

TEST_F(DeviceSamplerTest, a_container_that_hides_its_processes_is_noted) {
  ProcessFolder container(true);
  container.add(17, 1, "python3");
  open("0.processes=", container);
  sampler_->set_own_processes(std::array<pid_t, 1>{17});
  run(20);
  EXPECT_THAT(recording_.notes(), IsEmpty()) << "the program has not used the device yet";
  container.open_file(17, "/dev/nvidia-uvm");
  run(40);
  ASSERT_THAT(recording_.notes(), SizeIs(1));
  EXPECT_EQ(recording_.notes()[0].what, wire::NoteWhat::kNotPermitted);
  EXPECT_THAT(recording_.notes()[0].text, HasSubstr("container hides its processes"));
  EXPECT_THAT(recording_.keys("gpu_foreign_processes"), IsEmpty());
}

TEST_F(DeviceSamplerTest, a_container_with_numbers_of_the_host_is_noted_and_not_asked_forever) {
  ProcessFolder container(true);
  container.add(17, 1, "python3");
  open("0.processes=17:0; 0.use=645400:80", container);
  sampler_->set_own_processes(std::array<pid_t, 1>{17});
  run(30);
  EXPECT_EQ(calls("0.use"), 10u);
  ASSERT_THAT(recording_.notes(), SizeIs(1));
  EXPECT_THAT(recording_.notes()[0].text, HasSubstr("outside of this container"));
}

TEST_F(DeviceSamplerTest, a_shared_server_is_noted) {
  ProcessFolder machine;
  machine.add(12, 1, "nvidia-cuda-mps");
  machine.add(100, 1, "python3");
  open("0.processes=12:1 100:1; 0.mps=100:1", machine);
  sampler_->set_own_processes(std::array<pid_t, 1>{100});
  run(2);
  EXPECT_THAT(sampler_->remarks(), ElementsAre(HasSubstr("MPS server")));
}

TEST_F(DeviceSamplerTest, a_driver_that_does_not_start_is_explained) {
  for (const auto& [script, words] :
       {std::pair("init=9", "kernel module is not loaded"),
        std::pair("init=18", "different versions"), std::pair("init=999", "an error of the stub"),
        std::pair("devices=0", "sees no GPU"), std::pair("devices=!4", "sees no GPU")}) {
    const auto opened = DeviceSampler::open(nvml(script));
    ASSERT_FALSE(opened) << script;
    EXPECT_EQ(opened.error().code, ErrorCode::kMachineLacks);
    EXPECT_THAT(opened.error().what, HasSubstr(words));
    EXPECT_NE(opened.error().hint, "");
  }
}

TEST_F(DeviceSamplerTest, a_machine_without_the_library_is_explained) {
  const auto opened = DeviceSampler::open(device::open_nvml("libno_such_sensors.so.1"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kMachineLacks);
  EXPECT_THAT(opened.error().what, HasSubstr("there is no NVML on this machine"));
}

TEST_F(DeviceSamplerTest, a_file_that_starts_again_has_all_series_again) {
  open("");
  run(1);
  recording_.log().flush();
  recording_.log().restart();
  run(1);
  EXPECT_THAT(recording_.values("gpu_usage"), Each(97));
}

}  // namespace
}  // namespace strobe::record
