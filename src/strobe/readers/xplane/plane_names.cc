#include "strobe/readers/xplane/plane_names.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "strobe/base/json_write.h"
#include "strobe/base/text.h"
#include "strobe/readers/xplane/xplane_fields.h"

namespace strobe::readers::xplane {
namespace {

// Longer names and statistics are programs, not words.
constexpr std::size_t kLongestEntry = 1 << 20;
constexpr std::size_t kLongestSharedStat = 512;

struct KnownStat {
  std::string_view name;  // in lower case
  StatMeaning meaning;
};
constexpr KnownStat kKnownStats[] = {
    {"correlation_id", StatMeaning::kCorrelation},
    {"memcpy_details", StatMeaning::kCopy},
    {"memset_details", StatMeaning::kSet},
    {"kernel_details", StatMeaning::kKernel},
    {"step_num", StatMeaning::kStep},
    {"hlo_op", StatMeaning::kOperator},
    {"_pt", StatMeaning::kProducerType},
    {"_p", StatMeaning::kProducer},
    {"_ct", StatMeaning::kConsumerType},
    {"_c", StatMeaning::kConsumer},
    {"device_offset_ps", StatMeaning::kRepeated},
    {"device_duration_ps", StatMeaning::kRepeated},
    {"allocator_name", StatMeaning::kAllocator},
    {"bytes_allocated", StatMeaning::kAllocated},
    {"bytes_reserved", StatMeaning::kReserved},
    {"peak_bytes_in_use", StatMeaning::kPeak},
    {"allocation_bytes", StatMeaning::kBlockBytes},
    {"addr", StatMeaning::kAddress},
};

StatMeaning meaning_of(std::string_view name) {
  if (name.size() > 20) return StatMeaning::kOther;
  const std::string lower_name = lower_case(name);
  const auto* const known = std::ranges::find(kKnownStats, lower_name, &KnownStat::name);
  return known == std::end(kKnownStats) ? StatMeaning::kOther : known->meaning;
}

class NameReader {
 public:
  NameReader(ProtobufStream& stream, SpaceNames& names) : stream_(stream), names_(names) {}

  void read() {
    while (stream_.next()) {
      if (!stream_.is_bytes(kSpacePlanes)) continue;
      names_.planes.emplace_back();
      stream_.enter();
      while (stream_.next()) take_plane_field(names_.planes.back());
      stream_.leave();
    }
  }

 private:
  std::string_view keep(std::string_view text) { return names_.texts[names_.texts.intern(text)]; }

  void take_plane_field(PlaneNames& plane) {
    if (stream_.kind() != ProtobufStream::Kind::kBytes) return;
    switch (stream_.field()) {
      case kPlaneName:
        if (const auto name = stream_.bytes(kLongestEntry)) plane.name = keep(*name);
        break;
      case kPlaneLines:
        ++plane.lines;
        break;
      case kPlaneEventMetadata:
        if (const auto entry = stream_.bytes(kLongestEntry)) add_event_name(*entry, plane);
        break;
      case kPlaneStatMetadata:
        if (const auto entry = stream_.bytes(kLongestEntry)) add_stat_name(*entry, plane);
        break;
      case kPlaneStats:
        if (const auto stat = stream_.bytes(kLongestEntry)) plane.own_stats.emplace_back(*stat);
        break;
      default:
        break;
    }
  }

  struct Entry {
    std::uint64_t key = 0;
    std::string_view value;
  };
  static Entry read_entry(std::string_view message) {
    Entry entry;
    for (ProtobufFields fields(message); fields.next();) {
      if (fields.is_number(kMapKey)) entry.key = fields.number();
      if (fields.is_bytes(kMapValue)) entry.value = fields.bytes();
    }
    return entry;
  }

  void add_event_name(std::string_view message, PlaneNames& plane) {
    const Entry entry = read_entry(message);
    EventName& event = plane.events.add(entry.key);
    event.is_known = true;
    shared_stats_.clear();
    for (ProtobufFields fields(entry.value); fields.next();) {
      if (fields.is_bytes(kMetadataName)) event.name = keep(fields.bytes());
      if (fields.is_bytes(kMetadataDisplayName)) event.display = keep(fields.bytes());
      if (fields.is_bytes(kMetadataStats) && fields.bytes().size() <= kLongestSharedStat) {
        add_shared_stat(fields.bytes());
      }
    }
    if (!shared_stats_.empty()) event.stats = keep(shared_stats_);
  }

  // As fields of a message again.
  void add_shared_stat(std::string_view stat) {
    shared_stats_ += static_cast<char>(kEventStats << 3 | 2);
    for (std::size_t left = stat.size();; left >>= 7) {
      shared_stats_ += static_cast<char>(left < 0x80 ? left : (left & 0x7F) | 0x80);
      if (left < 0x80) break;
    }
    shared_stats_ += stat;
  }

  void add_stat_name(std::string_view message, PlaneNames& plane) {
    const Entry entry = read_entry(message);
    StatName& stat = plane.stats.add(entry.key);
    for (ProtobufFields fields(entry.value); fields.next();) {
      if (fields.is_bytes(kStatName)) stat.text = keep(fields.bytes());
    }
    stat.meaning = meaning_of(stat.text);
    json_key_ = ',';
    append_json_string(stat.text, json_key_);
    json_key_ += ':';
    stat.json_key = keep(json_key_);
  }

  ProtobufStream& stream_;
  SpaceNames& names_;
  std::string shared_stats_;
  std::string json_key_;
};

}  // namespace

void read_names(ProtobufStream& stream, SpaceNames& names) { NameReader(stream, names).read(); }

double Stat::real() const { return std::bit_cast<double>(number); }

Stat read_stat(std::string_view message, const PlaneNames& plane) {
  Stat stat;
  std::uint64_t id = 0;
  for (ProtobufFields fields(message); fields.next();) {
    switch (fields.field()) {
      case kStatMetadataId:
        id = fields.number();
        break;
      case kStatReal:
        stat.kind = Stat::Kind::kReal;
        stat.number = fields.number();
        break;
      case kStatUnsigned:
        stat.kind = Stat::Kind::kUnsigned;
        stat.number = fields.number();
        break;
      case kStatSigned:
        stat.kind = Stat::Kind::kSigned;
        stat.number = fields.number();
        break;
      case kStatText:
      case kStatBytes:
        stat.kind = fields.field() == kStatText ? Stat::Kind::kText : Stat::Kind::kBytes;
        stat.text = fields.bytes();
        break;
      case kStatReference: {
        stat.kind = Stat::Kind::kText;
        const StatName* text = plane.stats.find(fields.number());
        stat.text = text == nullptr ? std::string_view() : text->text;
        break;
      }
      default:
        break;
    }
  }
  stat.name = plane.stats.find(id);
  return stat;
}

}  // namespace strobe::readers::xplane
