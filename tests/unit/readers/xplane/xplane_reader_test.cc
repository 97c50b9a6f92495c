#include "strobe/readers/xplane/xplane_reader.h"

#include <cstdint>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "strobe/device/vendor_names.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/readers/xplane/xla_words.h"
#include "tests/support/damage.h"
#include "tests/support/protobuf_sketch.h"

namespace strobe::readers::xplane {
namespace {

using test::Message;

Message entry(std::uint32_t field, std::uint64_t id, std::string_view name) {
  return Message().message(
      field, Message().number(1, id).message(2, Message().number(1, id).text(2, name)));
}
Message event_name(std::uint64_t id, std::string_view name) { return entry(4, id, name); }
Message stat_name(std::uint64_t id, std::string_view name) { return entry(5, id, name); }

Message stat(std::uint64_t id, std::uint64_t value) {
  return Message().number(1, id).number(3, value);
}
Message text_stat(std::uint64_t id, std::string_view value) {
  return Message().number(1, id).text(5, value);
}
Message event(std::uint64_t name, std::uint64_t offset_ps, std::uint64_t duration_ps) {
  Message made;
  made.number(1, name);
  if (offset_ps != 0) made.number(2, offset_ps);
  if (duration_ps != 0) made.number(3, duration_ps);
  return made;
}

constexpr std::uint64_t kCorrelation = 1;
constexpr std::uint64_t kCopyDetails = 2;
constexpr std::uint64_t kStep = 3;
constexpr std::uint64_t kKernelDetails = 4;

// A copy and a kernel on a stream, their calls, a step, and a line that repeats the work. The names
// stand behind the lines, as writers put them.
std::string some_profile() {
  Message stream;
  stream.number(1, 14).text(2, "Stream #14(Compute)").number(3, 1000);
  stream.message(4, event(1, 1'500, 2'500)
                        .message(4, stat(kCorrelation, 7))
                        .message(4, text_stat(kKernelDetails,
                                              "regs:32 static_shared:1 dynamic_shared:2 "
                                              "grid:2,66,1 block:384,1,1 occ_pct:18.75")));
  stream.message(4, event(2, 9'000, 1'499)
                        .message(4, stat(kCorrelation, 8))
                        .message(4, text_stat(kCopyDetails, "kind_src:pinned size:4096 dest:0")));
  Message modules;
  modules.number(1, 15).text(2, "XLA Modules").number(3, 1000).message(4, event(3, 0, 12'000));
  Message device;
  device.text(2, "/device:GPU:3").message(3, stream).message(3, modules);
  device.raw(event_name(1, "_Z4gemmPf").bytes()).raw(event_name(2, "MemcpyH2D").bytes());
  device.raw(event_name(3, "jit_step").bytes());
  device.raw(stat_name(kCorrelation, "correlation_id").bytes());
  device.raw(stat_name(kCopyDetails, "memcpy_details").bytes());
  device.raw(stat_name(kKernelDetails, "kernel_details").bytes());

  Message thread;
  thread.number(1, 17761944283682847300u).text(2, "python3").number(3, 500);
  thread.message(4, event(4, 0, 20'000'000).message(4, stat(kStep, 12)));
  thread.message(4, event(5, 100'000, 90'000).message(4, stat(kCorrelation, 7)));
  thread.message(4, event(5, 300'000, 90'000).message(4, stat(kCorrelation, 8)));
  thread.message(4, event(6, 400'000, 10'000));
  Message host;
  host.text(2, "/host:CPU").message(3, thread);
  host.raw(event_name(4, "train").bytes()).raw(event_name(5, "cuLaunchKernel").bytes());
  host.raw(event_name(6, "$builtins len").bytes());
  host.raw(stat_name(kCorrelation, "correlation_id").bytes());
  host.raw(stat_name(kStep, "step_num").bytes());
  return Message().message(1, device).message(1, host).bytes();
}

LoadedTrace read(const std::string& bytes) {
  auto loaded = read_trace_bytes(bytes, "profile");
  EXPECT_TRUE(loaded) << loaded.error().what;
  return std::move(*loaded);
}

SliceId find(const Trace& trace, std::string_view name) {
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.name(SliceId(row)) == name) return SliceId(row);
  }
  ADD_FAILURE() << "no slice " << name;
  return SliceId(0);
}

std::string args_of(const Trace& trace, SliceId slice) {
  ArgsReader args(trace.args());
  return std::string(args.text(trace.slices().args[slice.index()]));
}

TEST(Xplane, work_calls_steps_and_ranges_are_told_apart) {
  const LoadedTrace loaded = read(some_profile());
  const Trace& trace = loaded.trace;
  const auto kind = [&](std::string_view name) {
    return trace.slices().kinds[find(trace, name).index()];
  };
  EXPECT_EQ(trace.slice_count(), 7u);
  EXPECT_EQ(kind("gemm(float*)"), SliceKind::kKernel);
  EXPECT_EQ(kind("MemcpyH2D"), SliceKind::kMemcpy);
  EXPECT_EQ(kind("jit_step"), SliceKind::kDeviceAnnotation);
  EXPECT_EQ(kind("cuLaunchKernel"), SliceKind::kRuntimeCall);
  EXPECT_EQ(kind("train 12"), SliceKind::kStep);
  EXPECT_EQ(kind("$builtins len"), SliceKind::kPythonCall);
  EXPECT_TRUE(loaded.report.is_clean());
  EXPECT_EQ(trace.track(find(trace, "gemm(float*)")).device, 3);
  EXPECT_EQ(trace.strings()[trace.track(find(trace, "train 12")).thread], "17761944283682847300");
}

TEST(Xplane, picoseconds_are_rounded_half_up_one_by_one) {
  const LoadedTrace loaded = read(some_profile());
  const SliceId kernel = find(loaded.trace, "gemm(float*)");
  EXPECT_EQ(loaded.trace.start_ns(kernel), 1002);
  EXPECT_EQ(loaded.trace.duration_ns(kernel), 3);
  EXPECT_EQ(loaded.trace.duration_ns(find(loaded.trace, "MemcpyH2D")), 1);
}

TEST(Xplane, a_call_and_its_work_have_one_correlation_and_details_become_arguments) {
  const LoadedTrace loaded = read(some_profile());
  const Trace& trace = loaded.trace;
  const SliceId kernel = find(trace, "gemm(float*)");
  EXPECT_EQ(trace.slices().correlations[kernel.index()], 7u);
  EXPECT_EQ(trace.slices().correlations[find(trace, "cuLaunchKernel").index()], 7u);
  EXPECT_EQ(loaded.report[ImportIssue::kOrphanDeviceWork].count, 0u);
  EXPECT_EQ(args_of(trace, kernel),
            R"({"registers per thread":32,"shared memory":3,"grid":[2,66,1],"block":[384,1,1],)"
            R"("theoretical achieved occupancy %":18.75})");
  EXPECT_EQ(args_of(trace, find(trace, "MemcpyH2D")),
            R"({"bytes":4096,"memcpy_details":"kind_src:pinned size:4096 dest:0"})");
}

TEST(Xplane, on_a_tpu_operators_are_the_work_and_a_line_of_steps_makes_steps) {
  Message ops;
  ops.number(1, 3)
      .text(2, "XLA Ops")
      .message(4, event(1, 1'000, 5'000))
      .message(4, event(2, 7'000, 0));
  Message async;
  async.number(1, 4).text(2, "Async XLA Ops").message(4, event(2, 7'000, 9'000));
  Message steps;
  steps.number(1, 5)
      .text(2, "Steps")
      .message(4, event(3, 0, 20'000))
      .message(4, event(4, 30'000, 9'000));
  Message device;
  device.number(1, 2).text(2, "/device:TPU:1").message(3, ops).message(3, async).message(3, steps);
  device.message(
      4,
      Message().number(1, 1).message(
          2, Message().number(1, 1).text(2, "%all-reduce.1 = f32[] ...").text(4, "all-reduce.1")));
  device.raw(event_name(2, "copy-start").bytes()).raw(event_name(3, "5").bytes());
  device.raw(event_name(4, "6").bytes());
  const LoadedTrace loaded = read(Message().message(1, device).bytes());
  const Trace& trace = loaded.trace;
  std::map<SliceKind, int> kinds;
  for (const SliceKind kind : trace.slices().kinds) ++kinds[kind];
  EXPECT_EQ(kinds[SliceKind::kKernel], 2);
  EXPECT_EQ(kinds[SliceKind::kDeviceAnnotation], 1);
  EXPECT_EQ(kinds[SliceKind::kStep], 2);
  EXPECT_EQ(trace.slices().flags[find(trace, "all-reduce.1").index()], kCommunicates);
  EXPECT_EQ(trace.duration_ns(find(trace, "step 6")), 9);
}

TEST(Xplane, impossible_times_and_unknown_names_are_reported) {
  Message thread;
  thread.number(1, 1).text(2, "main").number(3, 5);
  thread.message(4, event(1, 0, static_cast<std::uint64_t>(-9'000)));  // ends before it starts
  thread.message(4, Message().number(1, 1).number(5, 3));              // a sum of events
  thread.message(4, event(99, 1'000, 1'000));                          // a name that is not there
  thread.message(4, Message().raw("\x12\x7F"));                        // not an event
  thread.message(4, event(1, 2'000, 1'000).message(4, stat(1, std::uint64_t{1} << 40)));
  Message host;
  host.text(2, "/host:CPU").message(3, thread).raw(event_name(1, "f").bytes());
  host.raw(stat_name(1, "correlation_id").bytes());
  const LoadedTrace loaded = read(Message().message(1, host).bytes());
  EXPECT_EQ(loaded.trace.slice_count(), 3u);
  EXPECT_EQ(loaded.report[ImportIssue::kNegativeDuration].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kMissingTime].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kLostName].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kMalformedEvent].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kWideCorrelation].count, 1u);
}

TEST(Xplane, cuts_and_flipped_bytes_are_survived) {
  testing::expect_survives(some_profile(), testing::Order::kFrontToBack);
}

TEST(Xplane, a_cut_file_keeps_what_comes_before_the_cut) {
  const std::string whole = some_profile();
  const LoadedTrace loaded = read(whole.substr(0, whole.size() - 10));
  EXPECT_EQ(loaded.trace.slice_count(), 7u);
  EXPECT_EQ(loaded.report[ImportIssue::kTruncatedFile].count, 1u);
}

// A host's line of `events` calls, each 10 ns long and 20 ns after the one before it.
Message long_line(std::uint64_t events) {
  Message thread;
  thread.number(1, 1).text(2, "main").number(3, 5);
  for (std::uint64_t i = 0; i < events; ++i) {
    thread.message(
        4, event(1, i * 20'000, 10'000).message(4, stat(1, i % 7 + 1)).message(4, stat(2, i % 3)));
  }
  return thread;
}
Message long_host(std::uint64_t events) {
  Message host;
  host.text(2, "/host:CPU").message(3, long_line(events)).raw(event_name(1, "call").bytes());
  return host.raw(stat_name(1, "correlation_id").bytes()).raw(stat_name(2, "lane").bytes());
}

TEST(Xplane, a_line_longer_than_any_window_is_read_event_by_event) {
  constexpr std::uint64_t kEvents = 300'000;
  const std::string bytes = Message().message(1, long_host(kEvents)).bytes();
  ASSERT_GT(bytes.size(), std::size_t{6} << 20);
  const LoadedTrace loaded = read(bytes);
  const SliceColumns& slices = loaded.trace.slices();
  ASSERT_EQ(slices.size(), kEvents);
  for (std::size_t row = 0; row < slices.size(); ++row) {
    ASSERT_EQ(slices.starts_ns[row], 5 + 20 * static_cast<std::int64_t>(row));
    ASSERT_EQ(slices.correlations[row], row % 7 + 1);
    ASSERT_EQ(slices.args[row], slices.args[row % 3]) << "equal arguments are kept once";
  }
  EXPECT_EQ(args_of(loaded.trace, SliceId(2)), R"({"lane":2})");
}

// Starts of neighbours may be equal: then the longer one is outside, and of two that are equal in
// all, the later one.
TEST(Xplane, a_long_line_that_goes_back_at_its_end_is_ordered_as_a_whole) {
  constexpr std::uint64_t kPairs = 20'000;
  const auto names_of = [&](bool goes_back) {
    Message line;
    line.number(1, 1).text(2, "python3").number(3, 1);
    for (std::uint64_t pair = 1; pair <= kPairs; ++pair) {
      line.message(4, event(1 + pair % 3, pair * 10'000, 4'000));
      line.message(4, event(4, pair * 10'000, pair % 5 == 0 ? 8'000 : 4'000));
    }
    if (goes_back) line.message(4, event(5, 0, kPairs * 20'000));
    Message host;
    host.text(2, "/host:CPU").message(3, line);
    for (std::uint64_t id = 1; id <= 5; ++id) {
      host.raw(event_name(id, "name " + std::to_string(id)).bytes());
    }
    const LoadedTrace loaded = read(Message().message(1, host).bytes());
    std::string names;
    for (const StringId name : loaded.trace.slices().names) {
      names += loaded.trace.strings()[name].back();
    }
    return names;
  };
  const std::string in_order = names_of(false);
  EXPECT_EQ(in_order.size(), 2 * kPairs);
  EXPECT_EQ(in_order.substr(0, 6), "424341");
  EXPECT_EQ(names_of(true), "5" + in_order);
}

TEST(Xplane, a_cut_inside_a_line_keeps_every_event_before_it) {
  const std::string whole = Message().message(1, long_host(100'000)).bytes();
  const std::size_t kept_bytes =
      long_line(50'000).bytes().size() + 30;  // and the heads of plane and line
  // The names stand behind the line, and are lost.
  const LoadedTrace loaded = read(whole.substr(0, kept_bytes));
  const std::size_t kept = loaded.trace.slice_count();
  EXPECT_GE(kept, 50'000u);
  EXPECT_LE(kept, 50'002u);
  EXPECT_EQ(loaded.trace.start_ns(SliceId(kept - 1)),
            5 + 20 * (static_cast<std::int64_t>(kept) - 1));
  EXPECT_EQ(loaded.report[ImportIssue::kTruncatedFile].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kLostName].count, kept);
}

TEST(Xplane, statistics_are_taken_in_any_order_of_fields) {
  Message thread;
  thread.number(1, 1).text(2, "main").number(3, 5);
  thread.message(4,
                 Message()
                     .message(4, Message().number(3, 41).number(1, 2))  // the id behind the value
                     .message(4, stat(1, 7))
                     .message(4, text_stat(3, "x"))
                     .message(4, stat(99, 1))  // the plane does not name it
                     .number(3, 2'000)
                     .number(2, 1'000)
                     .number(1, 1));
  Message host;
  host.text(2, "/host:CPU").message(3, thread).raw(event_name(1, "f").bytes());
  host.raw(stat_name(1, "correlation_id").bytes()).raw(stat_name(2, "rows").bytes());
  host.raw(stat_name(3, "note").bytes());
  const LoadedTrace loaded = read(Message().message(1, host).bytes());
  ASSERT_EQ(loaded.trace.slice_count(), 1u);
  EXPECT_EQ(loaded.trace.start_ns(SliceId(0)), 6);
  EXPECT_EQ(loaded.trace.duration_ns(SliceId(0)), 2);
  EXPECT_EQ(loaded.trace.slices().correlations[0], 7u);
  EXPECT_EQ(args_of(loaded.trace, SliceId(0)), R"({"rows":41,"note":"x"})");
}

TEST(XlaWords, only_gpus_and_tpus_are_devices) {
  EXPECT_EQ(xla::device_plane("/device:GPU:7")->number, 7);
  EXPECT_EQ(xla::device_plane("/device:TPU:0")->type, xla::DeviceType::kTpu);
  for (const std::string_view plane :
       {"/device:GPU:", "/device:CUSTOM:1", "/device:TPU:0 SparseCore 1", "/device:GPU:99999999999",
        "/host:CPU"}) {
    EXPECT_FALSE(xla::device_plane(plane)) << plane;
  }
}

TEST(XlaWords, collectives_are_known_by_the_beginning_of_their_names) {
  for (const std::string_view name : {"all-reduce", "all-gather-start.2", "reduce-scatter.1",
                                      "collective-permute-done", "send.3", "recv-done"}) {
    EXPECT_TRUE(xla::is_collective(name)) << name;
  }
  for (const std::string_view name : {"copy-start", "fusion.1", "sender_fusion", "broadcast.2"}) {
    EXPECT_FALSE(xla::is_collective(name)) << name;
  }
}

}  // namespace
}  // namespace strobe::readers::xplane
