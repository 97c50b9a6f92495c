#include "strobe/readers/xplane/event_reader.h"

#include <cstring>

#include "strobe/base/protobuf.h"
#include "strobe/base/text.h"
#include "strobe/readers/xplane/xplane_fields.h"

namespace strobe::readers::xplane {
namespace {

constexpr unsigned tag_of_number(std::uint32_t field) { return field << 3; }
constexpr unsigned tag_of_bytes(std::uint32_t field) { return field << 3 | 2; }

// Tells texts apart by 64 bits that are quick to compute: two words a step, whose halves multiply.
class Mixer {
 public:
  void add(const char* p, const char* end) {
    const auto bytes = static_cast<std::size_t>(end - p);
    hash_ ^= bytes * kFirstOdd;
    for (; end - p > 16; p += 16) add_words(word(p), word(p + 8));
    if (bytes >= 16) {
      add_words(word(end - 16), word(end - 8));  // the last ones may count twice
    } else if (bytes >= 8) {
      add_words(word(p), word(end - 8));
    } else {
      std::uint64_t last = 0;
      for (; p < end; ++p) last = last << 8 | static_cast<unsigned char>(*p);
      add_words(last, 0);
    }
  }
  std::uint64_t hash() const { return hash_; }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kFirstOdd = 0x9E3779B97F4A7C15u;
  static constexpr std::uint64_t kSecondOdd = 0xC2B2AE3D27D4EB4Fu;

  static std::uint64_t word(const char* p) {
    std::uint64_t read = 0;
    std::memcpy(&read, p, sizeof read);
    return read;
  }
  void add_words(std::uint64_t a, std::uint64_t b) {
    const Wide product = Wide{a ^ hash_ ^ kFirstOdd} * (b ^ kSecondOdd);
    hash_ = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  std::uint64_t hash_ = 0;
};

// Some writers write every number as text.
std::uint64_t whole_number(const Stat& stat) {
  switch (stat.kind) {
    case Stat::Kind::kUnsigned:
    case Stat::Kind::kSigned:
      return stat.number;
    case Stat::Kind::kText:
      return static_cast<std::uint64_t>(parse_whole_number(stat.text).value_or(0));
    default:
      return 0;
  }
}

}  // namespace

// Mostly a whole number behind the id.
inline std::uint64_t EventReader::number_of(std::string_view value,
                                            std::string_view message) const {
  if (!value.empty()) {
    const auto tag = static_cast<unsigned char>(value.front());
    const char* p = value.data() + 1;
    const char* const end = value.data() + value.size();
    std::uint64_t number = 0;
    if (tag == tag_of_number(kStatUnsigned) || tag == tag_of_number(kStatSigned)) {
      if (end - p == 1 && static_cast<signed char>(*p) >= 0) return static_cast<unsigned char>(*p);
      if (take_varint_with_slack(p, end, number) && p == end) return number;
    }
  }
  return whole_number(read_stat(message, *names_));
}

// Mostly the name of another statistic.
inline std::string_view EventReader::text_of(std::string_view value,
                                             std::string_view message) const {
  std::uint64_t reference = 0;
  if (value.size() > 1 &&
      static_cast<unsigned char>(value.front()) == tag_of_number(kStatReference)) {
    const char* p = value.data() + 1;
    const char* const end = value.data() + value.size();
    if (take_varint(p, end, reference) && p == end) {
      const StatName* const name = names_->stats.find(reference);
      return name == nullptr ? std::string_view() : name->text;
    }
  }
  return read_stat(message, *names_).text;
}

inline Allocation& EventReader::allocation_of(Event& event) {
  if (!event.has_allocation) allocation_ = {};
  event.has_allocation = true;
  return allocation_;
}

inline bool EventReader::take_known_stat(const StatName& name, std::string_view value,
                                         std::string_view message, Event& event) {
  switch (name.meaning) {
    case StatMeaning::kRepeated:
      return false;
    case StatMeaning::kCopy:
      event.work = SliceKind::kMemcpy;
      return true;
    case StatMeaning::kSet:
      event.work = SliceKind::kMemset;
      return true;
    case StatMeaning::kOperator:
      event.is_operator = true;
      return true;
    case StatMeaning::kOther:
    case StatMeaning::kKernel:
      return true;
    default:
      break;
  }
  if (name.meaning == StatMeaning::kAllocator) {
    allocation_of(event).allocator = text_of(value, message);
    return true;
  }
  const std::uint64_t number = number_of(value, message);
  switch (name.meaning) {
    case StatMeaning::kCorrelation:
      event.correlation = number;
      event.has_correlation = true;
      return false;
    case StatMeaning::kProducerType:
      event.producer_type = number;
      return false;
    case StatMeaning::kProducer:
      event.producer = number;
      return false;
    case StatMeaning::kConsumerType:
      event.consumer_type = number;
      return false;
    case StatMeaning::kConsumer:
      event.consumer = number;
      return false;
    case StatMeaning::kStep:
      event.step = static_cast<std::int64_t>(number);
      return true;
    case StatMeaning::kAllocated:
      allocation_of(event).allocated_bytes = static_cast<std::int64_t>(number);
      return true;
    case StatMeaning::kReserved:
      allocation_of(event).reserved_bytes = static_cast<std::int64_t>(number);
      return true;
    case StatMeaning::kPeak:
      allocation_of(event).peak_bytes = static_cast<std::int64_t>(number);
      return true;
    case StatMeaning::kBlockBytes:
      allocation_of(event).block_bytes = static_cast<std::int64_t>(number);
      return true;
    default:
      allocation_of(event).address = number;
      return true;
  }
}

inline bool EventReader::take_stat(std::string_view message, Event& event) {
  const char* p = message.data();
  const char* const end = p + message.size();
  std::uint64_t id = 0;
  if (p < end && static_cast<unsigned char>(*p++) == tag_of_number(kStatMetadataId) &&
      take_varint(p, end, id)) [[likely]] {
    const StatName* const name = names_->stats.find(id);
    if (name == nullptr) return false;
    if (name->meaning == StatMeaning::kOther) return true;
    return take_known_stat(*name, {p, static_cast<std::size_t>(end - p)}, message, event);
  }
  const StatName* const name = read_stat(message, *names_).name;  // the id stands behind the value
  return name != nullptr && take_known_stat(*name, {}, message, event);
}

// The numbers that an event mostly begins with, in this order. PERF: few branches, all of which can
// be predicted; behind the message there is something to look at.
inline bool take_usual_begin(const char*& p, const char* end, Event& event) {
  if (end - p < 2) return true;
  if (static_cast<unsigned char>(*p) == tag_of_number(kEventMetadataId)) {
    const auto low = static_cast<unsigned char>(p[1]);
    const auto high = static_cast<unsigned char>(p[2]);
    if ((low & high & 0x80u) != 0) {
      if (!take_varint_with_slack(++p, end, event.metadata_id)) return false;
    } else {
      const unsigned has_high = low >> 7;
      event.metadata_id = (low & 0x7Fu) | (high & (0u - has_high)) << 7;
      p += 2 + has_high;
    }
  }
  std::uint64_t number = 0;
  if (p < end && static_cast<unsigned char>(*p) == tag_of_number(kEventOffset_ps)) {
    if (!take_varint_with_slack(++p, end, number)) return false;
    event.offset_ps = static_cast<std::int64_t>(number);
  }
  if (p < end && static_cast<unsigned char>(*p) == tag_of_number(kEventDuration_ps)) {
    if (!take_varint_with_slack(++p, end, number)) return false;
    event.duration_ps = static_cast<std::int64_t>(number);
  }
  return p <= end;
}

// PERF: a file has tens of millions of events with ten statistics each.
bool EventReader::read(std::string_view message, Event& event) {
  event.clear();
  const char* p = message.data();
  const char* const end = p + message.size();
  if (!take_usual_begin(p, end, event)) return false;
  return p == end || read_rest(p, end, event);
}

bool EventReader::read_rest(const char* p, const char* end, Event& event) {
  event.has_more = true;
  Mixer args;
  const char* args_begin = nullptr;  // of neighbouring statistics that are all arguments
  const auto end_args = [&](const char* args_end) {
    if (args_begin == nullptr) return;
    if (keeps_args_) args.add(args_begin, args_end);
    event.has_args = true;
    args_begin = nullptr;
  };
  std::uint64_t number = 0;
  while (p < end) {
    const char* const begin = p;
    switch (static_cast<unsigned char>(*p++)) {
      case tag_of_number(kEventMetadataId):
        if (!take_varint_with_slack(p, end, event.metadata_id)) return false;
        break;
      case tag_of_number(kEventOffset_ps):
        if (!take_varint_with_slack(p, end, number)) return false;
        event.offset_ps = static_cast<std::int64_t>(number);
        break;
      case tag_of_number(kEventDuration_ps):
        if (!take_varint_with_slack(p, end, number)) return false;
        event.duration_ps = static_cast<std::int64_t>(number);
        break;
      case tag_of_bytes(kEventStats): {
        if (!take_varint(p, end, number) || number > static_cast<std::uint64_t>(end - p))
          return false;
        const std::string_view stat(p, static_cast<std::size_t>(number));
        p += stat.size();
        if (take_stat(stat, event)) {
          if (args_begin == nullptr) args_begin = begin;
        } else {
          end_args(begin);
        }
        break;
      }
      default: {
        ProtobufFields other({begin, static_cast<std::size_t>(end - begin)});
        if (!other.next()) return false;
        if (other.field() == kEventOccurrences) event.has_no_time = true;
        p = other.behind();
        break;
      }
    }
  }
  end_args(end);
  event.args_hash = args.hash();
  return true;
}

}  // namespace strobe::readers::xplane
