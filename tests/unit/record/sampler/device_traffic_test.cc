#include "strobe/record/sampler/device_traffic.h"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stub_cuda/stub_nvml.h"
#include "tests/unit/record/sampler/device_recording.h"

namespace strobe::record {
namespace {

using device::NvmlAnswer;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

constexpr std::int64_t kTickOf20Ms = 20'000'000;

class DeviceTrafficTest : public test::WithStubNvml {
 protected:
  std::vector<SampledDevice> devices_of(const device::NvmlApi& api, unsigned count) {
    std::vector<SampledDevice> devices;
    for (unsigned index = 0; index < count; ++index) {
      devices.push_back(
          {.handle = handle(api, index), .index = index, .memory_bytes = 0, .is_lost = false});
    }
    return devices;
  }

  DeviceRecording recording_;
};

TEST_F(DeviceTrafficTest, two_readings_that_follow_each_other_give_a_rate) {
  const device::NvmlApi api = started("0.field.198=1000,41000; 0.field.197=500,2500");
  const auto devices = devices_of(api, 1);
  PcieTraffic traffic(api, devices, [] { return std::int64_t{0}; });
  for (std::int64_t tick = 0; tick < 5; ++tick) {
    traffic.sample(tick * kTickOf20Ms, recording_.log());
  }
  // 40,000 and 2,000 bytes in 20 ms.
  EXPECT_THAT(recording_.values("gpu_pcie_receive"), ElementsAre(2'000'000));
  EXPECT_THAT(recording_.values("gpu_pcie_transmit"), ElementsAre(100'000));
  EXPECT_THAT(recording_.times("gpu_pcie_receive"), ElementsAre(kTickOf20Ms));
  EXPECT_EQ(calls("0.field.198"), 2u) << "the next turn is later";
}

TEST_F(DeviceTrafficTest, a_counter_that_wraps_gives_the_same_rate) {
  const device::NvmlApi api = started("0.field.198=4294967000,704; 0.field.197=0");
  const auto devices = devices_of(api, 1);
  PcieTraffic traffic(api, devices, [] { return std::int64_t{0}; });
  traffic.sample(0, recording_.log());
  traffic.sample(kTickOf20Ms, recording_.log());
  EXPECT_THAT(recording_.values("gpu_pcie_receive"), ElementsAre(50'000));  // 1,000 bytes
}

TEST_F(DeviceTrafficTest, readings_so_far_apart_that_a_counter_may_wrap_twice_give_nothing) {
  const device::NvmlApi api = started("0.field.198=0,1000000000");
  const auto devices = devices_of(api, 1);
  PcieTraffic traffic(api, devices, [] { return std::int64_t{0}; });
  traffic.sample(0, recording_.log());
  traffic.sample(40'000'000, recording_.log());
  EXPECT_THAT(recording_.values("gpu_pcie_receive"), IsEmpty());
}

TEST_F(DeviceTrafficTest, devices_take_turns_and_a_lost_one_is_left_out) {
  const device::NvmlApi api = started("devices=3");
  auto devices = devices_of(api, 3);
  devices[1].is_lost = true;
  PcieTraffic traffic(api, devices, [] { return std::int64_t{0}; });
  for (std::int64_t tick = 0; tick < 100; ++tick) {
    traffic.sample(tick * kTickOf20Ms, recording_.log());
  }
  // 2 s with a turn about each 0.4 s.
  EXPECT_THAT(recording_.values("gpu_pcie_receive", 0), SizeIs(AllOf(Ge(2), Le(3))));
  EXPECT_THAT(recording_.values("gpu_pcie_receive", 2), SizeIs(AllOf(Ge(2), Le(3))));
  EXPECT_THAT(recording_.values("gpu_pcie_receive", 1), IsEmpty());
}

TEST_F(DeviceTrafficTest, where_reading_is_expensive_turns_are_rare) {
  static std::int64_t spent_ns = 0;
  const device::NvmlApi api = started("");
  const auto devices = devices_of(api, 1);
  // Each of the two readings of a turn takes 5 ms on a core.
  PcieTraffic traffic(api, devices, [] { return spent_ns += 5'000'000; });
  constexpr std::int64_t kSeconds = 100;
  for (std::int64_t tick = 0; tick < kSeconds * 50; ++tick) {
    traffic.sample(tick * kTickOf20Ms, recording_.log());
  }
  EXPECT_GT(traffic.cpu_ns(), 0);
  EXPECT_LT(traffic.cpu_ns(), kSeconds * 2'000'000) << "0.2 % of a core";
}

TEST_F(DeviceTrafficTest, where_there_are_no_counters_a_thread_asks_and_nobody_waits) {
  const device::NvmlApi api = started(
      "0.field.198=!3; 0.field.197=!3; 0.pcie_receive=1500; 0.pcie_transmit=20; "
      "0.pcie_ms=3000");
  const auto devices = devices_of(api, 1);
  PcieTraffic traffic(api, devices, [] { return std::int64_t{0}; });
  const auto start = std::chrono::steady_clock::now();
  traffic.sample(0, recording_.log());
  const auto waited = std::chrono::steady_clock::now() - start;
  const auto deadline = start + std::chrono::seconds(60);
  while (recording_.values("gpu_pcie_receive").empty() &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    traffic.sample(kTickOf20Ms, recording_.log());
  }
  EXPECT_LT(waited, std::chrono::seconds(3)) << "each of two questions takes three seconds";
  EXPECT_THAT(recording_.values("gpu_pcie_receive"), ElementsAre(1'500'000));
  EXPECT_THAT(recording_.values("gpu_pcie_transmit"), ElementsAre(20'000));
  EXPECT_EQ(calls("0.field.198"), 1u);
  traffic.stop();
  EXPECT_GT(traffic.cpu_ns(), 0) << "of the thread";
}

TEST_F(DeviceTrafficTest, a_device_without_any_way_is_not_asked_again) {
  const device::NvmlApi api = started("0.field.198=!3; 0.field.197=!3; 0.pcie_receive=!3");
  const auto devices = devices_of(api, 1);
  {
    PcieTraffic traffic(api, devices, [] { return std::int64_t{0}; });
    for (std::int64_t tick = 0; tick < 100; ++tick) {
      traffic.sample(tick * kTickOf20Ms, recording_.log());
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (calls("0.pcie_receive") == 0 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  EXPECT_EQ(calls("0.field.198"), 1u);
  EXPECT_EQ(calls("0.pcie_receive"), 1u);
}

TEST_F(DeviceTrafficTest, a_device_is_asked_also_after_the_only_other_one_had_no_answer) {
  const device::NvmlApi api =
      started("devices=2; 0.pcie_receive=!3; 1.pcie_receive=1500; 1.pcie_transmit=20");
  const auto devices = devices_of(api, 2);
  SlowPcieTraffic traffic(api);
  traffic.add(devices[0]);
  for (int i = 0; i < 6000 && calls("0.pcie_receive") == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  // It pauses for a second after each question.
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  EXPECT_EQ(calls("0.pcie_receive"), 1u);
  traffic.add(devices[1]);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (recording_.values("gpu_pcie_receive", 1).empty() &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    traffic.write_new(recording_.log());
  }
  EXPECT_THAT(recording_.values("gpu_pcie_receive", 1), ElementsAre(1'500'000));
}

TEST_F(DeviceTrafficTest, links_are_summed_by_the_device_where_it_does_that) {
  const device::NvmlApi api = started("0.field.139=10,10,30; 0.field.138=5,5,5");
  const auto devices = devices_of(api, 1);
  LinkTraffic links(0);
  links.sample(api, devices[0], 0, recording_.log());
  EXPECT_EQ(links.sample(api, devices[0], 200'000'000, recording_.log()), NvmlAnswer::kGiven);
  // The field is asked for once more when the device is searched; 20 KiB in 0.2 s.
  EXPECT_THAT(recording_.values("gpu_link_receive"), ElementsAre(102'400));
  EXPECT_THAT(recording_.values("gpu_link_transmit"), ElementsAre(0));
}

TEST_F(DeviceTrafficTest, links_that_count_each_by_itself_are_added) {
  // Link 1 is not connected.
  const device::NvmlApi api = started(
      "0.field.91=3; 0.field.204=100,100,300; 0.field.204.2=0,0,50; 0.field.202=0; "
      "0.field.202.2=0,0,20");
  const auto devices = devices_of(api, 1);
  LinkTraffic links(0);
  links.sample(api, devices[0], 0, recording_.log());
  links.sample(api, devices[0], 1'000'000'000, recording_.log());
  EXPECT_THAT(recording_.values("gpu_link_receive"), ElementsAre(250));
  EXPECT_THAT(recording_.values("gpu_link_transmit"), ElementsAre(20));
}

TEST_F(DeviceTrafficTest, counters_that_start_again_give_no_rate) {
  const device::NvmlApi api = started("0.field.139=90,90,10,20; 0.field.138=0");
  const auto devices = devices_of(api, 1);
  LinkTraffic links(0);
  for (const std::int64_t second : {0, 1, 2}) {
    links.sample(api, devices[0], second * 1'000'000'000, recording_.log());
  }
  EXPECT_THAT(recording_.values("gpu_link_receive"), ElementsAre(10'240));
}

TEST_F(DeviceTrafficTest, a_device_without_links_is_searched_once) {
  const device::NvmlApi api = started("");
  const auto devices = devices_of(api, 1);
  LinkTraffic links(0);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(links.sample(api, devices[0], i, recording_.log()), NvmlAnswer::kNever);
  }
  EXPECT_EQ(calls("0.field.139"), 1u);
}

}  // namespace
}  // namespace strobe::record
