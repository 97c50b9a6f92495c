#include "strobe/report/memory/allocator_report.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/report/render/document_html.h"
#include "strobe/report/render/render.h"

namespace strobe::report {
namespace {

using testing::HasSubstr;

// A live block of 300 bytes and a free one of 700 in one segment.
AllocatorSnapshot sketch() {
  AllocatorSnapshot snapshot;
  snapshot.streams.push_back(0);
  snapshot.frames.push_back(
      {snapshot.strings.intern("train<x>"), snapshot.strings.intern("/app/train.py"), 7});
  snapshot.stack_frames.push_back(0);
  snapshot.stack_begins.push_back(1);
  AllocatorSegment segment;
  segment.bytes = 1212;
  segment.type = snapshot.strings.intern("large");
  segment.block_count = 2;
  snapshot.segments.push_back(segment);
  snapshot.blocks = {{4096, 512, 300, BlockState::kInUse, StackId(0)},
                     {4608, 700, 0, BlockState::kFree, StackId()}};
  snapshot.settings.emplace_back("max_split_size", "-1");
  return snapshot;
}

Document document_of(const AllocatorSnapshot& snapshot) {
  return allocator_document(snapshot, analysis::study_allocator(snapshot), ImportReport(),
                            {.path = "snapshot.pickle"});
}

TEST(AllocatorReportTest, the_verdict_says_what_is_used_and_what_is_stuck) {
  const Document document = document_of(sketch());
  ASSERT_EQ(document.verdict.size(), 1u);
  EXPECT_EQ(document.verdict[0],
            "300 B of 1.18 KiB reserved are in use; of the 700 B that are free, 700 B are stuck "
            "beside live blocks (largest free block: 700 B).");
}

TEST(AllocatorReportTest, tools_get_every_number) {
  const std::string json = render_json(document_of(sketch()));
  EXPECT_THAT(json, HasSubstr("\"schema\": \"strobe.memory\""));
  EXPECT_THAT(json, HasSubstr("\"reserved_bytes\": 1212"));
  EXPECT_THAT(json, HasSubstr("train<x> (train.py:7)"));
  EXPECT_THAT(json, HasSubstr("max_split_size"));
}

TEST(AllocatorReportTest, a_stack_has_a_frame_per_line) {
  AllocatorSnapshot snapshot = sketch();
  snapshot.frames.push_back(
      {snapshot.strings.intern("main"), snapshot.strings.intern("/app/main.py"), 9});
  snapshot.stack_frames.push_back(1);
  snapshot.stack_begins.back() = 2;
  EXPECT_THAT(render_json(document_of(snapshot)),
              HasSubstr(R"x("stack":"train<x> (train.py:7)\nmain (main.py:9)")x"));
}

AllocatorSnapshot with_history(std::int64_t second_time_ns) {
  AllocatorSnapshot snapshot = sketch();
  AllocatorEvents& events = snapshot.events;
  events.times_ns = {5'000, second_time_ns};
  events.actions = {AllocatorAction::kAllocate, AllocatorAction::kFree};
  events.addresses = {8192, 8192};
  events.bytes = {1000, 1000};
  events.streams = {0, 0};
  events.stacks = {StackId(0), StackId(0)};
  snapshot.histories = {{.first = 0, .count = 2}};
  return snapshot;
}

std::string json_with_curves(const AllocatorSnapshot& snapshot) {
  return render_json(
      allocator_document(snapshot, analysis::study_allocator(snapshot, true), ImportReport(),
                         {.path = "snapshot.pickle", .top = 0, .verbose = false, .columns = 100}));
}

TEST(AllocatorReportTest, curves_are_events_times_and_bytes) {
  EXPECT_THAT(json_with_curves(with_history(7'000)),
              HasSubstr(R"({"device":0,"points":[[0,0,1300,1212],[1,2000,300,1212]]})"));
  EXPECT_THAT(json_with_curves(with_history(AllocatorEvents::kNoTime)),
              HasSubstr(R"("points":[[0,null,1300,1212],[1,null,300,1212]])"));
  EXPECT_THAT(render_json(document_of(sketch())), testing::Not(HasSubstr("curves")));
}

TEST(AllocatorReportTest, the_peak_is_told_with_its_moment_and_what_was_reserved_then) {
  const std::string json = json_with_curves(with_history(7'000));
  EXPECT_THAT(json, HasSubstr(R"("peak_allocated_bytes":1300)"));
  EXPECT_THAT(json, HasSubstr(R"("reserved_at_peak_bytes":1212,"peak_event":0,"peak_after_ns":0)"));
}

TEST(AllocatorReportTest, what_did_not_happen_has_no_heading) {
  EXPECT_THAT(render_text(document_of(sketch()), {}), testing::Not(HasSubstr("Out of memory")));
  EXPECT_THAT(render_json(document_of(sketch())), HasSubstr("out_of_memory"));
}

TEST(AllocatorReportTest, a_page_shows_names_as_text) {
  const std::string html = document_html(document_of(sketch()));
  EXPECT_THAT(html, HasSubstr("train&lt;x&gt;"));
}

TEST(AllocatorReportTest, the_top_rows_are_kept_and_the_rest_is_counted) {
  AllocatorSnapshot snapshot = sketch();
  snapshot.blocks[1].state = BlockState::kInUse;
  snapshot.blocks[1].requested_bytes = 600;
  const Document document =
      allocator_document(snapshot, analysis::study_allocator(snapshot), ImportReport(),
                         {.path = "snapshot.pickle", .top = 1});
  for (const Section& section : document.sections) {
    if (section.key != "holders") continue;
    EXPECT_EQ(section.table.rows.size(), 1u);
    EXPECT_EQ(section.table.rows_left_out, 1u);
  }
}

}  // namespace
}  // namespace strobe::report
