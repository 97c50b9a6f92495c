#include "strobe/trace/trace_facts.h"

#include <gmock/gmock.h>

#include <string>

#include "strobe/trace/trace_builder.h"
#include "tests/support/trace_text.h"

namespace strobe::trace_file {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Trace trace_with_facts() {
  TraceBuilder builder;
  Track track;
  track.kind = TrackKind::kDeviceStream;
  track.process = builder.intern("0");
  track.thread = builder.intern("7");
  track.process_number = 0;
  track.device = 3;
  track.sort_index = -5;
  builder.add_track(track);
  builder.category("kernel");
  builder.memory().owners_are_known = true;
  Metadata& metadata = builder.metadata();
  metadata.traits.dialect = "Test";
  metadata.traits.steps_cover_all_threads = true;
  metadata.devices.push_back({.id = 1, .name = "H200", .memory_bytes = 141, .warp_threads = 32});
  metadata.distributed.rank = 4;
  metadata.base_time_ns = -1;
  metadata.system_cpu_utilization = 0.25;
  metadata.members = {{"key", R"({"a":1})"}, {"", ""}};
  return std::move(builder).build();
}

ImportReport some_report() {
  ImportReport report;
  for (const std::uint64_t offset : {900u, 100u, 500u, 700u}) {
    report.add(ImportIssue::kBadNumber, offset, std::to_string(offset));
  }
  report.add_many(ImportIssue::kOrphanDeviceWork, 12);
  report.events[{'X', "kernel"}] = 3;
  report.events[{'i', ""}] = 1;
  report.event_count = 4;
  report.file_bytes = 50;
  report.text_bytes = 500;
  return report;
}

TEST(TraceFactsTest, what_is_encoded_is_decoded) {
  const std::string bytes = encode_facts(trace_with_facts(), some_report());
  const std::optional<Facts> facts = decode_facts(bytes);
  ASSERT_TRUE(facts.has_value());
  ASSERT_EQ(facts->tracks.size(), 1u);
  const Track& track = facts->tracks[0];
  EXPECT_EQ(track.kind, TrackKind::kDeviceStream);
  EXPECT_EQ(track.thread, StringId(1));
  EXPECT_EQ(track.process_number, 0);
  EXPECT_EQ(track.thread_number, std::nullopt);
  EXPECT_EQ(track.device, 3);
  EXPECT_EQ(track.process_name, StringId());
  EXPECT_EQ(track.sort_index, -5);
  ASSERT_EQ(facts->categories.size(), 1u);
  EXPECT_EQ(facts->categories[0].name, StringId(2));
  EXPECT_TRUE(facts->memory_owners_are_known);
  EXPECT_EQ(facts->extent, (Interval{0, 0}));
  const Metadata& metadata = facts->metadata;
  EXPECT_EQ(metadata.traits.dialect, "Test");
  EXPECT_EQ(metadata.traits.device_label, "GPU");
  EXPECT_TRUE(metadata.traits.steps_cover_all_threads);
  ASSERT_EQ(metadata.devices.size(), 1u);
  EXPECT_EQ(metadata.devices[0].name, "H200");
  EXPECT_EQ(metadata.devices[0].memory_bytes, 141);
  EXPECT_EQ(metadata.devices[0].warp_threads, 32);
  EXPECT_EQ(metadata.distributed.rank, 4);
  EXPECT_EQ(metadata.distributed.world_size, std::nullopt);
  EXPECT_EQ(metadata.base_time_ns, -1);
  EXPECT_EQ(metadata.process_cpu_utilization, std::nullopt);
  EXPECT_EQ(metadata.system_cpu_utilization, 0.25);
  EXPECT_THAT(metadata.members, ElementsAre(Pair("key", R"({"a":1})"), Pair("", "")));
  EXPECT_EQ(testing::describe(facts->report), testing::describe(some_report()));
  EXPECT_EQ(facts->report.event_count, 4u);
  EXPECT_EQ(facts->report.file_bytes, 50u);
  EXPECT_EQ(facts->report.text_bytes, 500u);
}

TEST(TraceFactsTest, facts_cut_anywhere_or_with_more_behind_are_none) {
  const std::string bytes = encode_facts(trace_with_facts(), some_report());
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(decode_facts(std::span(bytes).first(cut))) << cut;
  }
  EXPECT_FALSE(decode_facts(bytes + '\0'));
}

TEST(TraceFactsTest, a_damaged_count_ends_with_the_bytes) {
  const std::string bytes = encode_facts(trace_with_facts(), some_report());
  for (std::size_t at = 0; at + 8 <= bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged.replace(at, 8, 8, '\xff');
    (void)decode_facts(damaged);  // comes back, whatever it says
  }
}

}  // namespace
}  // namespace strobe::trace_file
