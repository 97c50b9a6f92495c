#include <gmock/gmock.h>

#include "strobe/readers/frame.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(MetadataTest, device_properties_are_read_in_both_spellings) {
  Metadata metadata;
  read_member("deviceProperties",
              R"([{"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150109880320,
                   "computeMajor": 9, "computeMinor": 0, "maxThreadsPerBlock": 1024,
                   "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536, "warpSize": 32,
                   "sharedMemPerBlock": 49152, "numSms": 132
                   , "regsPerMultiprocessor": 65536, "sharedMemPerBlockOptin": 232448,
                   "sharedMemPerMultiprocessor": 233472},
                  {"id": 1, "name": "A \"quoted\" chip", "smCount": "108"}])",
              metadata);
  ASSERT_EQ(metadata.devices.size(), 2u);
  const DeviceProperties& first = metadata.devices[0];
  EXPECT_EQ(first.name, "NVIDIA H200");
  EXPECT_EQ(first.memory_bytes, 150109880320);
  EXPECT_EQ(first.compute_major, 9);
  EXPECT_EQ(first.multiprocessors, 132);
  EXPECT_EQ(first.warp_threads, 32);
  EXPECT_EQ(first.max_threads_per_block, 1024);
  EXPECT_EQ(first.max_threads_per_multiprocessor, 2048);
  EXPECT_EQ(first.registers_per_block, 65536);
  EXPECT_EQ(first.registers_per_multiprocessor, 65536);
  EXPECT_EQ(first.shared_bytes_per_block, 49152);
  EXPECT_EQ(first.shared_bytes_per_multiprocessor, 233472);
  EXPECT_EQ(first.shared_bytes_per_block_optin, 232448);
  EXPECT_EQ(metadata.devices[1].id, 1);
  EXPECT_EQ(metadata.devices[1].name, "A \"quoted\" chip");
  EXPECT_EQ(metadata.devices[1].multiprocessors, 108);
  EXPECT_EQ(metadata.devices[1].memory_bytes, 0);
  EXPECT_THAT(metadata.members, IsEmpty());
}

TEST(MetadataTest, a_device_without_a_name_is_called_by_its_architecture) {
  Metadata metadata;
  read_member("deviceProperties",
              R"([{"id": 0, "name": "", "gcnArchName": "gfx942:sramecc+:xnack-",
                   "maxSharedMemoryPerMultiProcessor": 65536},
                  {"id": 1, "name": "AMD Instinct MI300X", "gcnArchName": "gfx942"}])",
              metadata);
  ASSERT_EQ(metadata.devices.size(), 2u);
  EXPECT_EQ(metadata.devices[0].name, "gfx942");
  EXPECT_EQ(metadata.devices[0].shared_bytes_per_multiprocessor, 65536);
  EXPECT_EQ(metadata.devices[1].name, "AMD Instinct MI300X");
}

TEST(MetadataTest, the_place_in_a_distributed_run_is_read_and_the_rest_kept) {
  Metadata metadata;
  const std::string json =
      R"({"backend": "nccl", "rank": 3, "world_size": "8", "pg_config": [{"ranks": [0, 1]}]})";
  read_member("distributedInfo", json, metadata);
  EXPECT_EQ(metadata.distributed.backend, "nccl");
  EXPECT_EQ(metadata.distributed.rank, 3);
  EXPECT_EQ(metadata.distributed.world_size, 8);
  EXPECT_THAT(metadata.members, ElementsAre(Pair("distributedInfo", json)));
}

TEST(MetadataTest, the_clock_base_is_exact) {
  Metadata metadata;
  read_member("baseTimeNanoseconds", "1790857026000000001", metadata);
  EXPECT_EQ(metadata.base_time_ns, 1790857026000000001);
  EXPECT_THAT(metadata.members, IsEmpty());
}

TEST(MetadataTest, utilisation_is_a_fraction_written_as_text) {
  Metadata metadata;
  read_member("ExtraInfo",
              R"({"7001": "MainThread", "Process Cpu Utilization": "1.125000",
                  "System Cpu Utilization": "nan"})",
              metadata);
  EXPECT_EQ(metadata.process_cpu_utilization, 1.125);
  EXPECT_EQ(metadata.system_cpu_utilization, std::nullopt);
}

TEST(MetadataTest, members_without_a_field_keep_their_text) {
  Metadata metadata;
  read_member("displayTimeUnit", "\"ms\"", metadata);
  read_member("schemaVersion", "1", metadata);
  EXPECT_THAT(metadata.members,
              ElementsAre(Pair("displayTimeUnit", "\"ms\""), Pair("schemaVersion", "1")));
}

TEST(MetadataTest, odd_types_leave_their_fields_alone_and_are_kept) {
  Metadata metadata;
  read_member("deviceProperties", "null", metadata);
  read_member("deviceProperties", "[1, \"x\"]", metadata);
  read_member("baseTimeNanoseconds", "{}", metadata);
  read_member("baseTimeNanoseconds", "", metadata);
  read_member("distributedInfo", R"({"rank": [1], "world_size": 1e300)", metadata);
  read_member("ExtraInfo", "[]", metadata);
  EXPECT_THAT(metadata.devices, IsEmpty());
  EXPECT_EQ(metadata.base_time_ns, 0);
  EXPECT_EQ(metadata.distributed.rank, std::nullopt);
  EXPECT_EQ(metadata.distributed.world_size, std::nullopt);
  EXPECT_EQ(metadata.members.size(), 6u);
}

TEST(MetadataTest, a_number_too_large_for_its_field_is_left_out) {
  Metadata metadata;
  read_member("deviceProperties", R"([{"id": 99999999999, "numSms": -1, "name": 5}])", metadata);
  ASSERT_EQ(metadata.devices.size(), 1u);
  EXPECT_EQ(metadata.devices[0].id, 0);
  EXPECT_EQ(metadata.devices[0].name, "5");
}

}  // namespace
}  // namespace strobe::readers
