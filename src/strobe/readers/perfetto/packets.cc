#include "strobe/readers/perfetto/packets.h"
#include "strobe/readers/event_fields.h"

#include <string>
#include <utility>
#include <vector>

#include "strobe/base/protobuf.h"
#include "strobe/base/text.h"
#include "strobe/base/unpack_small.h"
#include "strobe/readers/perfetto/packet_fields.h"

namespace strobe::readers::perfetto {
namespace {

// Writers pack up to half a mebibyte at once; a packet that grows much further is no trace.
constexpr std::size_t kMostUnpackedBytes = 64 << 20;

}  // namespace

struct Packets::Packet {
  std::uint32_t sequence = 0;
  std::uint64_t flags = 0;
  std::optional<std::uint64_t> time;
  std::optional<std::uint64_t> clock;
  bool lost_previous = false;
  bool is_first = false;
  bool is_broken = false;
  std::uint32_t data_field = 0;
  std::string_view data;
  std::string_view interned;
  std::string_view defaults;
  bool has_defaults = false;
};

Packets::Packet Packets::read_packet(std::string_view message) {
  Packet packet;
  ProtobufFields fields(message);
  while (fields.next()) {
    const bool is_bytes = fields.kind() == ProtobufFields::Kind::kBytes;
    switch (fields.field()) {
      case kPacketTime:
        packet.time = fields.number();
        break;
      case kPacketClock:
        packet.clock = fields.number();
        break;
      case kPacketSequence:
        packet.sequence = static_cast<std::uint32_t>(fields.number());
        break;
      case kPacketSequenceFlags:
        packet.flags |= fields.number();
        break;
      case kPacketStateCleared:
        if (fields.number() != 0) packet.flags |= kStateCleared;
        break;
      case kPacketPreviousDropped:
        packet.lost_previous = fields.number() != 0;
        break;
      case kPacketFirstOnSequence:
        packet.is_first = fields.number() != 0;
        break;
      case kPacketInternedData:
        if (is_bytes) packet.interned = fields.bytes();
        break;
      case kPacketDefaults:
        if (is_bytes) packet.defaults = fields.bytes();
        packet.has_defaults = is_bytes;
        break;
      default:
        if (is_about_recording(fields.field())) break;
        packet.data_field = fields.field();
        packet.data = is_bytes ? fields.bytes() : std::string_view();
        break;
    }
  }
  packet.is_broken = fields.is_broken();
  return packet;
}

void Packets::add(std::string_view message, std::uint64_t offset, bool is_unpacked) {
  const Packet packet = read_packet(message);
  if (packet.is_broken) {
    sink_.report.add(ImportIssue::kMalformedEvent, offset, "a packet's fields do not fit");
    return;
  }
  if (packet.data_field == kPacketCompressed || packet.data_field == kPacketCompressedZstd) {
    if (is_unpacked) {
      sink_.report.add(ImportIssue::kMalformedEvent, offset, "packed packets inside packed ones");
    } else {
      unpack(packet, offset);
    }
    return;
  }
  Sequence& sequence = sequences_[packet.sequence];
  sequence.id = packet.sequence;
  if (prepare(packet, sequence, offset)) add_data(packet, sequence, offset);
}

// Keeps the writer's state. False if the packet refers to what is lost.
bool Packets::prepare(const Packet& packet, Sequence& sequence, std::uint64_t offset) {
  if (packet.lost_previous) {
    // The first packet of a writer says it too.
    if (sequence.has_packets) sink_.report.add(ImportIssue::kDroppedRecords, offset, "packets");
    sequence.is_valid = false;
  }
  sequence.has_packets = true;
  if ((packet.flags & kStateCleared) != 0) sequence.clear();
  if (!packet.interned.empty()) sequence.interned.add(packet.interned, sink_.builder);
  if (packet.has_defaults) sequence.set_defaults(packet.defaults);
  if ((packet.flags & kNeedsState) == 0 || sequence.is_valid) return true;
  sink_.report.add(ImportIssue::kLostState, offset);
  return false;
}

void Packets::add_data(const Packet& packet, Sequence& sequence, std::uint64_t offset) {
  std::optional<std::int64_t> time_ns;
  if (packet.time) {
    const std::uint64_t clock = packet.clock.value_or(sequence.clock.value_or(Clocks::kBootTime));
    time_ns = clocks_.time_of(packet.sequence, clock, *packet.time);
    if (time_ns && (*time_ns >= kLatestTime_ns || *time_ns <= -kLatestTime_ns)) time_ns.reset();
  }
  switch (packet.data_field) {
    case 0:
      return;
    case kPacketClockSnapshot:
      clocks_.add_snapshot(packet.sequence, packet.data);
      return;
    case kPacketTrackDescriptor:
      tracks_.describe(packet.data);
      return;
    case kPacketProcessTree:
      tracks_.name_processes(packet.data);
      return;
    case kPacketProcessDescriptor:
      tracks_.name_process(packet.data);
      return;
    case kPacketThreadDescriptor: {
      std::tie(sequence.process, sequence.thread) = tracks_.name_thread(packet.data);
      for (ProtobufFields fields(packet.data); fields.next();) {
        if (fields.is_number(kThreadReference_us)) sequence.time_us = fields.signed_number();
      }
      return;
    }
    case kPacketTrackEvent:
      events_.add(packet.data, time_ns, sequence, clocks_, offset);
      return;
    case kPacketGpuStage:
      for (ProtobufFields fields(packet.data); fields.next();) {
        if (!fields.is_bytes(kStageOldSpecs)) continue;
        gpu_.add_old_specs(fields.bytes());
        return;  // such a packet describes, and is no work
      }
      if (time_ns) {
        gpu_.add_stage(packet.data, *time_ns, sequence, offset);
      } else {
        sink_.report.add(ImportIssue::kMissingTime, offset, "work of a GPU");
      }
      return;
    case kPacketGpuCounter:
      gpu_.add_counters(packet.data, time_ns.value_or(0), time_ns.has_value(), sequence, offset);
      return;
    default:
      break;
  }
  Unread& unread = unread_[is_packet_data(packet.data_field) ? packet.data_field : ~0u];
  if (unread.packets++ == 0) unread.first_offset = offset;
}

void Packets::unpack(const Packet& packet, std::uint64_t offset) {
  const SmallText unpacked = unpack_small(packet.data, kMostUnpackedBytes);
  if (!unpacked.is_whole) {
    sink_.report.add(ImportIssue::kBadCompressedData, offset,
                     "packed packets are damaged, or grow beyond all measure");
  }
  ProtobufFields fields(unpacked.bytes);
  while (fields.next()) {
    if (fields.is_bytes(kTracePacket)) add(fields.bytes(), offset, true);
  }
  if (unpacked.is_whole && fields.is_broken()) {
    sink_.report.add(ImportIssue::kMalformedEvent, offset, "packed packets do not fit");
  }
}

void Packets::finish() {
  place_rows();
  if (clocks_.took_other_clock()) {
    sink_.report.add(
        ImportIssue::kRecorderRemark, 0,
        "times of a clock that no snapshot relates to the others were kept as they are");
  }
  report_unread();
}

void Packets::place_rows() {
  events_.finish();
  links_.join(sink_);
  find_flow_phases(sink_.builder.flows());
  const auto place = [&](std::vector<TrackId>& tracks) {
    for (TrackId& track : tracks)
      track = tracks_.track_of(static_cast<std::uint32_t>(track.index()));
  };
  place(sink_.builder.slices().tracks);
  place(sink_.builder.instants().tracks);
  place(sink_.builder.flows().tracks);
}

void Packets::report_unread() {
  for (const auto& [field, unread] : unread_) {
    const std::string type = packet_type(field);
    sink_.report.add(ImportIssue::kUnreadEvents, unread.first_offset,
                     counted(unread.packets, type + " packet"));
    sink_.report.add_many(ImportIssue::kUnreadEvents, unread.packets - 1);
    sink_.report.events[{'P', type}] += unread.packets;
    sink_.report.event_count += unread.packets;
  }
}

}  // namespace strobe::readers::perfetto
