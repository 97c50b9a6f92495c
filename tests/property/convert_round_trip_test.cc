#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/analysis/tables/summary.h"
#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/report/render/render.h"
#include "strobe/report/summary/run_report.h"
#include "strobe/writers/chrome_json.h"
#include "strobe/writers/kineto_frame.h"
#include "tests/property/random_trace.h"
#include "tests/property/shared_files.h"
#include "tests/support/watched.h"

// A trace that is written and read again is the same trace, and viewers keep every slice of it.
namespace strobe::writers {
namespace {

namespace fs = std::filesystem;
using readers::LoadedTrace;

class TextSink final : public ByteSink {
 public:
  explicit TextSink(std::string& text) : text_(text) {}
  Result<void> write(std::string_view bytes) override {
    text_ += bytes;
    return {};
  }
  Result<void> finish() override { return {}; }

 private:
  std::string& text_;
};

std::string written(const Trace& trace, const ChromeJsonOptions& options = {}) {
  std::string text;
  TextSink sink(text);
  ChromeJsonFile file(sink, options);
  EXPECT_TRUE(file.add_only(trace));
  EXPECT_TRUE(file.finish());
  return text;
}

// Everything a trace holds, a line each, in texts and numbers that do not depend on ids. Times are
// those of the wall clock: a part of them may move into the base.
class Account {
 public:
  explicit Account(const Trace& trace) : trace_(trace), args_(trace.args()) {
    describe_metadata();
    describe_tracks();
    describe_slices();
    describe_small_tables();
  }

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    lines_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  std::int64_t wall(std::int64_t time_ns) const { return time_ns + trace_.metadata().base_time_ns; }
  std::string_view text(StringId id) const { return id.valid() ? trace_.strings()[id] : "-"; }
  std::string_view category(CategoryId id) const {
    return text(trace_.categories()[id.index()].name);
  }

  // As a JSON value: blanks and the spelling of texts do not matter.
  static std::string value(std::string_view json) {
    std::string canonical;
    JsonWriter writer(canonical);
    if (!json.empty()) copy_json(parse_value(json), writer);
    return canonical;
  }
  std::string args(ArgsId id) { return value(args_.text(id)); }

  void describe_metadata() {
    const Metadata& metadata = trace_.metadata();
    line("dialect {} {} {}", metadata.traits.dialect, metadata.traits.runtime_label,
         metadata.traits.device_label);
    line("rank {} of {}", metadata.distributed.rank.value_or(-1),
         metadata.distributed.world_size.value_or(-1));
    line("extent {} {}", wall(trace_.extent().start_ns), wall(trace_.extent().end_ns));
    for (const DeviceProperties& device : metadata.devices) {
      line("device {} {} {} {} {} {} {} {} {} {} {}", device.id, device.name, device.memory_bytes,
           device.compute_major, device.compute_minor, device.multiprocessors, device.warp_threads,
           device.max_threads_per_block, device.registers_per_multiprocessor,
           device.shared_bytes_per_multiprocessor, device.shared_bytes_per_block_optin);
    }
    for (const auto& [key, json] : metadata.members) line("member {} {}", key, value(json));
  }

  void describe_tracks() {
    for (const Track& track : trace_.tracks()) {
      line("track {} {}/{} device {} names {}/{} sort {}", static_cast<int>(track.kind),
           text(track.process), text(track.thread), track.device.value_or(-1),
           text(track.process_name), text(track.thread_name), track.sort_index.value_or(-1));
    }
  }

  void describe_slices() {
    const auto& s = trace_.slices();
    for (std::size_t i = 0; i < s.size(); ++i) {
      line("slice {} +{} {} track {} cat {} kind {} flags {} corr {} ext {} {}",
           wall(s.starts_ns[i]), s.durations_ns[i], text(s.names[i]), s.tracks[i].value,
           category(s.categories[i]), word_of(s.kinds[i]), s.flags[i], s.correlations[i],
           s.externals[i], args(s.args[i]));
    }
    for (const std::int64_t end_ns : trace_.nesting_hints().ends_ns)
      line("nests until {}", wall(end_ns));
    for (const SliceId owner : trace_.nesting_hints().owners) line("owner {}", owner.value);
    const auto& q = trace_.sequences();
    for (std::size_t i = 0; i < q.slices.size(); ++i) {
      line("sequence {} {} {}", q.slices[i].value, q.sequence_numbers[i], q.forward_threads[i]);
    }
  }

  void describe_small_tables() {
    const auto& f = trace_.flows();
    for (std::size_t i = 0; i < f.size(); ++i) {
      line("flow {} {} track {} cat {} {}", wall(f.times_ns[i]), f.ids[i], f.tracks[i].value,
           category(f.categories[i]), static_cast<int>(f.phases[i]));
    }
    const auto& n = trace_.instants();
    for (std::size_t i = 0; i < n.size(); ++i) {
      line("instant {} {} track {} cat {} {}", wall(n.times_ns[i]), text(n.names[i]),
           n.tracks[i].value, category(n.categories[i]), args(n.args[i]));
    }
    const auto& c = trace_.counters();
    for (std::size_t i = 0; i < c.size(); ++i) {
      line("counter {} track {} {}.{} {}", wall(c.times_ns[i]), c.tracks[i].value, text(c.names[i]),
           text(c.series[i]), c.values[i]);
    }
    const auto& m = trace_.memory();
    for (std::size_t i = 0; i < m.size(); ++i) {
      line("memory {} track {} {} {} {} {} {} {} {} {} owner {}", wall(m.times_ns[i]),
           m.tracks[i].value, static_cast<int>(m.actions[i]), text(m.places[i]), m.bytes[i],
           m.addresses[i], m.allocated_bytes[i], m.reserved_bytes[i], m.peak_allocated_bytes[i],
           m.peak_reserved_bytes[i], m.owners[i].value);
    }
  }

  const Trace& trace_;
  ArgsReader args_;
  std::vector<std::string> lines_;
};

// A trace without arrows is written with those of its launches, and one of Kineto's always says its
// version.
bool is_added(const Trace& before, const std::string& line) {
  return (before.flows().size() == 0 && line.starts_with("flow ")) ||
         line == "member schemaVersion 1";
}

// The first lines that differ; "" if none does.
std::string difference(const Trace& before, const Trace& after) {
  std::vector<std::string> expected = Account(before).lines();
  std::vector<std::string> found = Account(after).lines();
  std::erase_if(expected, [&](const std::string& line) { return is_added(before, line); });
  std::erase_if(found, [&](const std::string& line) { return is_added(before, line); });
  const auto [a, b] = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
  if (a == expected.end() && b == found.end()) return "";
  return fmt::format("line {} of {} and {}:\n{}\n{}", a - expected.begin(), expected.size(),
                     found.size(), a == expected.end() ? "(end)" : *a,
                     b == found.end() ? "(end)" : *b);
}

// The report on a trace, as tools get it.
std::string report_of(const Trace& trace) {
  const ImportReport import;
  const std::vector<report::RunTrace> run = {
      {.path = "trace.json", .trace = &trace, .import = &import}};
  std::vector<analysis::Summary> summaries;
  analysis::SummaryOptions options;
  options.with_flops = true;
  summaries.push_back(analysis::summarize(trace, options));
  return report::render_json(report::run_document(run, summaries, {}));
}

// How many slices of a file a viewer would drop: in the order of time and, at one time, of length,
// each must be inside the ones that are still open on its thread.
std::size_t dropped_slices(const std::string& text) {
  struct Span {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
  };
  simdjson::dom::parser parser;
  std::map<std::string, std::vector<Span>> threads;
  // As Perfetto does it.
  const auto ns = [](const simdjson::dom::element& us) {
    std::int64_t whole_us = 0;
    if (us.get(whole_us) == simdjson::SUCCESS) return whole_us * 1000;
    return static_cast<std::int64_t>(us.get_double().value() * 1000.0);
  };
  const simdjson::dom::array events = parser.parse(text)["traceEvents"].get_array();
  for (const simdjson::dom::element event : events) {
    if (event["ph"].get_string().value() != "X") continue;
    const std::int64_t start_ns = ns(event["ts"].value());
    threads[simdjson::minify(event["pid"].value()) + " " + simdjson::minify(event["tid"].value())]
        .push_back({start_ns, start_ns + ns(event["dur"].value())});
  }
  std::size_t dropped = 0;
  for (auto& [thread, spans] : threads) {
    std::ranges::stable_sort(spans, [](const Span& a, const Span& b) {
      return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
    });
    std::vector<std::int64_t> open;
    for (const Span& span : spans) {
      while (!open.empty() && open.back() <= span.start_ns) open.pop_back();
      if (!open.empty() && span.end_ns > open.back()) {
        ++dropped;
      } else {
        open.push_back(span.end_ns);
      }
    }
  }
  return dropped;
}

LoadedTrace read_text_of(const std::string& text) {
  auto loaded = readers::read_trace_bytes(text, "converted.json", {.threads = 1});
  EXPECT_TRUE(loaded) << loaded.error().what;
  return *std::move(loaded);
}

// Small files of each dialect, with what real ones seldom have.
constexpr std::string_view kKineto = R"json({"schemaVersion": 1, "distributedInfo": {"rank": 3},
"deviceProperties": [{"id": 0, "name": "GPU é", "numSms": 4}], "trace_id": "A\u0041\"",
"baseTimeNanoseconds": 1700000000000000000, "odd": [nan, 01, "\q"], "traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":10.001,"dur":100},
{"ph":"X","cat":"python_function","name":"a \"quoted\" \\ name\n\u00e9","pid":1,"tid":1,"ts":5,
 "dur":50.5,"args":{ "Python id": 1 , "list" : [ 1, [ ], { } ], "text" : "{\"a\": [1, 2]}" }},
{"ph":"X","cat":"python_function","name":"inner","pid":1,"tid":1,"ts":54,"dur":60},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":11.25,"dur":9.125,
 "args":{"External id":7,"Sequence number":3,"Fwd thread id":0,"odd":nan,"more":Infinity}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":12,"dur":1,
 "args":{"External id":7,"correlation":99}},
{"ph":"X","cat":"kernel","name":"gemm<float, 4>","pid":0,"tid":7,"ts":30,"dur":0.001,
 "args":{"External id":7,"device":0,"stream":7,"correlation":99,"grid":[1,2,3]}},
{"ph":"X","cat":"kernel","name":"other","pid":0,"tid":7,"ts":20,"dur":15,"args":{"device":0}},
{"ph":"X","cat":"kernel","name":"crosses","pid":0,"tid":7,"ts":34,"dur":2,"args":{}},
{"ph":"s","id":99,"pid":1,"tid":1,"ts":12,"cat":"ac2g","name":"ac2g"},
{"ph":"f","id":99,"pid":0,"tid":7,"ts":30,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"f","id":98,"pid":0,"tid":7,"ts":34,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"t","id":"0x1f","pid":1,"tid":1,"ts":13,"cat":"ac2g","name":"ac2g"},
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":12.5,
 "args":{"Bytes":-16,"Device Type":1,"Device Id":0,"Addr":140597530963456,"Total Allocated":0}},
{"ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":200},
{"ph":"C","name":"power","pid":0,"tid":0,"ts":13,"args":{"watts":1.5,"limit":700}},
{"ph":"C","name":"power","pid":0,"tid":0,"ts":14,"args":{"watts":"0.1","limit":1e300}},
{"ph":"C","name":"power","pid":0,"tid":1,"ts":14,"args":{"watts":-0.0}},
{"ph":"B","cat":"user_annotation","name":"never ends","pid":1,"tid":2,"ts":40,"args":{"x":1}},
{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler",
 "ts":1,"dur":199},
{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python3"}},
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"thread 1 \t"}},
{"ph":"M","name":"thread_sort_index","pid":1,"tid":1,"args":{"sort_index":-5}}
], "traceName": "x.json"})json";

constexpr std::string_view kOtherDialects[] = {
    // Chrome: asynchronous slices, no categories, text ids, negative times; members behind.
    R"({"traceEvents":[
{"ph":"b","cat":"request","name":"GET /","id":"a1","pid":5,"tid":6,"ts":-1.5,"args":{"q":1}},
{"ph":"e","cat":"request","name":"GET /","id":"a1","pid":5,"tid":6,"ts":3},
{"ph":"b","cat":"request","name":"open","id":2,"pid":5,"tid":6,"ts":2},
{"ph":"X","name":"work","pid":"main","tid":"worker","ts":0,"dur":2},
{"ph":"X","name":"more","pid":"main","tid":"worker","ts":1,"dur":2},
{"ph":"C","name":"n","pid":5,"ts":1,"args":{"v":NaN}}
],"traceName":"x","baseTimeNanoseconds":0})",
    // Kineto of 2021: whole microseconds, ranges listed by their end, threads as texts.
    R"({"schemaVersion":1,"traceEvents":[
{"ph":"X","cat":"Operator","name":"b","pid":9,"tid":"9","ts":10,"dur":0,"args":{"External id":3}},
{"ph":"X","cat":"Operator","name":"a","pid":9,"tid":"9","ts":10,"dur":0,"args":{"External id":2}},
{"ph":"X","cat":"Operator","name":"d","pid":9,"tid":"9","ts":11,"dur":2,"args":{"External id":5}},
{"ph":"X","cat":"Operator","name":"c","pid":9,"tid":"9","ts":10,"dur":3,"args":{"External id":4}},
{"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 7","ts":12,"dur":2,
 "args":{"device":0,"stream":7,"correlation":1,"external id":5}},
{"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":9,"tid":"9","ts":11,"dur":1,
 "args":{"correlation":1,"external id":5}}
]})",
    // Before Kineto: the processes say what runs on a device.
    R"([
{"name":"mm","ph":"X","ts":1,"dur":5,"tid":0,"pid":"CPU functions","args":{}},
{"name":"mm","ph":"s","ts":1,"tid":0,"pid":"CPU functions","id":1,"cat":"cpu_to_cuda","args":{}},
{"name":"mm","ph":"f","ts":3,"tid":0,"pid":"CUDA functions","id":1,"cat":"cpu_to_cuda","args":{}},
{"name":"mm","ph":"X","ts":3,"dur":4,"tid":0,"pid":"CUDA functions","args":{}}
])",
};

TEST(ConvertRoundTripTest, small_files_of_every_dialect_come_back) {
  std::vector<std::string_view> texts(std::begin(kOtherDialects), std::end(kOtherDialects));
  texts.push_back(kKineto);
  for (const std::string_view text : texts) {
    const LoadedTrace before = read_text_of(std::string(text));
    const std::string converted = written(before.trace);
    simdjson::dom::parser parser;
    ASSERT_EQ(parser.parse(converted).error(), simdjson::SUCCESS) << converted;
    const LoadedTrace after = read_text_of(converted);
    EXPECT_EQ(difference(before.trace, after.trace), "") << converted;
    EXPECT_EQ(dropped_slices(converted), 0u) << converted;
    // What was written once is written the same again.
    EXPECT_EQ(written(after.trace), converted);
  }
}

TEST(ConvertRoundTripTest, without_lanes_every_slice_keeps_its_thread_and_viewers_drop_some) {
  const LoadedTrace before = read_text_of(std::string(kKineto));
  const std::string converted = written(before.trace, {.use_lanes = false});
  EXPECT_EQ(converted.find("lane_of"), std::string::npos);
  EXPECT_EQ(difference(before.trace, read_text_of(converted).trace), "");
  EXPECT_EQ(dropped_slices(converted), 3u);  // two ranges that a frame crosses, and one kernel
}

// Traces of no file: categories are made from the kinds, lanes from what crosses.
TEST(ConvertRoundTripTest, times_tracks_and_launches_of_random_traces_come_back) {
  constexpr unsigned kTraces = 200;
  std::size_t moved = 0;
  for (unsigned seed = 0; seed < kTraces; ++seed) {
    const Trace before = analysis::RandomTrace(seed, 0).trace();
    if (before.slice_count() == 0) continue;
    const std::string converted = written(before);
    moved += converted.find("lane_of") != std::string::npos ? 1 : 0;
    EXPECT_EQ(dropped_slices(converted), 0u) << "seed " << seed;
    const Trace after = read_text_of(converted).trace;
    const auto& a = before.slices();
    const auto& b = after.slices();
    ASSERT_EQ(a.starts_ns, b.starts_ns) << "seed " << seed;
    EXPECT_EQ(a.durations_ns, b.durations_ns) << "seed " << seed;
    EXPECT_EQ(a.correlations, b.correlations) << "seed " << seed;
    for (std::size_t row = 0; row < a.size(); ++row) {
      const SliceId slice(row);
      EXPECT_EQ(before.name(slice), after.name(slice));
      EXPECT_EQ(is_on_device(before.kind(slice)), is_on_device(after.kind(slice)));
      const Track& was = before.track(slice);
      const Track& is = after.track(slice);
      EXPECT_EQ(before.strings()[was.thread], after.strings()[is.thread]) << "seed " << seed;
      EXPECT_EQ(was.device, is.device) << "seed " << seed;
    }
  }
  EXPECT_GT(moved, kTraces / 4);
}

std::vector<fs::path> json_traces_in(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json.gz") || name.ends_with(".json.zst")) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

std::vector<fs::path> traces_to_convert() {
  std::vector<fs::path> found;
  for (const fs::path& folder :
       {fs::path(STROBE_SOURCE_DIR "/examples"),
        fs::path(STROBE_SOURCE_DIR "/tests/data/faults/none"), kShared / "traces"}) {
    std::ranges::copy(json_traces_in(folder), std::back_inserter(found));
  }
  // This one is JSON of another kind.
  std::erase_if(found, [](const fs::path& path) {
    return path.filename().string().starts_with("rocprofv3_results");
  });
  // Under a sanitizer the short ones do: packed, they are about a twentieth of their text.
  if (test::kIsWatched) {
    std::erase_if(found, [](const fs::path& path) {
      return fs::file_size(path) > (path.extension() == ".json" ? 20'000'000 : 1'000'000);
    });
  }
  return found;
}

// Calls and time by name.
std::map<std::string, std::pair<std::size_t, std::int64_t>> device_work_of(const Trace& trace) {
  std::map<std::string, std::pair<std::size_t, std::int64_t>> work;
  for (std::size_t i = 0; i < trace.slice_count(); ++i) {
    const SliceId slice(i);
    if (!is_device_work(trace.kind(slice))) continue;
    auto& [calls, duration_ns] = work[std::string(trace.name(slice))];
    ++calls;
    duration_ns += trace.duration_ns(slice);
  }
  return work;
}

class ConvertedTraceTest : public ::testing::TestWithParam<fs::path> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConvertedTraceTest);

TEST_P(ConvertedTraceTest, is_the_same_trace_with_the_same_summary) {
  const auto before = readers::read_trace(GetParam(), {.threads = 1});
  ASSERT_TRUE(before) << before.error().what;
  const std::string converted = written(before->trace);
  const LoadedTrace after = read_text_of(converted);
  EXPECT_FALSE(after.report.lost_something());
  EXPECT_EQ(dropped_slices(converted), 0u);
  if (!comes_from_events(before->trace)) {
    // It gets other categories and numbers, and keeps what the devices did.
    EXPECT_EQ(device_work_of(after.trace), device_work_of(before->trace));
    return;
  }
  EXPECT_EQ(difference(before->trace, after.trace), "");
  // Compared as a bool: a difference of two large texts is not useful.
  if (before->trace.slice_count() > 0) {
    EXPECT_TRUE(report_of(before->trace) == report_of(after.trace));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ConvertedTraceTest, ::testing::ValuesIn(traces_to_convert()), [](const auto& parameter) {
      const fs::path& path = parameter.param;
      const fs::path folder = path.parent_path();
      std::string name =
          (folder.parent_path().filename() / folder.filename() / path.filename()).string();
      std::ranges::replace_if(
          name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
      return name;
    });

}  // namespace
}  // namespace strobe::writers
