#include "strobe/readers/trace_reader.h"

#include <gmock/gmock.h>

#include <string>

#include "strobe/trace/trace_builder.h"
#include "tests/support/trace_text.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

LoadedTrace load(std::string_view text, const LoadOptions& options = {.threads = 1}) {
  auto loaded = read_trace_bytes(text, "trace.json", options);
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().what);
  return std::move(loaded).value();
}

Error failure(std::string_view text) {
  auto loaded = read_trace_bytes(text, "trace.json", {.threads = 1});
  EXPECT_FALSE(loaded);
  return loaded ? Error{} : loaded.error();
}

std::uint64_t count(const LoadedTrace& loaded, ImportIssue issue) {
  return loaded.report[issue].count;
}

TEST(TraceReaderTest, a_bare_array_may_be_left_open) {
  const auto loaded = load(R"([{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1},)");
  EXPECT_EQ(loaded.trace.slice_count(), 1u);
  EXPECT_TRUE(loaded.report.is_clean()) << testing::describe(loaded.report);
}

TEST(TraceReaderTest, an_object_cut_behind_an_event_says_so) {
  const auto loaded =
      load(R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1},)");
  EXPECT_EQ(loaded.trace.slice_count(), 1u);
  EXPECT_EQ(count(loaded, ImportIssue::kTruncatedFile), 1u);
}

TEST(TraceReaderTest, a_cut_inside_an_event_names_entry_and_byte) {
  const std::string whole =
      R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1},)";
  const auto loaded = load(whole + R"({"ph":"X","name":"b)");
  EXPECT_EQ(loaded.trace.slice_count(), 1u);
  const auto& line = loaded.report[ImportIssue::kTruncatedFile];
  ASSERT_EQ(line.count, 1u);
  EXPECT_EQ(line.examples[0].byte_offset, whole.size());
  EXPECT_EQ(line.examples[0].detail, "inside entry 2");
}

TEST(TraceReaderTest, a_damaged_event_costs_only_itself) {
  const auto loaded = load(
      R"([{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1},
          {"ph":"X","name":"b" oops "ts":3},
          {"ph":"X","name":"c","ts":5,"dur":2,"pid":1,"tid":1}, 17, "x", null,
          {"ph":"X","name":"d","ts":7,"dur":2,"pid":1,"tid":1}])");
  EXPECT_EQ(loaded.trace.slice_count(), 3u);
  EXPECT_EQ(count(loaded, ImportIssue::kMalformedEvent), 4u);
}

TEST(TraceReaderTest, begin_and_end_make_a_slice_whatever_their_order_in_the_file) {
  const auto loaded = load(
      R"([{"ph":"E","ts":9,"pid":1,"tid":1},{"ph":"B","name":"out","ts":1,"pid":1,"tid":1},
          {"ph":"E","ts":5,"pid":1,"tid":1},{"ph":"B","name":"in","ts":2,"pid":1,"tid":1}])");
  ASSERT_EQ(loaded.trace.slice_count(), 2u);
  EXPECT_EQ(loaded.trace.name(SliceId(0)), "in");
  EXPECT_EQ(loaded.trace.duration_ns(SliceId(0)), 3000);
  EXPECT_EQ(loaded.trace.name(SliceId(1)), "out");
  EXPECT_EQ(loaded.trace.duration_ns(SliceId(1)), 8000);
}

TEST(TraceReaderTest, halves_keep_the_numbers_that_link_them) {
  const auto loaded = load(
      R"([{"ph":"B","cat":"cuda_runtime","name":"open","ts":1,"pid":1,"tid":1,
           "args":{"correlation":9,"Sequence number":4,"Fwd thread id":6}},
          {"ph":"b","cat":"io","id":1,"name":"read","ts":2,"pid":1,"tid":1,"args":{"External id":3}},
          {"ph":"e","cat":"io","id":1,"ts":5,"pid":1,"tid":1},
          {"ph":"b","cat":"io","id":2,"name":"wide","ts":6,"pid":1,"tid":1,
           "args":{"correlation":99999999999}}])");
  const SliceColumns& slices = loaded.trace.slices();
  ASSERT_EQ(slices.size(), 3u);
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const std::string_view name = loaded.trace.name(SliceId(row));
    EXPECT_EQ(slices.correlations[row], name == "open" ? 9 : kNoLaunchId) << name;
    EXPECT_EQ(slices.externals[row], name == "read" ? 3 : kNoLaunchId) << name;
  }
  const SequenceColumns& sequences = loaded.trace.sequences();
  ASSERT_EQ(sequences.slices.size(), 1u);
  EXPECT_EQ(loaded.trace.name(sequences.slices[0]), "open");
  EXPECT_EQ(sequences.sequence_numbers[0], 4);
  EXPECT_EQ(sequences.forward_threads[0], 6);
  EXPECT_EQ(count(loaded, ImportIssue::kWideCorrelation), 1u);
}

TEST(TraceReaderTest, halves_without_a_partner_are_completed_or_counted) {
  const auto loaded = load(
      R"([{"ph":"B","name":"open","ts":1,"pid":1,"tid":1},{"ph":"X","name":"x","ts":2,"dur":8,"pid":1,"tid":2},
          {"ph":"E","ts":3,"pid":1,"tid":3}])");
  ASSERT_EQ(loaded.trace.slice_count(), 2u);
  EXPECT_EQ(loaded.trace.end_ns(SliceId(1)), 10000);
  EXPECT_EQ(loaded.trace.slices().flags[1], kUnfinished);
  EXPECT_EQ(count(loaded, ImportIssue::kUnmatchedBegin), 1u);
  EXPECT_EQ(count(loaded, ImportIssue::kUnmatchedEnd), 1u);
}

TEST(TraceReaderTest, what_ran_in_parallel_on_a_thread_pairs_by_name) {
  const auto loaded = load(
      R"([{"ph":"B","name":"a","ts":1,"pid":1,"tid":1},{"ph":"B","name":"b","ts":2,"pid":1,"tid":1},
          {"ph":"E","name":"a","ts":3,"pid":1,"tid":1},{"ph":"B","name":"c","ts":4,"pid":1,"tid":1},
          {"ph":"E","name":"other","ts":5,"pid":1,"tid":1},{"ph":"E","ts":6,"pid":1,"tid":1}])");
  ASSERT_EQ(loaded.trace.slice_count(), 3u);
  EXPECT_EQ(loaded.trace.name(SliceId(0)), "a");
  EXPECT_EQ(loaded.trace.end_ns(SliceId(0)), 3000);
  EXPECT_EQ(loaded.trace.name(SliceId(1)), "c");
  EXPECT_EQ(loaded.trace.end_ns(SliceId(1)), 5000);
  EXPECT_EQ(loaded.trace.name(SliceId(2)), "b");
  EXPECT_EQ(loaded.trace.end_ns(SliceId(2)), 6000);
}

TEST(TraceReaderTest, asynchronous_slices_pair_by_category_and_id) {
  const auto loaded = load(
      R"([{"ph":"b","cat":"io","id":"0x1","name":"r1","ts":1,"pid":1,"tid":1},
          {"ph":"b","cat":"io","id":2,"name":"r2","ts":2,"pid":1,"tid":1},
          {"ph":"e","cat":"io","id":1,"ts":5,"pid":1,"tid":9},{"ph":"e","cat":"io","id":"0x2","ts":9,"pid":1,"tid":9}])");
  ASSERT_EQ(loaded.trace.slice_count(), 2u);
  EXPECT_EQ(loaded.trace.duration_ns(SliceId(0)), 4000);
  EXPECT_EQ(loaded.trace.duration_ns(SliceId(1)), 7000);
  EXPECT_EQ(loaded.trace.track(SliceId(0)).kind, TrackKind::kAsync);
}

TEST(TraceReaderTest, counters_keep_every_series) {
  const auto loaded =
      load(R"([{"ph":"C","name":"mem","ts":1,"pid":1,"args":{"used":12.5,"free":"3"}}])");
  ASSERT_EQ(loaded.trace.counters().size(), 2u);
  EXPECT_THAT(loaded.trace.counters().values, ElementsAre(12.5, 3.0));
}

TEST(TraceReaderTest, escapes_in_the_names_of_series_are_resolved) {
  const auto loaded = load(
      R"([{"ph":"C","name":"mem","ts":1,"pid":1,"args":{"a\"b":1,"\u00e9":2}},
          {"ph":"C","name":"mem","ts":2,"pid":1,"args":{"é":3}}])");
  const CounterColumns& counters = loaded.trace.counters();
  ASSERT_EQ(counters.size(), 3u);
  EXPECT_EQ(loaded.trace.strings()[counters.series[0]], "a\"b");
  EXPECT_EQ(loaded.trace.strings()[counters.series[1]], "é");
  EXPECT_EQ(counters.series[1], counters.series[2]);
}

TEST(TraceReaderTest, more_categories_than_ids_share_the_last_one) {
  constexpr std::size_t kCategories = 70'000;
  std::string text = "[";
  for (std::size_t i = 0; i < kCategories; ++i) {
    text += R"({"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1,"cat":"c)" + std::to_string(i) +
            "\"},\n";
  }
  text += R"({"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1,"cat":"c5"}])";
  for (const LoadOptions& options :
       {LoadOptions{.threads = 1}, LoadOptions{.threads = 2, .piece_bytes = 2'000'000}}) {
    const auto loaded = load(text, options);
    ASSERT_EQ(loaded.trace.slice_count(), kCategories + 1);
    ASSERT_EQ(loaded.trace.categories().size(), TraceBuilder::kMostCategories);
    const auto category = [&](std::size_t row) {
      const CategoryId id = loaded.trace.slices().categories[row];
      return loaded.trace.strings()[loaded.trace.categories()[id.index()].name];
    };
    EXPECT_EQ(category(0), "c0");
    EXPECT_EQ(category(65'533), "c65533");
    EXPECT_EQ(category(65'534), TraceBuilder::kOtherCategory);
    EXPECT_EQ(category(kCategories - 1), TraceBuilder::kOtherCategory);
    EXPECT_EQ(category(kCategories), "c5");
    EXPECT_EQ(count(loaded, ImportIssue::kTooManyCategories), kCategories - 65'534);
  }
}

TEST(TraceReaderTest, more_events_than_row_numbers_are_an_error) {
  const std::string_view text = R"([{"ph":"X","ts":1,"dur":1},{"ph":"X","ts":2,"dur":1}])";
  EXPECT_TRUE(read_trace_bytes(text, "t", {.threads = 1, .most_events = 2}));
  for (const LoadOptions& options :
       {LoadOptions{.threads = 1, .most_events = 1},
        LoadOptions{.threads = 2, .piece_bytes = 10, .most_events = 1}}) {
    const auto loaded = read_trace_bytes(text, "t", options);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::kMalformed);
    EXPECT_EQ(loaded.error().what, "the trace has more than 1 event, the most that strobe reads");
  }
}

TEST(TraceReaderTest, a_thread_that_ends_with_a_zero_byte_is_its_own) {
  const std::string zero(1, '\0');
  const auto loaded = load(R"([{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":"x"},)"
                           R"({"ph":"X","name":"b","ts":1,"dur":1,"pid":1,"tid":"x)" +
                           zero + R"("}])");
  EXPECT_EQ(loaded.trace.tracks().size(), 2u);
}

TEST(TraceReaderTest, names_from_metadata_reach_their_tracks) {
  const auto loaded = load(
      R"([{"ph":"M","name":"process_name","pid":7,"args":{"name":"trainer"}},
          {"ph":"M","name":"thread_name","pid":7,"tid":8,"args":{"name":"main"}},
          {"ph":"M","name":"thread_sort_index","pid":7,"tid":8,"args":{"sort_index":3}},
          {"ph":"X","name":"a","ts":1,"dur":2,"pid":7,"tid":8}])");
  const Track& track = loaded.trace.track(SliceId(0));
  EXPECT_EQ(loaded.trace.strings()[track.process_name], "trainer");
  EXPECT_EQ(loaded.trace.strings()[track.thread_name], "main");
  EXPECT_EQ(track.sort_index, 3);
  EXPECT_EQ(track.thread_number, 8);
}

TEST(TraceReaderTest, flows_join_the_track_of_the_slices_beside_them) {
  const auto loaded = load(
      R"({"schemaVersion":1,"traceEvents":[
          {"ph":"f","id":5,"pid":0,"tid":7,"ts":2,"cat":"ac2g","name":"ac2g","bp":"e"},
          {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":2,"dur":1,"args":{"device":0,"stream":7}}]})");
  ASSERT_EQ(loaded.trace.flows().size(), 1u);
  EXPECT_EQ(loaded.trace.flows().tracks[0], loaded.trace.slices().tracks[0]);
  EXPECT_EQ(loaded.trace.track(SliceId(0)).device, 0);
}

TEST(TraceReaderTest, impossible_durations_become_zero_and_are_reported) {
  const auto loaded = load(
      R"([{"ph":"X","name":"a","ts":1,"dur":-5},{"ph":"X","name":"b","ts":1,"dur":1e15},
          {"ph":"X","name":"c","ts":1,"dur":NaN},{"ph":"X","name":"f","ts":1,"dur":1e19},{"ph":"X","name":"d","dur":1},{"ph":"X","name":"e","ts":1e200}])");
  EXPECT_THAT(loaded.trace.slices().durations_ns, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(count(loaded, ImportIssue::kNegativeDuration), 1u);
  EXPECT_EQ(count(loaded, ImportIssue::kAbsurdTime), 2u);
  EXPECT_EQ(count(loaded, ImportIssue::kBadNumber), 1u);
  EXPECT_EQ(count(loaded, ImportIssue::kMissingTime), 2u);
}

TEST(TraceReaderTest, bad_bytes_in_names_are_replaced_and_counted) {
  const auto loaded = load(
      "[{\"ph\":\"X\",\"name\":\"a\x01z\",\"ts\":1,\"dur\":1},"
      "{\"ph\":\"X\",\"name\":\"\xff\",\"ts\":1,\"dur\":1}]");
  EXPECT_EQ(loaded.trace.name(SliceId(0)), "a\xEF\xBF\xBDz");
  EXPECT_EQ(loaded.trace.name(SliceId(1)), "\xEF\xBF\xBD");
  EXPECT_EQ(count(loaded, ImportIssue::kBadString), 2u);
}

TEST(TraceReaderTest, escapes_in_names_are_resolved) {
  const auto loaded = load(R"([{"ph":"X","name":"a\"b\u00e9\\","ts":1,"dur":1}])");
  EXPECT_EQ(loaded.trace.name(SliceId(0)), "a\"b\u00e9\\");
  EXPECT_TRUE(loaded.report.is_clean());
}

TEST(TraceReaderTest, an_unknown_phase_is_counted_with_its_letter) {
  const auto loaded = load(R"([{"ph":"O","name":"object","ts":1,"id":1},{}])");
  ASSERT_EQ(count(loaded, ImportIssue::kUnknownPhase), 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kUnknownPhase].examples[0].detail, "O");
  EXPECT_EQ(loaded.report.event_count, 2u);
}

TEST(TraceReaderTest, members_behind_the_events_are_kept) {
  const auto loaded =
      load(R"({"schemaVersion":1,"traceEvents":[],"traceName":"x","distributedInfo":{"rank":3}})");
  EXPECT_EQ(loaded.trace.metadata().distributed.rank, 3);
  EXPECT_EQ(count(loaded, ImportIssue::kNoEvents), 1u);
}

TEST(TraceReaderTest, a_second_event_array_is_not_read_in_silence) {
  const auto loaded =
      load(R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":1}],"traceEvents":[{}],"z":1})");
  EXPECT_EQ(loaded.trace.slice_count(), 1u);
  EXPECT_EQ(count(loaded, ImportIssue::kDuplicateEventArray), 1u);
  EXPECT_EQ(loaded.trace.metadata().members.back().first, "z");
}

TEST(TraceReaderTest, a_second_event_array_longer_than_the_window_is_stepped_over) {
  std::string text = R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":1}],"traceEvents":[)";
  const std::string event = R"({"ph":"X","name":")" + std::string(1 << 20, 'x') + R"("},)";
  for (int i = 0; i < 70; ++i) text += event;
  const auto loaded = load(text + R"({}],"z":1})");
  EXPECT_EQ(loaded.trace.metadata().members.back().first, "z");
  EXPECT_EQ(count(loaded, ImportIssue::kDuplicateEventArray), 1u);
  EXPECT_EQ(count(loaded, ImportIssue::kTruncatedFile), 0u);
}

TEST(TraceReaderTest, a_cut_second_event_array_is_reported) {
  const auto loaded =
      load(R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":1}],"traceEvents":[{},{"ph":"X)");
  EXPECT_EQ(count(loaded, ImportIssue::kDuplicateEventArray), 1u);
  ASSERT_EQ(count(loaded, ImportIssue::kTruncatedFile), 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kTruncatedFile].examples[0].detail,
            "in a second array of events");
}

TEST(TraceReaderTest, json_without_events_is_an_error_that_lists_what_is_there) {
  const Error error = failure(R"({"a":1,"b":[2]})");
  EXPECT_EQ(error.code, ErrorCode::kMalformed);
  EXPECT_THAT(error.what, HasSubstr("traceEvents"));
  EXPECT_THAT(error.hint, HasSubstr("a, b"));
}

TEST(TraceReaderTest, strangers_are_called_by_their_name) {
  EXPECT_THAT(failure(std::string_view("NVR\0\2\0\0\0", 8)).what, HasSubstr("Nsight Compute"));
  EXPECT_THAT(failure("SQLite format 3").what, HasSubstr("SQLite"));
  EXPECT_THAT(failure("ts_us,device,metric\n1,2,3\n").what, HasSubstr("CSV"));
  EXPECT_THAT(failure(std::string_view("\0\1\2\3\4", 5)).what, HasSubstr("binary"));
  EXPECT_THAT(failure("hello").what, HasSubstr("not JSON"));
  EXPECT_THAT(failure("  \n ").what, HasSubstr("blanks"));
  EXPECT_THAT(failure(R"({"schemaVersion": 1, "deviceProp)").what,
              HasSubstr("before its first event"));
}

TEST(TraceReaderTest, an_event_too_long_to_hold_is_skipped_and_named) {
  const std::string text = R"([{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","name":")" +
                           std::string(70 << 20, 'x') +
                           R"(","ts":2,"dur":1},{"ph":"X","name":"c","ts":3,"dur":1}])";
  const auto loaded = load(text);
  EXPECT_EQ(loaded.trace.slice_count(), 2u);
  ASSERT_EQ(count(loaded, ImportIssue::kMalformedEvent), 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kMalformedEvent].examples[0].detail, "longer than 64 MiB");
  EXPECT_EQ(count(loaded, ImportIssue::kTruncatedFile), 0u);
}

TEST(TraceReaderTest, nesting_without_end_is_a_text_that_ends_early) {
  const auto loaded = load(std::string(1'000'000, '['));
  ASSERT_EQ(count(loaded, ImportIssue::kTruncatedFile), 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kTruncatedFile].examples[0].byte_offset, 1u);
  EXPECT_EQ(count(loaded, ImportIssue::kMalformedEvent), 0u);
}

TEST(TraceReaderTest, a_cancelled_load_says_so) {
  const std::atomic<bool> cancelled = true;
  const auto loaded = read_trace_bytes(R"([{"ph":"X","ts":1,"dur":1}])", "t",
                                       {.threads = 1, .cancelled = &cancelled});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kInterrupted);
}

TEST(TraceReaderTest, core_columns_do_without_arguments) {
  const std::string_view text = R"([{"ph":"X","name":"a","ts":1,"dur":1,"args":{"k":"v"}}])";
  const auto with = load(text);
  ArgsReader args(with.trace.args());
  EXPECT_EQ(args.text(with.trace.slices().args[0]), R"({"k":"v"})");
  const auto without = load(text, {.threads = 1, .keep_args = false});
  EXPECT_TRUE(without.trace.args().empty());
}

TEST(TraceReaderTest, several_files_come_back_in_order_and_the_first_failure_is_returned) {
  const auto none = read_traces({"/nonexistent/a.json", "/nonexistent/b.json"}, {.threads = 2});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(none.error().where, HasSubstr("a.json"));
}

}  // namespace
}  // namespace strobe::readers
