// Makes a large XPlane profile from a real one: the events of its lines, repeated with later times.
// The numbers that tell events apart (correlations, addresses, ids) are new each time, so that no
// reader profits from the repetition.
//
//   strobe_generate_xplane PROFILE.xplane.pb OUT --bytes N [--plane NAME]
//
// --plane repeats the events of this plane only.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perf/contest.h"
#include "strobe/base/protobuf.h"
#include "strobe/readers/xplane/xplane_fields.h"

namespace strobe::perf {
namespace {

using namespace readers::xplane;
using Kind = ProtobufFields::Kind;

constexpr std::int64_t kGap_ps = 1'000'000;

// Writes to a file, or only counts.
class Out {
 public:
  explicit Out(std::FILE* file = nullptr) : file_(file) {}
  void put(std::string_view bytes) {
    bytes_ += bytes.size();
    if (file_ == nullptr) return;
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size()) return;
    std::perror("strobe_generate_xplane");
    std::exit(3);
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::FILE* file_;
  std::uint64_t bytes_ = 0;
};

void append_varint(std::uint64_t value, std::string& to) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

void append_number(std::uint32_t field, std::uint64_t value, std::string& to) {
  append_varint(std::uint64_t{field} << 3, to);
  append_varint(value, to);
}

void append_head(std::uint32_t field, std::uint64_t length, std::string& to) {
  append_varint(std::uint64_t{field} << 3 | 2, to);
  append_varint(length, to);
}

// A field as it stands in the file: with its tag and length.
std::string raw_field(const ProtobufFields& field) {
  std::string raw;
  switch (field.kind()) {
    case Kind::kNumber:
      append_number(field.field(), field.number(), raw);
      break;
    case Kind::kBytes:
      append_head(field.field(), field.bytes().size(), raw);
      raw += field.bytes();
      break;
    case Kind::kFixed64:
    case Kind::kFixed32: {
      const bool is_long = field.kind() == Kind::kFixed64;
      append_varint(std::uint64_t{field.field()} << 3 | (is_long ? 1 : 5), raw);
      const std::uint64_t number = field.number();
      raw.append(reinterpret_cast<const char*>(&number), is_long ? 8 : 4);
      break;
    }
  }
  return raw;
}

struct Statistic {
  std::uint64_t id = 0;
  std::uint32_t value_field = 0;  // of a whole number; 0 if it is none
  std::uint64_t value = 0;
};

Statistic read_statistic(std::string_view message) {
  Statistic statistic;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_number(kStatMetadataId)) statistic.id = fields.number();
    if (fields.is_number(kStatUnsigned) || fields.is_number(kStatSigned)) {
      statistic.value_field = fields.field();
      statistic.value = fields.number();
    }
  }
  return statistic;
}

// One plane, as far as it must be known to repeat it.
class Plane {
 public:
  explicit Plane(std::string_view message) : message_(message) {
    for (ProtobufFields fields(message); fields.next();) {
      if (fields.is_bytes(kPlaneName)) name_ = fields.bytes();
      if (fields.is_bytes(kPlaneStatMetadata)) note_correlation(fields.bytes());
    }
    std::map<std::uint64_t, std::set<std::uint64_t>> values;
    std::map<std::uint64_t, std::size_t> counts;
    for (ProtobufFields fields(message); fields.next();) {
      if (!fields.is_bytes(kPlaneLines)) continue;
      for (ProtobufFields line(fields.bytes()); line.next();) {
        if (!line.is_bytes(kLineEvents)) continue;
        ++events_;
        event_bytes_ += raw_field(line).size();
        for (ProtobufFields event(line.bytes()); event.next();) {
          if (event.is_number(kEventOffset_ps))
            last_ps_ = std::max(last_ps_, event.signed_number());
          if (!event.is_bytes(kEventStats)) continue;
          const Statistic statistic = read_statistic(event.bytes());
          if (statistic.value_field == 0) continue;
          ++counts[statistic.id];
          values[statistic.id].insert(statistic.value);
          if (statistic.id == correlation_)
            most_correlation_ = std::max(most_correlation_, statistic.value);
        }
      }
    }
    for (const auto& [id, count] : counts) {
      if (2 * values[id].size() > count) telling_.insert(id);
    }
    if (correlation_ != 0) telling_.insert(correlation_);
  }

  std::string_view name() const { return name_; }
  std::uint64_t bytes() const { return message_.size(); }
  std::uint64_t events() const { return events_; }
  std::uint64_t event_bytes() const { return event_bytes_; }
  std::int64_t last_ps() const { return last_ps_; }
  std::uint64_t most_correlation() const { return most_correlation_; }

  struct Repetition {
    std::uint64_t times = 1;
    std::int64_t later_ps = 0;      // each time
    std::uint64_t more_number = 0;  // each time
  };
  void write(const Repetition& repetition, Out& out) const {
    for (ProtobufFields fields(message_); fields.next();) {
      if (!fields.is_bytes(kPlaneLines)) {
        out.put(raw_field(fields));
        continue;
      }
      Out counted;
      write_line(fields.bytes(), repetition, counted);
      std::string head;
      append_head(kPlaneLines, counted.bytes(), head);
      out.put(head);
      write_line(fields.bytes(), repetition, out);
    }
  }

 private:
  void note_correlation(std::string_view entry) {
    std::uint64_t key = 0;
    for (ProtobufFields fields(entry); fields.next();) {
      if (fields.is_number(kMapKey)) key = fields.number();
      if (!fields.is_bytes(kMapValue)) continue;
      for (ProtobufFields value(fields.bytes()); value.next();) {
        if (value.is_bytes(kStatName) && value.bytes() == "correlation_id") correlation_ = key;
      }
    }
  }

  void write_line(std::string_view line, const Repetition& repetition, Out& out) const {
    std::vector<std::string_view> events;
    for (ProtobufFields fields(line); fields.next();) {
      if (fields.is_bytes(kLineEvents)) {
        events.push_back(fields.bytes());
      } else {
        out.put(raw_field(fields));
      }
    }
    std::string event;
    std::string made;
    for (std::uint64_t time = 0; time < repetition.times; ++time) {
      for (const std::string_view original : events) {
        event.clear();
        append_event(original, static_cast<std::int64_t>(time) * repetition.later_ps,
                     time * repetition.more_number, event);
        made.clear();
        append_head(kLineEvents, event.size(), made);
        made += event;
        out.put(made);
      }
    }
  }

  void append_event(std::string_view original, std::int64_t later_ps, std::uint64_t more_number,
                    std::string& to) const {
    bool has_offset = false;
    const auto append_offset = [&](std::int64_t offset_ps) {
      append_number(kEventOffset_ps, static_cast<std::uint64_t>(offset_ps + later_ps), to);
      has_offset = true;
    };
    for (ProtobufFields fields(original); fields.next();) {
      if (fields.is_number(kEventOffset_ps)) {
        append_offset(fields.signed_number());
        continue;
      }
      if (!has_offset && fields.field() > kEventOffset_ps && later_ps != 0) append_offset(0);
      if (!fields.is_bytes(kEventStats)) {
        to += raw_field(fields);
        continue;
      }
      Statistic statistic = read_statistic(fields.bytes());
      const bool is_new = statistic.value_field != 0 && telling_.contains(statistic.id);
      if (!is_new) {
        to += raw_field(fields);
        continue;
      }
      statistic.value += more_number;
      // 32 bits number the launches of a process.
      if (statistic.id == correlation_) statistic.value %= std::uint64_t{1} << 31;
      std::string made;
      append_number(kStatMetadataId, statistic.id, made);
      append_number(statistic.value_field, statistic.value, made);
      append_head(kEventStats, made.size(), to);
      to += made;
    }
    if (!has_offset && later_ps != 0) append_offset(0);
  }

  std::string_view message_;
  std::string_view name_;
  std::uint64_t correlation_ = 0;
  std::set<std::uint64_t> telling_;  // statistics whose numbers mostly differ
  std::uint64_t events_ = 0;
  std::uint64_t event_bytes_ = 0;
  std::int64_t last_ps_ = 0;
  std::uint64_t most_correlation_ = 0;
};

int run(const char* source, const char* target, std::uint64_t bytes, std::string_view chosen) {
  const std::string profile = read_whole_file(source);
  std::vector<Plane> planes;
  for (ProtobufFields fields(profile); fields.next();) {
    if (fields.is_bytes(kSpacePlanes)) planes.emplace_back(fields.bytes());
  }
  Plane::Repetition repetition;
  std::uint64_t repeated_bytes = 0;
  for (const Plane& plane : planes) {
    repetition.later_ps = std::max(repetition.later_ps, plane.last_ps() + kGap_ps);
    repetition.more_number =
        std::max(repetition.more_number, plane.most_correlation() + plane.events());
    if (chosen.empty() || plane.name() == chosen) repeated_bytes += plane.event_bytes();
  }
  if (repeated_bytes == 0) {
    std::fprintf(stderr, "strobe_generate_xplane: %s has no events of that plane\n", source);
    return 3;
  }
  repetition.times = bytes / repeated_bytes + 1;
  std::FILE* const file = std::fopen(target, "wb");
  if (file == nullptr) {
    std::perror(target);
    return 3;
  }
  Out out(file);
  for (const Plane& plane : planes) {
    const bool is_repeated = chosen.empty() || plane.name() == chosen;
    const Plane::Repetition here = is_repeated ? repetition : Plane::Repetition();
    Out counted;
    plane.write(here, counted);
    std::string head;
    append_head(kSpacePlanes, counted.bytes(), head);
    out.put(head);
    plane.write(here, out);
  }
  return std::fclose(file) == 0 ? 0 : 3;
}

}  // namespace
}  // namespace strobe::perf

int main(int argc, char** argv) {
  const bool has_plane = argc == 7 && std::string_view(argv[5]) == "--plane";
  if ((argc != 5 && !has_plane) || std::string_view(argv[3]) != "--bytes") {
    std::fprintf(stderr,
                 "usage: strobe_generate_xplane PROFILE.xplane.pb OUT --bytes N [--plane NAME]\n");
    return 2;
  }
  return strobe::perf::run(argv[1], argv[2], std::strtoull(argv[4], nullptr, 10),
                           has_plane ? argv[6] : "");
}
