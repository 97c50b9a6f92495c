#include "strobe/record/sampler/device_readings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stub_cuda/stub_nvml.h"
#include "tests/unit/record/sampler/device_recording.h"

namespace strobe::record {
namespace {

using device::NvmlAnswer;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeviceReadingsTest : public test::WithStubNvml {
 protected:
  // Asks for everything this many times.
  void read(const std::string& script, int times = 1) {
    const device::NvmlApi api = started(script);
    const SampledDevice device{
        .handle = handle(api), .index = 0, .memory_bytes = 80'000, .is_lost = false};
    std::vector<DeviceReading> readings = readings_of(0);
    for (int i = 0; i < times; ++i) {
      for (DeviceReading& reading : readings) {
        last_ = reading.sample(api, device, 1000 * i, recording_.log());
      }
    }
  }

  DeviceRecording recording_;
  NvmlAnswer last_ = NvmlAnswer::kGiven;
};

TEST_F(DeviceReadingsTest, each_value_has_its_name_and_unit) {
  read(
      "0.sm_clock=1755; 0.memory_clock=3201; 0.reasons=0x5; 0.field.186=412500; 0.usage=93; "
      "0.memory_usage=37; 0.temperature=64; 0.used=20000; 0.power_limit=600000; 0.field.3=7; "
      "0.field.4=1; 0.field.94=12");
  EXPECT_THAT(recording_.values("gpu_sm_frequency"), ElementsAre(1755));
  EXPECT_THAT(recording_.values("gpu_mem_frequency"), ElementsAre(3201));
  EXPECT_THAT(recording_.values("gpu_throttle_reasons"), ElementsAre(5));
  EXPECT_THAT(recording_.values("gpu_power_mw"), ElementsAre(412500));
  EXPECT_THAT(recording_.values("gpu_usage"), ElementsAre(93));
  EXPECT_THAT(recording_.values("gpu_mem_util"), ElementsAre(37));
  EXPECT_THAT(recording_.values("gpu_temperature_c"), ElementsAre(64));
  EXPECT_THAT(recording_.values("gpu_mem_used"), ElementsAre(25));
  EXPECT_THAT(recording_.values("gpu_mem_used_bytes"), ElementsAre(20000));
  EXPECT_THAT(recording_.values("gpu_power_limit_mw"), ElementsAre(600000));
  EXPECT_THAT(recording_.values("gpu_ecc_corrected"), ElementsAre(7));
  EXPECT_THAT(recording_.values("gpu_ecc_uncorrected"), ElementsAre(1));
  EXPECT_THAT(recording_.values("gpu_pcie_replays"), ElementsAre(12));
}

TEST_F(DeviceReadingsTest, what_is_not_supported_is_asked_once) {
  read("0.temperature=!3; 0.field.3=!3", 5);
  EXPECT_EQ(calls("0.temperature"), 1u);
  EXPECT_EQ(calls("0.field.3"), 1u);
  EXPECT_EQ(calls("0.power_limit"), 5u);
  EXPECT_THAT(recording_.values("gpu_temperature_c"), IsEmpty());
  EXPECT_THAT(recording_.values("gpu_ecc_uncorrected"), IsEmpty());
}

TEST_F(DeviceReadingsTest, the_next_way_is_taken_where_the_best_is_missing) {
  read("0.field.186=!3; 0.power=300000", 3);
  EXPECT_THAT(recording_.values("gpu_power_mw"), ElementsAre(300000, 300000, 300000));
  EXPECT_EQ(calls("0.field.186"), 1u);
}

TEST_F(DeviceReadingsTest, a_call_that_fails_once_is_asked_again) {
  read("0.sm_clock=1980,!10,1500", 3);
  EXPECT_THAT(recording_.values("gpu_sm_frequency"), ElementsAre(1980, 1500));
  EXPECT_THAT(recording_.times("gpu_sm_frequency"), ElementsAre(0, 2000));
}

TEST_F(DeviceReadingsTest, a_lost_device_says_so) {
  read("0.field.94=!15");
  EXPECT_EQ(last_, NvmlAnswer::kLost);
}

TEST_F(DeviceReadingsTest, an_old_library_without_calls_gives_nothing) {
  const device::NvmlApi nothing;
  for (DeviceReading& reading : readings_of(0)) {
    EXPECT_EQ(reading.sample(nothing, {}, 0, recording_.log()), NvmlAnswer::kNever);
  }
}

}  // namespace
}  // namespace strobe::record
