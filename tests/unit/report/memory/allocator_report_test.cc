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
