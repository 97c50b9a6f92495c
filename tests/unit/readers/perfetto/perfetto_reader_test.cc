#include "strobe/readers/perfetto/perfetto_reader.h"

#include <zlib.h>

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "strobe/readers/perfetto/packet_fields.h"
#include "strobe/readers/trace_reader.h"
#include "tests/support/damage.h"
#include "tests/support/protobuf_sketch.h"
#include "tests/support/textproto.h"

namespace strobe::readers::perfetto {
namespace {

using test::Message;

LoadedTrace read(const std::string& bytes) {
  auto loaded = read_trace_bytes(bytes, "trace");
  EXPECT_TRUE(loaded) << loaded.error().what;
  return std::move(*loaded);
}

Message packet(std::uint64_t time_ns, std::uint64_t sequence = 1, std::uint64_t flags = 0) {
  Message made;
  made.number(kPacketTime, time_ns).number(kPacketSequence, sequence);
  if (flags != 0) made.number(kPacketSequenceFlags, flags);
  return made;
}

Message track_event(EventType type, std::uint64_t track, std::string_view name = "") {
  Message made;
  made.number(kEventType, static_cast<std::uint64_t>(type)).number(kEventTrack, track);
  if (!name.empty()) made.text(kEventName, name);
  return made;
}

// A trace that is put together packet by packet.
class PacketList {
 public:
  PacketList& add(const Message& one) {
    trace_.message(kTracePacket, one);
    return *this;
  }
  PacketList& event(std::uint64_t time_ns, EventType type, std::uint64_t track,
                    std::string_view name = "") {
    return add(packet(time_ns).message(kPacketTrackEvent, track_event(type, track, name)));
  }
  PacketList& thread(std::uint64_t track, std::uint64_t process, std::uint64_t thread) {
    return add(Message().message(kPacketTrackDescriptor,
                                 Message()
                                     .number(kTrackId, track)
                                     .message(kTrackThread, Message()
                                                                .number(kThreadProcess, process)
                                                                .number(kThreadId, thread)
                                                                .text(kThreadName, "main"))));
  }
  const std::string& bytes() const { return trace_.bytes(); }

 private:
  Message trace_;
};

std::size_t find(const Trace& trace, std::string_view name) {
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.name(SliceId(row)) == name) return row;
  }
  ADD_FAILURE() << "no slice " << name;
  return 0;
}

std::int64_t duration_of(const Trace& trace, std::string_view name) {
  return trace.duration_ns(SliceId(find(trace, name)));
}

std::string args_of(const Trace& trace, std::size_t row) {
  ArgsReader args(trace.args());
  return std::string(args.text(trace.slices().args[row]));
}

TEST(Perfetto, beginnings_and_ends_nest_on_their_track) {
  const LoadedTrace loaded = read(PacketList()
                                      .thread(5, 10, 11)
                                      .event(100, EventType::kBegin, 5, "outer")
                                      .event(200, EventType::kBegin, 5, "inner")
                                      .event(250, EventType::kEnd, 5)
                                      .event(300, EventType::kEnd, 5)
                                      .event(320, EventType::kInstant, 5, "here")
                                      .bytes());
  EXPECT_EQ(duration_of(loaded.trace, "outer"), 200);
  EXPECT_EQ(duration_of(loaded.trace, "inner"), 50);
  EXPECT_EQ(loaded.trace.instants().size(), 1u);
  const Track& track = loaded.trace.track(SliceId(0));
  EXPECT_EQ(track.kind, TrackKind::kHostThread);
  EXPECT_EQ(track.process_number, 10);
  EXPECT_EQ(track.thread_number, 11);
  EXPECT_TRUE(loaded.report.is_clean());
}

TEST(Perfetto, all_beginnings_may_come_before_all_ends) {
  const LoadedTrace loaded = read(PacketList()
                                      .thread(5, 10, 11)
                                      .event(100, EventType::kBegin, 5, "a")
                                      .event(200, EventType::kBegin, 5, "b")  // where a ends
                                      .event(210, EventType::kBegin, 5, "c")
                                      .event(200, EventType::kEnd, 5)
                                      .event(300, EventType::kEnd, 5)
                                      .event(220, EventType::kEnd, 5)
                                      .bytes());
  EXPECT_EQ(duration_of(loaded.trace, "a"), 100);
  EXPECT_EQ(duration_of(loaded.trace, "b"), 100);
  EXPECT_EQ(duration_of(loaded.trace, "c"), 10);
  EXPECT_TRUE(loaded.report.is_clean());
}

TEST(Perfetto, what_has_no_partner_is_reported) {
  const LoadedTrace loaded = read(PacketList()
                                      .event(50, EventType::kEnd, 1)
                                      .event(100, EventType::kBegin, 1, "open")
                                      .event(400, EventType::kInstant, 2, "last")
                                      .bytes());
  EXPECT_EQ(duration_of(loaded.trace, "open"), 300);
  EXPECT_NE(loaded.trace.slices().flags[0] & kUnfinished, 0);
  EXPECT_EQ(loaded.report[ImportIssue::kUnmatchedEnd].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kUnmatchedBegin].count, 1u);
}

Message named(std::uint64_t id, std::string_view name) {
  return Message().number(kTextId, id).text(kText, name);
}

TEST(Perfetto, interned_names_belong_to_their_sequence_until_it_is_cleared) {
  const auto interned = [&](std::uint64_t sequence, std::string_view name) {
    return packet(0, sequence, kStateCleared)
        .message(kPacketInternedData, Message().message(kInternedEventNames, named(1, name)));
  };
  const auto begin = [&](std::uint64_t time_ns, std::uint64_t sequence) {
    return packet(time_ns, sequence, kNeedsState)
        .message(
            kPacketTrackEvent,
            Message().number(kEventType, 3).number(kEventTrack, sequence).number(kEventNameId, 1));
  };
  const LoadedTrace loaded =
      read(PacketList()
               .add(begin(1, 1))  // before its state
               .add(interned(1, "one"))
               .add(interned(2, "two"))
               .add(begin(10, 1))
               .add(begin(20, 2))
               .add(begin(30, 1).number(kPacketPreviousDropped, 1))  // its state may be lost
               .add(interned(1, "new"))
               .add(begin(40, 1))
               .bytes());
  const auto& instants = loaded.trace.instants();
  ASSERT_EQ(instants.size(), 3u);
  EXPECT_EQ(loaded.trace.strings()[instants.names[0]], "one");
  EXPECT_EQ(loaded.trace.strings()[instants.names[1]], "two");
  EXPECT_EQ(loaded.trace.strings()[instants.names[2]], "new");
  EXPECT_EQ(loaded.report[ImportIssue::kLostState].count, 2u);
  EXPECT_EQ(loaded.report[ImportIssue::kDroppedRecords].count, 1u);
}

Message clock(std::uint64_t id, std::uint64_t time) {
  return Message().number(kClockId, id).number(kClockTime, time);
}

TEST(Perfetto, times_of_other_clocks_are_converted) {
  Message snapshot;
  snapshot.message(kSnapshotClocks, clock(6, 1'000'000));  // the trace's
  snapshot.message(kSnapshotClocks, clock(3, 400'000));
  snapshot.message(kSnapshotClocks,
                   clock(64, 70).number(kClockIsIncremental, 1).number(kClockUnit_ns, 1000));
  const auto instant = [](Message one, std::string_view name) {
    return one.message(kPacketTrackEvent, track_event(EventType::kInstant, 1, name));
  };
  const LoadedTrace loaded =
      read(PacketList()
               .add(packet(0).message(kPacketClockSnapshot, snapshot))
               .add(instant(packet(400'500).number(kPacketClock, 3), "monotonic"))
               .add(instant(packet(2).number(kPacketClock, 64), "first"))
               .add(instant(packet(3).number(kPacketClock, 64), "second"))
               .add(instant(packet(3, 9).number(kPacketClock, 64), "foreign"))
               .bytes());
  const auto& times = loaded.trace.instants().times_ns;
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0], 1'000'500);
  EXPECT_EQ(times[1], 1'002'000);
  EXPECT_EQ(times[2], 1'005'000);
  EXPECT_EQ(loaded.report[ImportIssue::kMissingTime].count, 1u);
}

TEST(Perfetto, counters_have_units_and_may_count_differences) {
  Message descriptor;
  descriptor.number(kTrackId, 7)
      .text(kTrackName, "memory")
      .message(kTrackCounter, Message()
                                  .number(kCounterUnit, 3)
                                  .number(kCounterFactor, 1024)
                                  .number(kCounterIsIncremental, 1));
  const auto value = [](std::uint64_t time_ns, std::uint64_t by) {
    return packet(time_ns).message(
        kPacketTrackEvent,
        Message().number(kEventType, 4).number(kEventTrack, 7).number(kEventCounterValue, by));
  };
  Message slice = track_event(EventType::kBegin, 1, "f");
  slice.number(kEventExtraTracks, 7).number(kEventExtraValues, static_cast<std::uint64_t>(-2));
  const LoadedTrace loaded =
      read(PacketList()
               .add(packet(0, 1, kStateCleared).message(kPacketTrackDescriptor, descriptor))
               .add(value(10, 5))
               .add(value(20, 3))
               .add(packet(30).message(kPacketTrackEvent, slice))
               .event(40, EventType::kEnd, 1)
               .bytes());
  const auto& counters = loaded.trace.counters();
  ASSERT_EQ(counters.size(), 3u);
  EXPECT_EQ(counters.values[0], 5 * 1024.0);
  EXPECT_EQ(counters.values[1], 8 * 1024.0);
  EXPECT_EQ(counters.values[2], 6 * 1024.0);
  EXPECT_EQ(loaded.trace.strings()[counters.names[0]], "memory");
  EXPECT_EQ(loaded.trace.strings()[counters.series[0]], "bytes");
}

TEST(Perfetto, annotations_become_arguments_and_flows_have_ends) {
  Message list;
  list.text(kAnnotationName, "shape");
  list.message(kAnnotationElements, Message().number(kAnnotationSigned, 2));
  list.message(kAnnotationElements, Message().number(kAnnotationSigned, 3));
  Message begin = track_event(EventType::kBegin, 1, "f");
  begin.message(kEventAnnotations, list);
  begin.message(kEventAnnotations,
                Message().text(kAnnotationName, "ratio").real(kAnnotationReal, 0.5));
  begin.fixed64(kEventFlows, 99);
  Message later = track_event(EventType::kInstant, 2, "g");
  later.fixed64(kEventLastFlows, 99);
  const LoadedTrace loaded = read(PacketList()
                                      .add(packet(10).message(kPacketTrackEvent, begin))
                                      .event(20, EventType::kEnd, 1)
                                      .add(packet(30).message(kPacketTrackEvent, later))
                                      .bytes());
  EXPECT_EQ(args_of(loaded.trace, 0), R"({"shape":[2,3],"ratio":0.5})");
  const auto& flows = loaded.trace.flows();
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows.phases[0], FlowPhase::kStart);
  EXPECT_EQ(flows.phases[1], FlowPhase::kEnd);
}

TEST(Perfetto, older_events_with_letters_are_read) {
  const auto legacy = [](char phase, std::uint64_t id, std::uint64_t duration_us) {
    Message one;
    one.text(kEventName, "old")
        .text(kEventCategories, "cat")
        .message(kEventLegacy, Message()
                                   .number(kLegacyPhase, static_cast<std::uint64_t>(phase))
                                   .number(kLegacyDuration_us, duration_us)
                                   .number(kLegacyUnscopedId, id));
    return one;
  };
  const LoadedTrace loaded =
      read(PacketList()
               .add(packet(1000).message(kPacketTrackEvent, legacy('X', 0, 5)))
               .add(packet(2000).message(kPacketTrackEvent, legacy('b', 4, 0)))
               .add(packet(2500).message(kPacketTrackEvent, legacy('b', 5, 0)))
               .add(packet(3000).message(kPacketTrackEvent, legacy('e', 4, 0)))
               .add(packet(4000).message(kPacketTrackEvent, legacy('e', 5, 0)))
               .add(packet(5000).message(kPacketTrackEvent, legacy('?', 5, 0)))
               .bytes());
  ASSERT_EQ(loaded.trace.slice_count(), 3u);
  std::int64_t sum_ns = 0;
  for (const std::int64_t duration_ns : loaded.trace.slices().durations_ns) sum_ns += duration_ns;
  EXPECT_EQ(sum_ns, 5000 + 1000 + 1500);
  EXPECT_EQ(loaded.report[ImportIssue::kUnknownPhase].count, 1u);
}

TEST(Perfetto, packed_packets_are_unpacked_and_unread_ones_are_counted) {
  const std::string inner = PacketList().event(10, EventType::kInstant, 1, "in").bytes();
  uLongf size = compressBound(inner.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(inner.data()), inner.size());
  packed.resize(size);
  const LoadedTrace loaded = read(PacketList()
                                      .add(Message().text(kPacketCompressed, packed))
                                      .add(packet(5).text(1, "events of the system"))
                                      .add(packet(6).text(1, "more"))
                                      .add(Message().text(kPacketCompressed, "damaged"))
                                      .bytes());
  EXPECT_EQ(loaded.trace.instants().size(), 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kUnreadEvents].count, 2u);
  EXPECT_EQ(loaded.report.events.at({'P', "ftrace_events"}), 2u);
  EXPECT_EQ(loaded.report[ImportIssue::kBadCompressedData].count, 1u);
}

// As newer versions of PyTorch write it.
constexpr std::string_view kGpuWork = R"text(
packet { trusted_packet_sequence_id: 1 timestamp: 0 sequence_flags: 1
  interned_data {
    event_categories { iid: 1 name: "cuda_runtime" }
    event_names { iid: 1 name: "cudaLaunchKernel" }
    gpu_specifications { iid: 1 name: "Kernel" category: COMPUTE }
    gpu_specifications { iid: 2 name: "Memcpy" }
    gpu_specifications { iid: 4 name: "Annotation" }
    gpu_specifications { iid: 100 name: "stream 0007" }
    [perfetto.protos.GpuInternedData.compute_kernels] { iid: 1 demangled_name: "gemm<float>()" }
  } }
packet { trusted_packet_sequence_id: 1 timestamp: 100 sequence_flags: 2
  track_event { type: TYPE_SLICE_BEGIN category_iids: 1 name_iid: 1
    [perfetto.protos.GpuTrackEvent.gpu_correlation] { render_stage_submission_event_ids: 41 } } }
packet { trusted_packet_sequence_id: 1 timestamp: 120 track_event { type: TYPE_SLICE_END } }
packet { trusted_packet_sequence_id: 1 timestamp: 200 sequence_flags: 2
  gpu_render_stage_event { event_id: 41 duration: 50 hw_queue_iid: 100 stage_iid: 1 kernel_iid: 1
    launch { grid_size { x: 2 y: 3 } workgroup_size { x: 128 }
      args { name: "registers_per_thread" uint_value: 32 } } } }
packet { trusted_packet_sequence_id: 1 timestamp: 300 sequence_flags: 2
  gpu_render_stage_event { event_id: 42 duration: 9 hw_queue_iid: 100 stage_iid: 2 event_wait_ids: 41 } }
packet { trusted_packet_sequence_id: 1 timestamp: 190 sequence_flags: 2
  gpu_render_stage_event { event_id: 0 duration: 200 hw_queue_iid: 100 stage_iid: 4 } }
)text";

TEST(Perfetto, work_of_a_gpu_is_kernels_copies_and_ranges_on_streams) {
  const LoadedTrace loaded = read(test::perfetto_from_text(kGpuWork));
  const Trace& trace = loaded.trace;
  const std::size_t kernel = find(trace, "gemm<float>()");
  const std::size_t call = find(trace, "cudaLaunchKernel");
  EXPECT_EQ(trace.slices().kinds[kernel], SliceKind::kKernel);
  EXPECT_EQ(trace.slices().kinds[find(trace, "Memcpy")], SliceKind::kMemcpy);
  EXPECT_EQ(trace.slices().kinds[find(trace, "Annotation")], SliceKind::kDeviceAnnotation);
  EXPECT_EQ(trace.slices().kinds[call], SliceKind::kRuntimeCall);
  EXPECT_EQ(trace.slices().correlations[kernel], trace.slices().correlations[call]);
  EXPECT_EQ(trace.track(SliceId(kernel)).thread_number, 7);
  EXPECT_EQ(args_of(trace, kernel),
            R"({"device":0,"grid":[2,3,1],"block":[128,1,1],"registers per thread":32})");
  EXPECT_EQ(trace.flows().size(), 2u) << "the copy waited for the kernel";
}

TEST(Perfetto, tracks_in_a_circle_have_an_end) {
  PacketList packets;
  for (const std::uint64_t track : {1u, 2u}) {
    packets.add(Message().message(
        kPacketTrackDescriptor, Message().number(kTrackId, track).number(kTrackParent, 3 - track)));
  }
  packets.event(1, EventType::kInstant, 1, "x");
  EXPECT_EQ(read(packets.bytes()).trace.instants().size(), 1u);
}

TEST(Perfetto, cuts_and_flipped_bytes_are_survived) {
  testing::expect_survives(test::perfetto_from_text(kGpuWork), testing::Order::kFrontToBack);
}

TEST(Perfetto, a_json_text_behind_an_empty_line_is_no_packet) {
  const auto loaded = read_trace_bytes(
      "\n{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"f\",\"ts\":1,\"dur\":2,"
      "\"pid\":1,\"tid\":1}]}",
      "trace.json");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->trace.traits().dialect, "chrome");
}

}  // namespace
}  // namespace strobe::readers::perfetto
