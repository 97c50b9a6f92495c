#include <gtest/gtest.h>

#include "strobe/tensorboard/event_reader.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

ArgValues read_args_of(std::string_view json) {
  JsonCursor cursor(json);
  ArgValues args;
  args.read(cursor);
  EXPECT_FALSE(cursor.failed());
  return args;
}

TEST(EventArgsTest, a_null_is_missing_and_a_later_value_replaces_an_earlier_one) {
  const ArgValues args =
      read_args_of(R"({"device":1,"device":null,"correlation":null,"correlation":"7"})");
  EXPECT_FALSE(args[Arg::kDevice].present());
  EXPECT_EQ(as_link(args[Arg::kCorrelation]), 7);
  EXPECT_EQ(as_link(args[Arg::kExternalId]), kNoLink);
}

TEST(EventArgsTest, arguments_that_are_no_object_are_none) {
  EXPECT_FALSE(read_args_of("null")[Arg::kDevice].present());
  EXPECT_FALSE(read_args_of(R"([{"device":1}])")[Arg::kDevice].present());
}

TEST(EventArgsTest, kernels_keep_what_is_theirs) {
  Events events;
  const std::uint32_t row = keep_args(
      read_args_of(
          R"({"blocks per SM":1,"est. achieved occupancy %":50.5,"grid":[1,2,3],"device":3})"),
      Category::kKernel, events);
  const KernelArgs& args = events.kernel_args.at(row);
  EXPECT_EQ(to_text(*args.blocks_per_sm), "1");
  EXPECT_EQ(to_text(*args.occupancy_percent), "50.5");
  EXPECT_EQ(events.text(args.grid), "[1,2,3]");
  EXPECT_EQ(args.device, 3);
  EXPECT_FALSE(args.block.valid());
  EXPECT_EQ(args.task_row, Event::kNoDetails);
}

TEST(EventArgsTest, an_operator_without_arguments_costs_no_row) {
  Events events;
  EXPECT_EQ(
      keep_args(read_args_of(R"({"External id":1,"Call stack":""})"), Category::kCpuOp, events),
      Event::kNoDetails);
  EXPECT_EQ(keep_args(read_args_of(R"({"Input dims":[[2]]})"), Category::kCpuOp, events), 0u);
  EXPECT_EQ(events.text(events.operator_args[0].input_dims), "[[2]]");
}

TEST(EventArgsTest, memory_totals_are_unknown_unless_given) {
  Events events;
  keep_args(read_args_of(R"({"Device Type":1,"Device Id":0,"Bytes":-512})"), Category::kMemory,
            events);
  EXPECT_EQ(events.memory_args[0].bytes, -512);
  EXPECT_FALSE(events.memory_args[0].address);
  EXPECT_NE(events.memory_args[0].total_allocated, events.memory_args[0].total_allocated);
}

RawEvents read(const std::string& json) {
  auto raw = read_events(json);
  EXPECT_TRUE(raw) << (raw ? "" : raw.error().what);
  return raw ? std::move(*raw) : RawEvents{};
}

bool is_refused(std::string_view json) { return !read_events(json); }

TEST(EventReaderTest, a_file_is_json_from_end_to_end_or_it_is_refused) {
  EXPECT_TRUE(is_refused(""));
  EXPECT_TRUE(is_refused("[]"));
  EXPECT_TRUE(is_refused("{}"));
  EXPECT_TRUE(is_refused(R"({"traceEvents":{}})"));
  EXPECT_TRUE(is_refused(R"({"traceEvents":[{"ph":"X"])"));
  EXPECT_TRUE(is_refused(R"({"traceEvents":[]} x)"));
  EXPECT_TRUE(is_refused(R"({"traceEvents":[,]})"));
  EXPECT_TRUE(is_refused("{\"traceEvents\":[{\"name\":\"\xff\"}]}"));
  EXPECT_FALSE(is_refused(R"({"traceEvents":[]})"));
}

TEST(EventReaderTest, times_keep_their_kind_and_the_last_of_two_equal_keys_counts) {
  const RawEvents raw = read(
      R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","ts":7,"ts":5.0,"dur":2,"tid":"9"}]})");
  ASSERT_EQ(raw.events.all.size(), 1u);
  const Event& event = raw.events.all[0];
  EXPECT_EQ(to_text(event.start()), "5.0");
  EXPECT_EQ(to_text(event.duration()), "2");
  EXPECT_EQ(to_text(event.end()), "7.0");
  EXPECT_EQ(raw.events.text(event.tid), "\"9\"");
  EXPECT_EQ(raw.events.text(event.pid), "null");
}

TEST(EventReaderTest, events_that_say_too_little_are_skipped) {
  const RawEvents raw = read(R"({"traceEvents":[
    {"ph":"X","name":"no category","ts":1,"dur":1},
    {"ph":"X","cat":"cpu_op","ts":1,"dur":1},
    {"ph":"X","cat":"cpu_op","name":"no duration","ts":1},
    {"ph":"X","cat":"cpu_op","name":"no number","ts":"1","dur":1},
    {"ph":"X","cat":"cpu_op","name":"not finite","ts":NaN,"dur":Infinity},
    {"ph":"X","cat":"ac2g","name":"of no interest","ts":1,"dur":1},
    {"ph":"M","name":"process_name"}, 5, null, []]})");
  EXPECT_TRUE(raw.events.all.empty());
}

TEST(EventReaderTest, categories_are_known_in_any_case) {
  const RawEvents raw = read(TraceLines().x("Kernel", "k", 1, 1).x("CPU_OP", "o", 1, 1).text());
  ASSERT_EQ(raw.events.all.size(), 2u);
  EXPECT_EQ(raw.events.all[0].category, Category::kKernel);
  EXPECT_EQ(raw.events.all[1].category, Category::kCpuOp);
}

TEST(EventReaderTest, control_characters_inside_strings_are_let_through) {
  const RawEvents raw = read(TraceLines().op("a\tb", 1, 1).text());
  ASSERT_EQ(raw.events.all.size(), 1u);
  EXPECT_EQ(raw.events.text(raw.events.all[0].name), "a\tb");
}

TEST(EventReaderTest, bare_missing_values_are_quoted_and_that_is_remembered) {
  const RawEvents raw = read(TraceLines().op("N/A", 1, 1, R"("x":N/A)").text());
  EXPECT_TRUE(raw.events.repair.quotes_missing_values);
  ASSERT_EQ(raw.events.all.size(), 1u);
  EXPECT_EQ(raw.events.text(raw.events.all[0].name), "N/A");
  EXPECT_EQ(quote_missing_values(R"({"a":N/A,"b":"N/A"})"), R"({"a":"N/A","b":"N/A"})");
}

TEST(EventReaderTest, a_window_end_days_away_from_the_iteration_is_cut_out) {
  const std::string far = R"({"name":"Record Window End","ph":"i","ts":99999999999})";
  const std::string json = R"({"traceEvents":[{"name":"Iteration Start: x","ph":"i","ts":10}, )" +
                           far + R"(, {"ph":"M"}]})";
  const RawEvents raw = read(json);
  ASSERT_TRUE(raw.events.repair.cut);
  std::string cut = json;
  cut.erase(raw.events.repair.cut->first,
            raw.events.repair.cut->second - raw.events.repair.cut->first);
  EXPECT_EQ(cut, R"({"traceEvents":[{"name":"Iteration Start: x","ph":"i","ts":10}, {"ph":"M"}]})");
}

TEST(EventReaderTest, a_window_end_long_before_the_iteration_stays) {
  const std::string text =
      R"({"traceEvents":[{"name":"Record Window End","ph":"i","ts":1},
          {"name":"Iteration Start: x","ph":"i","ts":99999999999}]})";
  EXPECT_EQ(read(text).events.repair.cut, std::nullopt);
}

TEST(EventReaderTest, the_last_marks_of_a_file_decide) {
  const std::string_view near =
      R"({"traceEvents":[{"name":"Record Window End","ph":"i","ts":99999999999},
          {"name":"Iteration Start: x","ph":"i","ts":10},
          {"name":"Record Window End","ph":"i","ts":20}]})";
  EXPECT_FALSE(read(std::string(near)).events.repair.cut);
}

TEST(EventReaderTest, the_header_tells_devices_and_framework) {
  const RawEvents raw = read(
      R"({"Framework":"pytorch-lightning","deviceProperties":[{"name":"A100","totalGlobalMem":100,
          "computeMajor":8,"computeMinor":0},{}],"traceEvents":[]})");
  EXPECT_TRUE(raw.events.is_lightning);
  ASSERT_TRUE(raw.events.device_properties);
  ASSERT_EQ(raw.events.device_properties->size(), 2u);
  EXPECT_EQ((*raw.events.device_properties)[0].name, "A100");
  EXPECT_FALSE((*raw.events.device_properties)[1].name);
}

TEST(EventReaderTest, deep_nesting_costs_nothing) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  EXPECT_FALSE(is_refused(R"({"x":)" + deep + R"(,"traceEvents":[]})"));
}

}  // namespace

}  // namespace strobe::tensorboard
