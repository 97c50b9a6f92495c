#include "strobe/readers/event_scanner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "strobe/base/simd.h"

namespace strobe::readers {
namespace {

struct Scanned {
  std::string bytes;  // what the event's views point into
  RawEvent event;
  ScanResult result = ScanResult::kMalformed;
  std::size_t consumed = 0;
};

Scanned scan(const std::string& text) {
  Scanned scanned;
  scanned.bytes = text + std::string(simd::kSimdPadding, '\0');
  const char* p = scanned.bytes.data();
  scanned.result = EventScanner().scan(p, scanned.bytes.data() + text.size(), scanned.event);
  scanned.consumed = static_cast<std::size_t>(p - scanned.bytes.data());
  return scanned;
}

TEST(EventScannerTest, a_kernel_as_its_profiler_prints_it) {
  const std::string text = R"json({
    "ph": "X", "cat": "kernel", "name": "void gemm<4>(float*)", "pid": 0, "tid": 7,
    "ts": 3848423555095.806, "dur": 1.856,
    "args": {
      "External id": 10,      "queued": 0, "device": 3, "context": 1,      "stream": 7, "correlation": 20,
      "grid": [128, 1, 1], "name}": "}"
    }
  })json";
  const Scanned scanned = scan(text + ",");
  ASSERT_EQ(scanned.result, ScanResult::kEvent);
  EXPECT_EQ(scanned.consumed, text.size());
  EXPECT_EQ(scanned.event.phase, 'X');
  EXPECT_EQ(scanned.event.category.text, "kernel");
  EXPECT_EQ(scanned.event.name.text, "void gemm<4>(float*)");
  EXPECT_EQ(scanned.event.process.text, "0");
  EXPECT_EQ(scanned.event.thread.text, "7");
  EXPECT_EQ(scanned.event.time_ns, 3848423555095806);
  EXPECT_EQ(scanned.event.duration_ns, 1856);
  EXPECT_EQ(scanned.event.correlation, 20u);
  EXPECT_EQ(scanned.event.external, 10u);
  EXPECT_EQ(scanned.event.device, 3);
  EXPECT_TRUE(scanned.event.args.starts_with('{') && scanned.event.args.ends_with('}'));
}

TEST(EventScannerTest, keys_in_any_order_and_layout) {
  const Scanned scanned = scan(
      R"({"args":{"correlation":5},"dur":2,"ts":1,"tid" : "a" ,"pid":"b","name":"n","cat":"c","ph":"X"})");
  ASSERT_EQ(scanned.result, ScanResult::kEvent);
  EXPECT_EQ(scanned.event.phase, 'X');
  EXPECT_EQ(scanned.event.thread.text, "a");
  EXPECT_EQ(scanned.event.process.type, RawScalar::Type::kString);
  EXPECT_EQ(scanned.event.time_ns, 1000);
  EXPECT_EQ(scanned.event.correlation, 5u);
}

TEST(EventScannerTest, unknown_keys_and_nested_values_are_stepped_over) {
  const Scanned scanned =
      scan(R"({"cname":"x","sf":{"a":[1,2,{"ts":5}]},"ts":7,"n":null,"ph":"i"})");
  ASSERT_EQ(scanned.result, ScanResult::kEvent);
  EXPECT_EQ(scanned.event.time_ns, 7000);
  EXPECT_EQ(scanned.event.phase, 'i');
}

TEST(EventScannerTest, times_written_as_text_are_read) {
  const Scanned scanned = scan(R"({"ph":"X","ts":"1700000000000000.125","dur":"3.5"})");
  EXPECT_EQ(scanned.event.time_ns, 1700000000000000125);
  EXPECT_EQ(scanned.event.duration_ns, 3500);
  EXPECT_FALSE(scanned.event.has_bad_time);
}

TEST(EventScannerTest, a_time_that_is_no_number_is_marked) {
  for (const char* text :
       {R"({"ph":"X","ts":NaN})", R"({"ph":"X","ts":"soon"})", R"({"ph":"X","ts":null})"}) {
    const Scanned scanned = scan(text);
    EXPECT_EQ(scanned.result, ScanResult::kEvent) << text;
    EXPECT_TRUE(scanned.event.has_bad_time) << text;
    EXPECT_EQ(scanned.event.time_ns, kNoTime) << text;
  }
}

TEST(EventScannerTest, a_name_with_a_quote_of_its_own_is_kept_whole) {
  const Scanned scanned = scan(R"({"name":"say "hi" twice[1.0 us]","ts":4,"ph":"X"})");
  ASSERT_EQ(scanned.result, ScanResult::kEvent);
  EXPECT_EQ(scanned.event.name.text, R"(say "hi" twice[1.0 us])");
  EXPECT_TRUE(scanned.event.name.escaped);
  EXPECT_EQ(scanned.event.time_ns, 4000);
}

TEST(EventScannerTest, relative_times_lose_their_unit) {
  const Scanned scanned = scan(
      R"({"ph":"X","args":{"correlation id":7,"start_time":"11156.500 us","end_time":"78479.797 us"}})");
  EXPECT_EQ(scanned.event.correlation, 7u);
  EXPECT_EQ(scanned.event.relative_start_ns, 11156500);
  EXPECT_EQ(scanned.event.relative_end_ns, 78479797);
}

TEST(EventScannerTest, ids_printed_as_signed_numbers_are_ids_all_the_same) {
  const auto correlation = [](const std::string& id) {
    return scan(R"({"ph":"X","args":{"correlation id":)" + id + "}}").event.correlation;
  };
  EXPECT_EQ(correlation("-2147483648"), 0x80000000u);
  EXPECT_EQ(correlation("-2"), 0xFFFFFFFEu);
  EXPECT_EQ(correlation("-1"), kNoLaunchId);
  EXPECT_EQ(correlation("-2147483649"), kNoLaunchId);
}

TEST(EventScannerTest, an_id_over_32_bits_is_left_out_and_marked) {
  const Scanned scanned = scan(R"({"ph":"X","args":{"correlation":4294967296}})");
  EXPECT_EQ(scanned.event.correlation, kNoLaunchId);
  EXPECT_TRUE(scanned.event.has_wide_id);
}

TEST(EventScannerTest, a_list_where_a_number_belongs_is_stepped_over_whole) {
  const Scanned scanned = scan(
      R"({"ph":"X","args":{"correlation":[1,2],"device":{"a":1,"b":2},"External id":7},"ts":[1,2]})");
  ASSERT_EQ(scanned.result, ScanResult::kEvent);
  EXPECT_EQ(scanned.event.external, 7u);
}

TEST(EventScannerTest, every_cut_of_an_event_is_incomplete) {
  const std::string text =
      R"({"ph": "X", "cat": "kernel", "name": "a\"b", "pid": 0, "tid": "s 7", "ts": 1.5, "dur": 2, )"
      R"("args": {"External id": 1, "device": 0, "correlation": 3, "grid": [1, 2], "s": "x"}})";
  ASSERT_EQ(scan(text).result, ScanResult::kEvent);
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    EXPECT_EQ(scan(text.substr(0, cut)).result, ScanResult::kIncomplete)
        << cut << ": " << text.substr(0, cut);
  }
}

TEST(EventScannerTest, what_is_no_object_is_malformed) {
  for (const char* text : {"{1:2}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":1]", "{]"}) {
    EXPECT_EQ(scan(text).result, ScanResult::kMalformed) << text;
  }
}

// A layout of one event must never give its values to another.
TEST(EventScannerTest, events_of_changing_layouts_read_as_if_each_were_the_first) {
  const std::string events[] = {
      R"({"ph": "X", "cat": "a", "name": "1", "pid": 1, "tid": 2, "ts": 3, "dur": 4})",
      R"({"ph": "X", "cat": "a", "name": "2", "pid": 1, "tid": 2, "ts": 5})",
      R"({"ph": "X", "cat": "a", "name": "3", "pid": 9, "tid": 2, "ts": 6, "dur": 1})",
      R"({"name": "4", "pid": 1, "tid": "2 C", "ts": 7, "dur": 2, "ph": "X", "cat": "b"})",
      R"({"name": "5", "pid": 1, "tid": "2 C", "ts": 8, "ph": "i", "cat": "c"})",
      R"({"name": "6", "pid": 1, "tid": "2 C", "id": 4, "ts": 8, "ph": "s"
})",
      R"({"name": "7", "pid": 1, "tid": "2 C", "ph": "M", "args": {
  "name" : "x"
}
})",
      R"({"ph": "X", "name": "8", "name": "9", "cat": "d", "pid": 3, "tid": 4, "ts": 1})",
      R"({"ph": "X", "ts": 1, "name": "10", "pid": 3, "tid": 4, "ts": 2})",
      R"({"name": 11, "ts": 3})",
      R"({"ph": "X", "cat": "a", "name": "12", "pid": 1, "pid": 5, "tid": 2, "ts": 3, "args": null})",
      R"({"ph": "X", "cat": "a", "name": "13", "pid": 1, "tid": 2, "ts": 3, "args": [1, {"ts": 5}]})",
      R"({"ph": "X", "args": {"device": 1, "x": 2}, "name": "14", "args": {"device": 3, "x": 2}, "ts": 1})",
      R"({"ph":"X","name":"16","ts":1,"dur":2,"args":{"device":3}})",
      R"({"ph":"X","name": "17","ts": 1,"dur":2 ,"args": {"device": 3}})",
      R"({"ph":"X","name":"18","ts":1,"dur":2,"args":{"device":3,},})",
      R"({"ph": "X", "args": {"device": 1}, "name": "15", "args": {"device": 3}, "ts": 1})",
  };
  const auto describe = [](const RawEvent& e) {
    std::string text(1, e.phase);
    for (const RawScalar& s : {e.name, e.category, e.process, e.thread, e.id})
      text += "|" + std::string(s.text);
    return text + "|" + std::to_string(e.time_ns) + "|" + std::to_string(e.duration_ns) + "|" +
           std::string(e.args);
  };
  EventScanner scanner;
  for (std::size_t round = 0; round < 2000; ++round) {
    const std::string& text = events[(round * 7 + round / 18) % std::size(events)];
    const std::string padded = text + std::string(simd::kSimdPadding, '\0');
    const char* p = padded.data();
    RawEvent event;
    ASSERT_EQ(scanner.scan(p, padded.data() + text.size(), event), ScanResult::kEvent) << text;
    EXPECT_EQ(describe(event), describe(scan(text).event)) << text;
  }
}

// A comparison with a layout ends in the zero bytes after the text, unless the layout has zero
// bytes too.
TEST(EventScannerTest, an_event_with_zero_bytes_makes_no_layout) {
  const std::string zeros(200, '\0');
  const std::string event = R"({"ts":1,"cat":")" + zeros + R"(","pid":1,"tid":2,"ph":"X"})";
  const std::string cut = R"({"ts":1,"cat":")";
  EventScanner scanner;
  for (const std::string& text : {event, event, cut}) {
    std::vector<char> exact(text.begin(), text.end());
    exact.resize(text.size() + simd::kSimdPadding);
    const char* p = exact.data();
    RawEvent read;
    const ScanResult result = scanner.scan(p, exact.data() + text.size(), read);
    EXPECT_EQ(result, text == cut ? ScanResult::kIncomplete : ScanResult::kEvent);
    EXPECT_EQ(read.layout, 0u);
    if (result == ScanResult::kEvent) {
      EXPECT_EQ(read.category.text, zeros);
    }
  }
}

TEST(EventScannerTest, candidates_follow_a_comma_and_begin_with_an_events_key) {
  const std::string text = R"({"x":1},{"y":2}, {"name":3})" + std::string(simd::kSimdPadding, '\0');
  const char* end = text.data() + text.find('\0');
  const char* found = find_event_candidate(text.data(), end);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found - text.data(), 17);
  EXPECT_EQ(find_event_candidate(found, end), nullptr);
}

TEST(EventScannerTest, attributes_are_arguments_if_there_are_no_others) {
  EXPECT_EQ(scan(R"({"attr":{"a":1},"ts":1})").event.args, R"({"a":1})");
  EXPECT_EQ(scan(R"({"attr":{"a":1},"args":{"b":2},"ts":1})").event.args, R"({"b":2})");
  EXPECT_EQ(scan(R"({"args":{"b":2},"attr":{"a":1},"ts":1})").event.args, R"({"b":2})");
  EXPECT_EQ(scan(R"({"attr":"text","ts":1})").event.args, "");
}

TEST(EventScannerTest, times_may_be_texts) {
  const Scanned scanned = scan(R"({"ts":"1736408883688177.930","dur":"0.0005" ,"ph":"X"})");
  ASSERT_EQ(scanned.result, ScanResult::kEvent);
  EXPECT_EQ(scanned.event.time_ns, 1736408883688177930);
  EXPECT_EQ(scanned.event.duration_ns, 1);
  EXPECT_FALSE(scanned.event.has_bad_time);
  EXPECT_TRUE(scan(R"({"ts":"soon","dur":"1"})").event.has_bad_time);
}

}  // namespace
}  // namespace strobe::readers
