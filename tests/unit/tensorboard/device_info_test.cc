#include "strobe/tensorboard/device_info.h"

#include <gtest/gtest.h>

namespace strobe::tensorboard {
namespace {

DeviceProperties named(std::string name) {
  DeviceProperties properties;
  properties.name = std::move(name);
  return properties;
}

TEST(DeviceInfoTest, each_variant_has_its_own_way_to_tell_the_kind) {
  using Properties = std::optional<std::vector<DeviceProperties>>;
  const Properties none;
  const Properties empty = std::vector<DeviceProperties>();
  const Properties mlu = std::vector{named("MLU370"), named("A100")};
  const Properties gpu = std::vector{named("A100")};
  for (const Properties& any : {none, empty, mlu, gpu}) {
    EXPECT_EQ(device_kind(any, KindRule::kAlwaysGpu), DeviceKind::kGpu);
    EXPECT_EQ(device_kind(any, KindRule::kAlwaysMlu), DeviceKind::kMlu);
  }
  EXPECT_EQ(device_kind(none, KindRule::kByName), DeviceKind::kNone);
  EXPECT_EQ(device_kind(empty, KindRule::kByName), DeviceKind::kNone);
  EXPECT_EQ(device_kind(mlu, KindRule::kByName), DeviceKind::kMlu);
  EXPECT_EQ(device_kind(gpu, KindRule::kByName), DeviceKind::kGpu);
  EXPECT_EQ(device_kind(none, KindRule::kByProperties), DeviceKind::kNone);
  EXPECT_EQ(device_kind(empty, KindRule::kByProperties), DeviceKind::kMlu);
  EXPECT_EQ(device_kind(mlu, KindRule::kByProperties), DeviceKind::kGpu);
}

TEST(DeviceInfoTest, memory_is_told_in_bytes_or_in_mib) {
  DeviceProperties both;
  both.total_global_memory = Number::whole(34089730048);
  both.total_memory_mib = Number::whole(42396);
  DeviceProperties mib_only;
  mib_only.total_memory_mib = Number::whole(42396);
  const auto memory = [](const DeviceProperties& properties, Variant variant) {
    return describe_device(properties, rules_of(variant)).memory.value_or("none");
  };
  EXPECT_EQ(memory(both, Variant::kGpu), "31.75 GB");
  EXPECT_EQ(memory(both, Variant::kMluA), "41.4 GB");
  EXPECT_EQ(memory(both, Variant::kMluB), "31.75 GB");
  EXPECT_EQ(memory(mib_only, Variant::kGpu), "none");
  EXPECT_EQ(memory(mib_only, Variant::kMluC), "41.4 GB");
  const DeviceInfo info = describe_device(mib_only, rules_of(Variant::kMluA));
  EXPECT_EQ(info.memory_raw, Number::whole(42396));
  EXPECT_EQ(info.memory_bytes, 42396.0 * 1024 * 1024);
}

TEST(DeviceInfoTest, a_compute_capability_needs_both_of_its_parts) {
  DeviceProperties properties;
  properties.compute_major = Number::whole(9);
  EXPECT_FALSE(describe_device(properties, rules_of(Variant::kGpu)).compute_capability);
  properties.compute_minor = Number::whole(0);
  EXPECT_EQ(describe_device(properties, rules_of(Variant::kGpu)).compute_capability, "9.0");
}

}  // namespace
}  // namespace strobe::tensorboard
