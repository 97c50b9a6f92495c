#include "strobe/device/nvml_api.h"

#include <gtest/gtest.h>

#include "tests/support/stub_cuda/stub_nvml.h"

namespace strobe::device {
namespace {

TEST(NvmlApiTest, without_a_library_there_are_no_calls) {
  const NvmlApi api = open_nvml("libno_such_sensors.so.1");
  EXPECT_FALSE(api);
  EXPECT_EQ(api.field_values, nullptr);
}

TEST(NvmlApiTest, what_a_device_lacks_is_told_from_what_it_cannot_say_now) {
  EXPECT_EQ(answer_of(0), NvmlAnswer::kGiven);
  EXPECT_EQ(answer_of(kNvmlNotSupported), NvmlAnswer::kNever);
  EXPECT_EQ(answer_of(kNvmlNoPermission), NvmlAnswer::kNever);
  EXPECT_EQ(answer_of(kNvmlTimeout), NvmlAnswer::kNotNow);
  EXPECT_EQ(answer_of(kNvmlInsufficientSize), NvmlAnswer::kNotNow);
  EXPECT_EQ(answer_of(999), NvmlAnswer::kNotNow);
  EXPECT_EQ(answer_of(kNvmlGpuIsLost), NvmlAnswer::kLost);
  EXPECT_EQ(answer_of(kNvmlResetRequired), NvmlAnswer::kLost);
}

NvmlFieldValue field_of(NvmlValueType type, NvmlValue value) {
  NvmlFieldValue field;
  field.type = type;
  field.value = value;
  return field;
}

TEST(NvmlApiTest, a_field_says_which_of_its_types_it_has) {
  EXPECT_EQ(field_of(NvmlValueType::kDouble, {.real = 12.7}).whole_number(), 12);
  EXPECT_EQ(field_of(NvmlValueType::kUnsignedInt, {.unsigned_int = ~0u}).whole_number(),
            4294967295);
  EXPECT_EQ(field_of(NvmlValueType::kSignedInt, {.signed_int = -3}).whole_number(), -3);
  EXPECT_EQ(field_of(NvmlValueType::kSignedLongLong, {.signed_long_long = -4}).whole_number(), -4);
  EXPECT_EQ(field_of(NvmlValueType::kUnsignedLong, {.unsigned_long = 5}).whole_number(), 5);
  EXPECT_EQ(field_of(NvmlValueType::kUnsignedShort, {.unsigned_short = 6}).whole_number(), 6);
  EXPECT_EQ(
      field_of(NvmlValueType::kUnsignedLongLong, {.unsigned_long_long = 1ull << 40}).whole_number(),
      1ll << 40);
}

class NvmlStubTest : public test::WithStubNvml {};

TEST_F(NvmlStubTest, every_call_is_found_by_its_name) {
  const NvmlApi api = open_nvml(test::kStubNvml);
  ASSERT_TRUE(api);
  EXPECT_NE(api.shutdown, nullptr);
  EXPECT_NE(api.error_text, nullptr);
  EXPECT_NE(api.driver_version, nullptr);
  EXPECT_NE(api.cuda_version, nullptr);
  EXPECT_NE(api.device_count, nullptr);
  EXPECT_NE(api.device_by_index, nullptr);
  EXPECT_NE(api.device_by_pci_id, nullptr);
  EXPECT_NE(api.device_name, nullptr);
  EXPECT_NE(api.device_uuid, nullptr);
  EXPECT_NE(api.clock_mhz, nullptr);
  EXPECT_NE(api.clock_reasons, nullptr);
  EXPECT_NE(api.power_mw, nullptr);
  EXPECT_NE(api.power_limit_mw, nullptr);
  EXPECT_NE(api.temperature_c, nullptr);
  EXPECT_NE(api.utilization, nullptr);
  EXPECT_NE(api.memory, nullptr);
  EXPECT_NE(api.memory_v2, nullptr);
  EXPECT_NE(api.field_values, nullptr);
  EXPECT_NE(api.pcie_kilobytes_per_second, nullptr);
  EXPECT_NE(api.compute_processes, nullptr);
  EXPECT_NE(api.graphics_processes, nullptr);
  EXPECT_NE(api.mps_processes, nullptr);
  EXPECT_NE(api.process_utilization, nullptr);
  EXPECT_NE(api.create_event_set, nullptr);
  EXPECT_NE(api.free_event_set, nullptr);
  EXPECT_NE(api.supported_events, nullptr);
  EXPECT_NE(api.register_events, nullptr);
  EXPECT_NE(api.wait_for_event, nullptr);
}

TEST_F(NvmlStubTest, a_structure_with_a_version_is_accepted) {
  const NvmlApi api = started("0.used=7000; 0.reserved=500");
  NvmlMemoryV2 memory;
  ASSERT_EQ(api.memory_v2(handle(api), &memory), kNvmlSuccess);
  EXPECT_EQ(memory.used, 7000u);
  NvmlMemory older = {};
  ASSERT_EQ(api.memory(handle(api), &older), kNvmlSuccess);
  EXPECT_EQ(older.used, 7500u);
}

}  // namespace
}  // namespace strobe::device
