#include "strobe/bench/providers/cuda/sensors.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

NvmlApi scripted() {
  NvmlApi api;
  api.init = [] { return 0; };
  api.driver_version = [](char* text, unsigned bytes) {
    std::strncpy(text, "580.95.05", bytes);
    return 0;
  };
  api.device_by_pci_id = [](const char* id, NvmlDevice* device) {
    *device = reinterpret_cast<NvmlDevice>(1);
    return std::strcmp(id, "0000:19:00.0") == 0 ? 0 : 6;
  };
  api.clock_mhz = [](NvmlDevice, int which, unsigned* mhz) {
    *mhz = which == 1 ? 1980 : 3201;
    return 0;
  };
  api.power_mw = [](NvmlDevice, unsigned* milliwatt) {
    *milliwatt = 412500;
    return 0;
  };
  api.temperature_c = [](NvmlDevice, int, unsigned* degrees) {
    *degrees = 47;
    return 0;
  };
  api.clock_reasons = [](NvmlDevice, unsigned long long* reasons) {
    *reasons = 0x4 | 0x1;
    return 0;
  };
  return api;
}

TEST(Sensors, read_clocks_power_temperature_and_reasons) {
  const Sensors sensors(scripted(), "0000:19:00.0");
  const Clocks clocks = sensors.read();
  EXPECT_EQ(clocks.sm_mhz, 1980);
  EXPECT_EQ(clocks.memory_mhz, 3201);
  EXPECT_EQ(clocks.power_w, 412.5);
  EXPECT_EQ(clocks.temperature_c, 47);
  EXPECT_THAT(clocks.reasons, ElementsAre("power cap"));
  EXPECT_EQ(sensors.driver_version(), "580.95.05");
}

TEST(Sensors, without_a_library_or_the_device_nothing_is_known) {
  EXPECT_FALSE(open_nvml("libno_such_sensors.so.1"));
  EXPECT_FALSE(Sensors(open_nvml("libno_such_sensors.so.1"), "").read().sm_mhz.has_value());
  const Sensors elsewhere(scripted(), "0000:ff:00.0");
  EXPECT_FALSE(elsewhere.read().power_w.has_value());
  EXPECT_EQ(elsewhere.driver_version(), "580.95.05");
}

TEST(Sensors, an_old_library_without_some_calls_gives_the_others) {
  NvmlApi api = scripted();
  api.power_mw = nullptr;
  api.clock_reasons = nullptr;
  const Clocks clocks = Sensors(api, "0000:19:00.0").read();
  EXPECT_FALSE(clocks.power_w.has_value());
  EXPECT_THAT(clocks.reasons, IsEmpty());
  EXPECT_EQ(clocks.sm_mhz, 1980);
}

}  // namespace
}  // namespace strobe::bench
