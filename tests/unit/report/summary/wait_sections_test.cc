#include <gmock/gmock.h>

#include <memory>

#include "strobe/report/render/display_text.h"
#include "strobe/report/render/render.h"
#include "tests/unit/report/render/text_lines.h"
#include "tests/unit/report/summary/summary_sketch.h"

namespace strobe::report {
namespace {

using analysis::IdleKind;
using analysis::IdleRow;
using analysis::RuntimeCallRow;
using analysis::StreamRow;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

IdleRow idle(IdleKind kind, std::string name, std::int64_t total_ns, Interval longest) {
  IdleRow row;
  row.kind = kind;
  row.name = std::move(name);
  row.idle = {2, total_ns, longest.length_ns(), 1};
  row.in_steps_ns = total_ns / 2;
  row.longest = longest;
  return row;
}

class WaitSectionsTest : public SummarySketch {
 protected:
  WaitSectionsTest() {
    auto& waits = summary_.waits;
    waits.idle_ns = 16'000'000;
    waits.idle_in_steps_ns = 8'000'000;
    waits.idle = {
        idle(IdleKind::kRuntimeCall, "cudaMemcpyAsync", 12'000'000, {7'000'000, 15'000'000}),
        idle(IdleKind::kNothing, "", 4'000'000, {20'000'000, 23'000'000})};
    waits.idle[0].inside = "aten::copy_";
    waits.idle[0].source = "train.py(31): step";
    RuntimeCallRow copy;
    copy.name = "cudaMemcpyAsync";
    copy.purpose = device::RuntimeCall::kCopy;
    copy.host = {3, 10'000'000, 8'000'000, 500'000};
    copy.median_ns = 2'000'000;
    copy.in_steps_ns = 9'000'000;
    copy.device_idle_ns = 7'000'000;
    copy.longest = {7'000'000, 15'000'000};
    copy.longest_inside = "aten::copy_";
    RuntimeCallRow launch;
    launch.name = "cudaLaunchKernel";
    launch.purpose = device::RuntimeCall::kLaunch;
    launch.host = {100, 2'000'000, 30'000, 5'000};
    launch.median_ns = 20'000;
    launch.longest = {6'000'000, 6'030'000};
    waits.calls = {copy, launch};
    StreamRow stream;
    stream.stream = "7";
    stream.works = 10;
    stream.busy_ns = 16'000'000;
    stream.with_launch = 8;
    stream.median_delay_ns = 2'000;
    stream.p90_delay_ns = 5'000;
    stream.max_delay_ns = 9'000'000;
    stream.max_delay_at_ns = 25'000'000;
    stream.longest_queue = 6;
    stream.mean_queue = 1.25;
    waits.streams = {stream};
  }
  Section section(View view) { return document(only(view)).sections.front(); }
};

// The earliest slice starts at 4 ms, so 7 ms is 3 ms after it.
TEST_F(WaitSectionsTest, idle_time_is_told_by_its_cause) {
  const Section section = this->section(View::kIdle);
  EXPECT_EQ(section.key, "idle");
  EXPECT_EQ(section.title, "What the host did while the GPU was idle");
  EXPECT_THAT(section.lead, HasSubstr("16.0 ms, 40.0 % of the span of the trace; 8.00 ms of it in "
                                      "steps"));
  EXPECT_THAT(table_texts(section.table),
              ElementsAre(ElementsAre("cudaMemcpyAsync", "runtime_call", "cudaMemcpyAsync",
                                      "aten::copy_", "2", "12.0 ms", "75.0 %", "6.00 ms", "8.00 ms",
                                      "3.00 ms", "run.json", "train.py(31): step"),
                          ElementsAre("(nothing recorded)", "nothing", "-", "-", "2", "4.00 ms",
                                      "25.0 %", "2.00 ms", "3.00 ms", "16.0 ms", "run.json", "-")));
}

TEST_F(WaitSectionsTest, runtime_calls_say_where_the_longest_was) {
  const auto texts = table_texts(section(View::kRuntimeCalls).table);
  EXPECT_THAT(texts[0], ElementsAre("cudaMemcpyAsync", "copy", "3", "10.0 ms", "50.0 %", "9.00 ms",
                                    "7.00 ms", "3.33 ms", "2.00 ms", "8.00 ms", "500 us", "3.00 ms",
                                    "run.json", "aten::copy_", "-"));
}

TEST_F(WaitSectionsTest, a_median_is_shown_beside_an_average_that_misleads) {
  const auto page = [&] {
    return render_text(document(only(View::kRuntimeCalls)), {.width = 140});
  };
  EXPECT_THAT(page(), Not(HasSubstr("median")));
  summary_.waits.calls[1].median_ns = 9'000;  // 20 us on average
  EXPECT_THAT(page(), HasSubstr("  per call   median  longest"));
}

TEST_F(WaitSectionsTest, calls_are_sorted_filtered_and_cut_like_other_tables) {
  TableOptions options = only(View::kRuntimeCalls);
  options.sort = analysis::SortKey::kHostMin;
  options.top = 1;
  Section section = document(options).sections.front();
  EXPECT_EQ(table_texts(section.table)[0][0], "cudaLaunchKernel");
  EXPECT_EQ(section.table.left_out, "1 more, 10.0 ms of host time (--top all shows it)");
  options.keeps_name = [](std::string_view name) { return name == "cudaMemcpyAsync"; };
  options.filter = "Memcpy";
  section = document(options).sections.front();
  EXPECT_EQ(section.table.rows.size(), 1u);
  EXPECT_EQ(section.table.left_out, "1 name not matched by 'Memcpy', 2.00 ms of host time");
}

TEST_F(WaitSectionsTest, streams_show_delay_and_queue) {
  const Section section = this->section(View::kStreams);
  EXPECT_THAT(
      table_texts(section.table),
      ElementsAre(ElementsAre("run.json", "GPU 0", "0", "7", "10", "16.0 ms", "40.0 %", "8",
                              "2.00 us", "5.00 us", "9.00 ms", "21.0 ms", "6", "1.25", "-")));
  EXPECT_THAT(render_json(document(only(View::kStreams))), HasSubstr("\"mean_queue\":1.25"));
}

TEST_F(WaitSectionsTest, the_queue_of_a_program_that_starts_is_that_of_its_steady_part) {
  auto steady = std::make_shared<Summary>(summary_);
  steady->waits.streams[0].mean_queue = 4.5;
  summary_.steady = steady;
  const Document report = document(only(View::kStreams));
  EXPECT_THAT(render_text(report, {.width = 160}), HasSubstr("4.50"));
  EXPECT_THAT(render_text(report, {.width = 160}), Not(HasSubstr("1.25")));
  EXPECT_THAT(report.sections[0].lead,
              HasSubstr("The mean queue is that of the time after the start-up."));
  EXPECT_THAT(render_json(report), HasSubstr("\"mean_queue\":1.25,\"steady_mean_queue\":4.5"));
}

TEST_F(WaitSectionsTest, a_stream_without_known_launches_has_no_delay) {
  summary_.waits.streams[0].with_launch = 0;
  const auto texts = table_texts(section(View::kStreams).table);
  EXPECT_EQ(texts[0][8], "-");
  EXPECT_EQ(texts[0][12], "-");
}

TEST_F(WaitSectionsTest, the_longest_of_several_ranks_is_placed_in_its_own_trace) {
  Summary other = summary_;
  other.waits.idle.clear();
  other.waits.calls[0].longest = {1, 2};
  RankInput rank0 = rank("rank 0");
  rank0.summary = &other;
  const Document report =
      summary_document({rank0, rank("rank 1")}, summary_, {}, only(View::kRuntimeCalls));
  const Section& calls = report.sections.front();
  EXPECT_EQ(table_texts(calls.table)[0][12], "rank 1");
  EXPECT_FALSE(calls.table.columns[12].for_tools);
}

TEST_F(WaitSectionsTest, narrow_pages_stay_narrow) {
  for (const int width : {60, 80}) {
    for (const View view : {View::kIdle, View::kRuntimeCalls, View::kStreams, View::kSteps}) {
      const std::string text = render_text(document(only(view)), {.width = width});
      for (const std::string& line : lines_of(text)) {
        EXPECT_LE(columns_of(line), static_cast<std::size_t>(width)) << line;
      }
    }
  }
}

}  // namespace
}  // namespace strobe::report
