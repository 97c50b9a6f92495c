// The shared snapshots, number by number, against those of an independent program.
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "strobe/analysis/memory/allocator_study.h"
#include "strobe/base/json_value.h"
#include "strobe/readers/trace_reader.h"
#include "tests/property/shared_files.h"

namespace strobe {
namespace {

using analysis::DeviceMemory;

std::int64_t number(std::string_view object, std::string_view key) {
  return find(object, key).as_int64().value_or(-1);
}

void expect_equal(std::string_view expected, const readers::LoadedTrace& loaded) {
  ASSERT_TRUE(loaded.snapshot);
  const auto study = analysis::study_allocator(*loaded.snapshot);
  EXPECT_EQ(study.device_count, number(expected, "devices"));
  ASSERT_EQ(static_cast<std::int64_t>(study.devices.size()), number(expected, "devices_with_data"));
  const DeviceMemory& device = study.devices.at(0);
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  EXPECT_EQ(count(device.segments), number(expected, "segments"));
  EXPECT_EQ(count(device.expandable_segments), number(expected, "expandable_segments"));
  EXPECT_EQ(device.reserved_bytes, number(expected, "reserved_bytes"));
  EXPECT_EQ(device.active_bytes, number(expected, "active_bytes"));
  EXPECT_EQ(device.requested_bytes, number(expected, "requested_bytes"));
  EXPECT_EQ(count(device.blocks), number(expected, "blocks"));
  EXPECT_EQ(device.peak_bytes, number(expected, "peak_allocated_bytes"));
  EXPECT_EQ(device.has_times, find(expected, "events_have_time").as_bool());
  const std::string_view states = find(expected, "blocks_by_state").text;
  EXPECT_EQ(count(device.blocks_by_state[0]), number(states, "active_allocated"));
  EXPECT_EQ(count(device.blocks_by_state[2]), number(states, "inactive"));
  const std::string_view events = find(expected, "events").text;
  for (std::size_t i = 0; i < kAllocatorActions; ++i) {
    const auto wanted = find(events, word_of(static_cast<AllocatorAction>(i)));
    EXPECT_EQ(count(device.events_by_action[i]), wanted.as_int64().value_or(0));
  }
  const std::string_view replay = find(expected, "replay").text;
  EXPECT_EQ(device.start_bytes, number(replay, "start_bytes"));
  EXPECT_EQ(device.freed_only_bytes, number(replay, "of_which_freed_without_alloc"));
  EXPECT_EQ(device.always_alive_bytes, number(replay, "of_which_alive_to_the_end"));
  EXPECT_EQ(device.end_bytes, number(replay, "end_bytes"));
  EXPECT_EQ(device.end_bytes, device.requested_bytes);
  EXPECT_EQ(device.early_free_peak_bytes, number(replay, "peak_if_freed_at_free_requested"));
  EXPECT_EQ(device.peak_bytes - device.start_bytes, number(replay, "peak_if_started_at_zero"));
  EXPECT_TRUE(loaded.report.is_clean());
}

TEST(AllocatorSnapshotsTest, every_number_of_the_shared_files_is_the_expected_one) {
  STROBE_NEEDS_SHARED();
  const std::string text = file_text(kShared / "data/vendors_expected.json");
  int files = 0;
  EXPECT_TRUE(for_each_element(text, [&](JsonValue entry) {
    if (find(entry.text, "format").as_string() != "torch-memory-snapshot") return;
    const std::string file = find(entry.text, "file").as_string();
    SCOPED_TRACE(file);
    const auto loaded = readers::read_trace(kShared / "traces" / file);
    ASSERT_TRUE(loaded);
    expect_equal(entry.text, *loaded);
    ++files;
  }));
  EXPECT_EQ(files, 2);
}

}  // namespace
}  // namespace strobe
