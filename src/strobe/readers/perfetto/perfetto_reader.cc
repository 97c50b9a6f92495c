#include "strobe/readers/perfetto/perfetto_reader.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "strobe/base/protobuf_stream.h"
#include "strobe/readers/perfetto/packet_fields.h"
#include "strobe/readers/perfetto/packets.h"
#include "strobe/readers/protobuf_input.h"

namespace strobe::readers::perfetto {
namespace {

constexpr std::size_t kLongestPacket = 64 << 20;

// Whether a packet's fields are of the kinds that they always have. `has_sign` turns true at one
// that hardly any other message has.
bool may_be_packet(ProtobufFields& fields, bool& has_sign) {
  while (fields.next()) {
    const bool is_number = fields.kind() == ProtobufFields::Kind::kNumber;
    switch (fields.field()) {
      case kPacketTime:
      case kPacketSequence:
      case kPacketSequenceFlags:
      case kPacketClock:
      case kPacketPreviousDropped:
      case kPacketStateCleared:
      case kPacketFirstOnSequence:
      case 3:   // the user's number
      case 79:  // the process
        if (!is_number) return false;
        has_sign = true;
        break;
      case 98:  // the machine
        break;
      default:
        if (is_number || fields.kind() != ProtobufFields::Kind::kBytes) return false;
        if (!is_packet_data(fields.field())) return false;
        has_sign = has_sign || fields.field() == kPacketTrackDescriptor ||
                   fields.field() == kPacketClockSnapshot || fields.field() == kPacketCompressed ||
                   fields.field() == kPacketCompressedZstd;
        break;
    }
  }
  return true;
}

// The first packets are packets.
bool is_perfetto(const TraceInput& input) {
  const std::string_view first = input.first();
  if (!first.starts_with('\n')) return false;
  const char* p = first.data();
  const char* const end = first.data() + first.size();
  bool has_sign = false;
  constexpr int kPacketsLookedAt = 4;
  for (int packet = 0; packet < kPacketsLookedAt && p < end; ++packet) {
    std::uint64_t length = 0;
    if (*p++ != '\n') return false;
    if (!take_varint(p, end, length)) return has_sign && p == end;  // cut there
    if (length > kLongestPacket) return false;
    const auto there = std::min(length, static_cast<std::uint64_t>(end - p));
    ProtobufFields fields({p, static_cast<std::size_t>(there)});
    if (!may_be_packet(fields, has_sign)) return false;
    if (fields.is_broken() && there == length) return false;
    p += there;
  }
  return has_sign;
}

Result<void> read_perfetto(const TraceInput& input, TraceSink& sink) {
  STROBE_TRY(ProtobufStream stream, open_messages(input));
  sink.expect(input.file_bytes());
  TraceTraits& traits = sink.builder.metadata().traits;
  traits.dialect = "perfetto";
  traits.runtime_label = "Runtime";
  traits.steps_cover_all_threads = true;
  Packets packets(sink);
  std::uint64_t reported_bytes = 0;
  while (stream.next()) {
    if (!stream.is_bytes(kTracePacket)) continue;
    const std::uint64_t offset = stream.field_offset();
    const auto packet = stream.bytes(kLongestPacket);
    if (packet) {
      packets.add(*packet, offset);
    } else if (!stream.is_cut()) {
      sink.report.add(ImportIssue::kMalformedEvent, offset, "a packet of over 64 MiB");
    }
    if (stream.offset() - reported_bytes < kPulseBytes) continue;
    if (!sink.pulse(stream.offset() - reported_bytes)) return sink.why_stopped();
    reported_bytes = stream.offset();
  }
  report_end(stream, "a packet", sink.report);
  packets.finish();
  sink.order_slices();
  return {};
}

}  // namespace
}  // namespace strobe::readers::perfetto

namespace strobe::readers {

const FileFormat kPerfetto{"Perfetto", perfetto::is_perfetto, perfetto::read_perfetto};

}  // namespace strobe::readers
