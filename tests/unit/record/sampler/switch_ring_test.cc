#include "strobe/record/sampler/switch_ring.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::record {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// The kernel's side of a ring.
class KernelRing {
 public:
  explicit KernelRing(std::size_t bytes) : data_(bytes) {}

  SwitchRing ring() { return {&control_, data_}; }
  void put(std::uint32_t type, std::uint16_t misc, const std::vector<std::uint32_t>& words) {
    std::vector<std::byte> record(sizeof(perf_event_header) + words.size() * 4);
    const perf_event_header header = {type, misc, static_cast<std::uint16_t>(record.size())};
    std::memcpy(record.data(), &header, sizeof header);
    std::memcpy(record.data() + sizeof header, words.data(), words.size() * 4);
    for (const std::byte byte : record) data_[control_.data_head++ % data_.size()] = byte;
  }
  // A thread leaves or gets a core at a time.
  void put_switch(std::uint16_t misc, std::uint32_t thread, std::uint32_t time_ns) {
    put(PERF_RECORD_SWITCH, misc, {17, thread, time_ns, 0, 3, 0});
  }
  std::uint64_t free_bytes() const {
    return data_.size() - (control_.data_head - control_.data_tail);
  }

 private:
  perf_event_mmap_page control_ = {};
  std::vector<std::byte> data_;
};

TEST(SwitchRing, decodes_switches_of_a_thread) {
  KernelRing kernel(4096);
  kernel.put(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
             {17, 18, 5, 2, 63, 0});
  kernel.put(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, {17, 18, 6, 2, 63, 0});
  kernel.put(PERF_RECORD_SWITCH, 0, {17, 18, 7, 2, 63, 0});
  std::vector<SwitchRecord> records;
  EXPECT_EQ(kernel.ring().take(records), 0u);
  ASSERT_THAT(records, SizeIs(3));
  EXPECT_EQ(records[0].time_ns, (std::int64_t{2} << 32) + 5);
  EXPECT_EQ(records[0].core, 63u);
  EXPECT_EQ(records[0].process, 17);
  EXPECT_EQ(records[0].thread, 18);
  EXPECT_EQ(records[0].other_process, -1);
  EXPECT_TRUE(records[0].is_out && records[0].is_ready);
  EXPECT_TRUE(records[1].is_out && !records[1].is_ready);
  EXPECT_TRUE(!records[2].is_out && !records[2].is_ready);
  EXPECT_EQ(kernel.free_bytes(), 4096u);
  records.clear();
  kernel.ring().take(records);
  EXPECT_THAT(records, IsEmpty());
}

TEST(SwitchRing, switches_of_a_core_name_the_other_side) {
  KernelRing kernel(4096);
  kernel.put(PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT,
             {4711, 4712, 17, 18, 5, 0, 1, 0});
  std::vector<SwitchRecord> records;
  kernel.ring().take(records);
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].process, 17);
  EXPECT_EQ(records[0].thread, 18);
  EXPECT_EQ(records[0].other_process, 4711);
  EXPECT_EQ(records[0].core, 1u);
}

TEST(SwitchRing, a_record_may_lie_around_the_end) {
  KernelRing kernel(128);  // four records of 32 bytes, shifted by 16
  kernel.put(99, 0, {1, 2});
  std::vector<SwitchRecord> records;
  kernel.ring().take(records);
  for (std::uint32_t i = 0; i < 50; ++i) {
    for (std::uint32_t k = 0; k < 3; ++k) kernel.put_switch(0, 100 + k, i);
    records.clear();
    EXPECT_EQ(kernel.ring().take(records), 0u);
    ASSERT_THAT(records, SizeIs(3)) << i;
    for (std::uint32_t k = 0; k < 3; ++k) {
      EXPECT_EQ(records[k].thread, static_cast<pid_t>(100 + k));
      EXPECT_EQ(records[k].time_ns, i);
      EXPECT_EQ(records[k].core, 3u);
    }
  }
}

TEST(SwitchRing, counts_what_the_kernel_dropped) {
  KernelRing kernel(4096);
  kernel.put_switch(0, 18, 1);
  kernel.put(PERF_RECORD_LOST, 0, {7, 0, 250, 0, 17, 18, 5, 0, 3, 0});
  kernel.put(PERF_RECORD_LOST, 0, {7, 0, 3, 0, 17, 18, 6, 0, 3, 0});
  kernel.put_switch(0, 18, 2);
  std::vector<SwitchRecord> records;
  EXPECT_EQ(kernel.ring().take(records), 253u);
  EXPECT_THAT(records, SizeIs(2));
}

TEST(SwitchRing, skips_other_records_and_stops_at_nonsense) {
  KernelRing kernel(4096);
  kernel.put(PERF_RECORD_COMM, 0, {17, 18, 0x64636261, 0});
  kernel.put(PERF_RECORD_SWITCH, 0, {17, 18});  // too short
  kernel.put_switch(0, 18, 1);
  std::vector<SwitchRecord> records;
  EXPECT_EQ(kernel.ring().take(records), 0u);
  EXPECT_THAT(records, SizeIs(1));
  // A size of 0 would never end.
  std::vector<std::byte> zeros(4096);
  perf_event_mmap_page control = {};
  control.data_head = 64;
  records.clear();
  EXPECT_EQ(SwitchRing(&control, zeros).take(records), 1u);
  EXPECT_THAT(records, IsEmpty());
  EXPECT_EQ(control.data_tail, 64u);
}

TEST(SwitchEvent, asks_for_what_is_decoded) {
  const perf_event_attr attributes = switch_event_attributes();
  EXPECT_EQ(attributes.sample_type,
            static_cast<std::uint64_t>(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU));
  EXPECT_TRUE(attributes.context_switch && attributes.sample_id_all && attributes.use_clockid);
  EXPECT_EQ(attributes.clockid, CLOCK_MONOTONIC);
  EXPECT_FALSE(attributes.inherit);
}

}  // namespace
}  // namespace strobe::record
