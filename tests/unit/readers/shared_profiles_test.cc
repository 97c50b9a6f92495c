// Real files of other tools, beside what an independent program counted in them.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/json_value.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/readers/xplane/xla_words.h"
#include "tests/support/needs_shared.h"
#include "tests/support/textproto.h"

namespace strobe::readers::shared_profiles {
namespace {

const std::string kShared = STROBE_SOURCE_DIR "/../shared/";

std::string member(std::string_view object, std::string_view wanted) {
  std::string found;
  for_each_member(object, [&](std::string_view key, const JsonValue& value) {
    if (key == wanted) found = std::string(value.text);
  });
  return found;
}

std::int64_t number(std::string_view object, std::string_view first, std::string_view second = "") {
  std::string value = member(object, first);
  if (!second.empty()) value = member(value, second);
  return value.empty() ? 0 : std::stoll(value);
}

// The entry of a file, as a JSON text.
std::string expected_of(const std::string& file) {
  static const std::string all = *read_text(kShared + "data/vendors_expected.json");
  std::string found;
  for_each_element(all, [&](const JsonValue& entry) {
    if (member(entry.text, "file") == file) found = std::string(entry.text);
  });
  EXPECT_FALSE(found.empty()) << file;
  return found;
}

struct Work {
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
};

Work add_up(const Trace& trace, SliceKind kind) {
  Work work;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.slices().kinds[row] != kind) continue;
    ++work.count;
    work.total_ns += trace.slices().durations_ns[row];
  }
  return work;
}

// Times in which at least one piece of work runs, and from the first to the last.
void check_busy_times(const Trace& trace, const std::string& expected) {
  std::map<std::int32_t, std::vector<std::pair<std::int64_t, std::int64_t>>> times;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (!is_device_work(trace.slices().kinds[row])) continue;
    const SliceId slice(row);
    times[*trace.track(slice).device].emplace_back(trace.start_ns(slice), trace.end_ns(slice));
  }
  for (auto& [device, intervals] : times) {
    std::ranges::sort(intervals);
    std::int64_t busy_ns = 0;
    std::int64_t end_ns = intervals.front().first;
    for (const auto& [from_ns, to_ns] : intervals) {
      busy_ns += std::max<std::int64_t>(0, to_ns - std::max(from_ns, end_ns));
      end_ns = std::max(end_ns, to_ns);
    }
    const std::string key = std::to_string(device);
    EXPECT_EQ(busy_ns, number(expected, "busy_ns_per_device", key)) << "device " << device;
    EXPECT_EQ(end_ns - intervals.front().first, number(expected, "device_span_ns_per_device", key));
  }
}

void check_top_kernels(const Trace& trace, const std::string& expected) {
  std::map<std::string, Work> kernels;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.slices().kinds[row] != SliceKind::kKernel) continue;
    Work& work = kernels[std::string(trace.name(SliceId(row)))];
    ++work.count;
    work.total_ns += trace.slices().durations_ns[row];
  }
  EXPECT_EQ(static_cast<std::int64_t>(kernels.size()),
            number(expected, "kernels", "distinct_names"));
  for_each_element(member(expected, "top_kernels"), [&](const JsonValue& row) {
    const std::string name = member(row.text, "name");
    EXPECT_EQ(kernels[name].count, number(row.text, "calls")) << name;
    EXPECT_EQ(kernels[name].total_ns, number(row.text, "total_ns")) << name;
  });
}

std::int64_t bytes_of(const Trace& trace, SliceKind kind) {
  ArgsReader args(trace.args());
  std::int64_t bytes = 0;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.slices().kinds[row] == kind)
      bytes += number(args.text(trace.slices().args[row]), "bytes");
  }
  return bytes;
}

std::int64_t count_annotations(const Trace& trace) {
  std::int64_t count = 0;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const Track& track = trace.track(SliceId(row));
    if (track.kind != TrackKind::kHostThread) continue;
    if (trace.slices().kinds[row] == SliceKind::kRuntimeCall) continue;
    const std::string_view line =
        track.thread_name.valid() ? trace.strings()[track.thread_name] : std::string_view();
    count += !line.starts_with("Host Threads");
  }
  return count;
}

class SharedXplane : public ::testing::TestWithParam<const char*> {};

TEST_P(SharedXplane, is_read_value_by_value) {
  STROBE_NEEDS_SHARED();
  const std::string file = std::string("vendors/xplane/") + GetParam();
  const std::string expected = expected_of(file);
  const auto loaded = read_trace(kShared + "traces/" + file);
  ASSERT_TRUE(loaded) << loaded.error().what;
  const Trace& trace = loaded->trace;
  const Work kernels = add_up(trace, SliceKind::kKernel);
  EXPECT_EQ(kernels.count, number(expected, "kernels", "count"));
  EXPECT_EQ(kernels.total_ns, number(expected, "kernels", "total_ns"));
  const Work copies = add_up(trace, SliceKind::kMemcpy);
  EXPECT_EQ(copies.count, number(expected, "copies", "count"));
  EXPECT_EQ(copies.total_ns, number(expected, "copies", "total_ns"));
  EXPECT_EQ(bytes_of(trace, SliceKind::kMemcpy),
            number(member(expected, "copies"), "bytes_by_direction", "DtoD"));
  const Work memsets = add_up(trace, SliceKind::kMemset);
  EXPECT_EQ(memsets.count, number(expected, "memsets", "count"));
  EXPECT_EQ(memsets.total_ns, number(expected, "memsets", "total_ns"));
  EXPECT_EQ(bytes_of(trace, SliceKind::kMemset), number(expected, "memsets", "bytes"));
  Work collectives;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if ((trace.slices().flags[row] & kCommunicates) == 0) continue;
    ++collectives.count;
    collectives.total_ns += trace.slices().durations_ns[row];
  }
  EXPECT_EQ(collectives.count, number(expected, "collectives_on_device", "count"));
  EXPECT_EQ(collectives.total_ns, number(expected, "collectives_on_device", "total_ns"));
  check_busy_times(trace, expected);
  check_top_kernels(trace, expected);
  const std::string host = member(expected, "host");
  const Work calls = add_up(trace, SliceKind::kRuntimeCall);
  EXPECT_EQ(calls.count, number(host, "api_calls", "count"));
  EXPECT_EQ(calls.total_ns, number(host, "api_calls", "total_ns"));
  EXPECT_EQ(count_annotations(trace), number(host, "annotations", "count"));
  EXPECT_EQ(add_up(trace, SliceKind::kPythonCall).count,
            number(host, "annotations_of_python_tracer"));
  EXPECT_EQ(add_up(trace, SliceKind::kStep).count, number(host, "steps"));
  EXPECT_EQ(static_cast<std::int64_t>(trace.metadata().devices.size()),
            number(expected, "devices_declared"));
  EXPECT_TRUE(loaded->report.is_clean());
}

INSTANTIATE_TEST_SUITE_P(Files, SharedXplane,
                         ::testing::Values("jax_h200/vm.xplane.pb.gz",
                                           "jax_mi300/jax_conv_minimal.xplane.pb.gz",
                                           "tpu_inference_2.xplane.pb.gz"));

TEST(SharedXla, the_json_of_a_run_has_the_same_device_work_as_its_profile) {
  STROBE_NEEDS_SHARED();
  const std::string folder = kShared + "traces/vendors/xplane/jax_h200/";
  const auto profile = read_trace(folder + "vm.xplane.pb.gz");
  const auto json = read_trace(folder + "vm.trace.json.zst");
  ASSERT_TRUE(profile && json);
  for (const SliceKind kind : {SliceKind::kKernel, SliceKind::kMemset, SliceKind::kRuntimeCall,
                               SliceKind::kStep, SliceKind::kPythonCall, SliceKind::kOverhead}) {
    const Work one = add_up(profile->trace, kind);
    const Work other = add_up(json->trace, kind);
    EXPECT_EQ(one.count, other.count) << word_of(kind);
    EXPECT_EQ(one.total_ns, other.total_ns) << word_of(kind);
  }
  EXPECT_EQ(count_annotations(profile->trace), count_annotations(json->trace) + 200)
      << "events of the allocator, which the JSON leaves out";
}

TEST(SharedPerfetto, nested_tracks_are_read) {
  STROBE_NEEDS_SHARED();
  const std::string file = "vendors/perfetto/nested_tracks.perfetto-trace.gz";
  const std::string expected = expected_of(file);
  const auto loaded = read_trace(kShared + "traces/" + file);
  ASSERT_TRUE(loaded) << loaded.error().what;
  const Trace& trace = loaded->trace;
  EXPECT_EQ(static_cast<std::int64_t>(trace.slice_count()), number(expected, "slices"));
  EXPECT_EQ(static_cast<std::int64_t>(trace.tracks().size()), number(expected, "tracks"));
  std::int64_t total_ns = 0;
  for (const std::int64_t duration_ns : trace.slices().durations_ns) total_ns += duration_ns;
  EXPECT_EQ(total_ns, number(expected, "total_slice_ns"));
  EXPECT_EQ(loaded->report[ImportIssue::kUnmatchedBegin].count, 0u);
  for (std::size_t level = 1; level <= 5; ++level) {
    EXPECT_EQ(trace.name(SliceId(level - 1)),
              "L" + std::to_string(level) + " Slice " + std::to_string(level));
  }
  EXPECT_EQ(trace.strings()[trace.track(SliceId(1)).thread], "L1 Track 01 / L2 Track 02");
}

TEST(SharedPerfetto, gpu_packets_written_as_text_are_read) {
  STROBE_NEEDS_SHARED();
  const std::string folder = "vendors/perfetto/synthetic_gpu_textproto/";
  for (const auto& entry : std::filesystem::directory_iterator(kShared + "traces/" + folder)) {
    const std::string file = folder + entry.path().filename().string();
    const std::string expected = expected_of(file);
    const auto text = read_text(entry.path().string());
    ASSERT_TRUE(text);
    const auto loaded = read_trace_bytes(test::perfetto_from_text(*text), file);
    ASSERT_TRUE(loaded) << file << ": " << loaded.error().what;
    Work stages;
    std::int64_t host = 0;
    for (std::size_t row = 0; row < loaded->trace.slice_count(); ++row) {
      const bool is_stage = loaded->trace.track(SliceId(row)).device.has_value();
      host += !is_stage;
      stages.count += is_stage;
      stages.total_ns += is_stage ? loaded->trace.slices().durations_ns[row] : 0;
    }
    EXPECT_EQ(stages.count, number(expected, "gpu_render_stage_events")) << file;
    EXPECT_EQ(stages.total_ns, number(expected, "gpu_render_stage_ns")) << file;
    EXPECT_EQ(host, number(expected, "slices")) << file;
    EXPECT_EQ(loaded->report[ImportIssue::kLostState].count, 0u) << file;
    EXPECT_EQ(loaded->report[ImportIssue::kUnreadEvents].count, 0u) << file;
  }
}

}  // namespace
}  // namespace strobe::readers::shared_profiles
