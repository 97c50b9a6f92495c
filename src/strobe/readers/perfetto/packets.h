#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "strobe/readers/perfetto/clocks.h"
#include "strobe/readers/perfetto/gpu_events.h"
#include "strobe/readers/perfetto/launch_links.h"
#include "strobe/readers/perfetto/sequence.h"
#include "strobe/readers/perfetto/track_events.h"
#include "strobe/readers/perfetto/track_table.h"
#include "strobe/readers/trace_sink.h"

namespace strobe::readers::perfetto {

// Puts the packets of a trace into a trace, in the order of the file.
class Packets {
 public:
  explicit Packets(TraceSink& sink)
      : sink_(sink), tracks_(sink), gpu_(sink, tracks_, links_), events_(sink, tracks_, links_) {}

  // `offset` is its place in the file.
  void add(std::string_view packet, std::uint64_t offset) { add(packet, offset, false); }
  // Once, after the last packet.
  void finish();

 private:
  struct Packet;
  static Packet read_packet(std::string_view message);
  void add(std::string_view packet, std::uint64_t offset, bool is_unpacked);
  bool prepare(const Packet& packet, Sequence& sequence, std::uint64_t offset);
  void add_data(const Packet& packet, Sequence& sequence, std::uint64_t offset);
  void unpack(const Packet& packet, std::uint64_t offset);
  void place_rows();
  void report_unread();

  TraceSink& sink_;
  TrackTable tracks_;
  LaunchLinks links_;
  GpuEvents gpu_;
  TrackEvents events_;
  Clocks clocks_;
  std::map<std::uint32_t, Sequence> sequences_;
  struct Unread {
    std::uint64_t packets = 0;
    std::uint64_t first_offset = 0;
  };
  std::map<std::uint32_t, Unread> unread_;  // by the field with their data
};

}  // namespace strobe::readers::perfetto
