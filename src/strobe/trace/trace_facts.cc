#include "strobe/trace/trace_facts.h"

#include <cstring>
#include <type_traits>
#include <utility>

namespace strobe::trace_file {
namespace {

template <class T>
concept Plain = (std::is_arithmetic_v<T> || std::is_enum_v<T>)&&!std::is_same_v<T, bool>;

// Both archives have the same interface, so that each type is listed once for both directions.
class Encoder {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  std::string take() && { return std::move(bytes_); }

 private:
  template <Plain T>
  void put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void put(bool value) { bytes_.push_back(value ? 1 : 0); }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    bytes_.append(text);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(std::uint64_t{values.size()});
    for (const T& value : values) put(value);
  }
  // archive() is written for both directions; this one does not change the value.
  template <class T>
  requires std::is_class_v<T>
  void put(const T& value) { archive(*this, const_cast<T&>(value)); }

  std::string bytes_;
};

class Decoder {
 public:
  explicit Decoder(std::span<const char> bytes) : left_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  bool is_whole() const { return is_good_ && left_.empty(); }

 private:
  std::span<const char> take(std::uint64_t bytes) {
    if (bytes > left_.size()) {
      is_good_ = false;
      left_ = {};
      return {};
    }
    const auto taken = left_.first(static_cast<std::size_t>(bytes));
    left_ = left_.subspan(taken.size());
    return taken;
  }

  template <Plain T>
  void get(T& value) {
    const auto from = take(sizeof(T));
    if (!from.empty()) std::memcpy(&value, from.data(), sizeof(T));
  }
  void get(bool& value) {
    std::uint8_t byte = 0;
    get(byte);
    if (byte > 1) is_good_ = false;
    value = byte == 1;
  }
  void get(std::string& text) {
    std::uint64_t bytes = 0;
    get(bytes);
    const auto from = take(bytes);
    text.assign(from.begin(), from.end());
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool is_there = false;
    get(is_there);
    if (is_there) get(value.emplace());
  }
  template <class T>
  void get(std::vector<T>& values) {
    std::uint64_t count = 0;
    get(count);
    // A count is checked while reading: nothing is reserved for a number that may be damaged.
    for (; count > 0 && is_good_; --count) get(values.emplace_back());
  }
  template <class T>
  requires std::is_class_v<T>
  void get(T& value) { archive(*this, value); }

  std::span<const char> left_;
  bool is_good_ = true;
};

template <class Tag, class Rep>
void archive(auto& with, Id<Tag, Rep>& id) {
  with(id.value);
}

template <class A, class B>
void archive(auto& with, std::pair<A, B>& pair) {
  with(pair.first, pair.second);
}

void archive(auto& with, Interval& interval) { with(interval.start_ns, interval.end_ns); }

void archive(auto& with, Category& category) { with(category.name); }

void archive(auto& with, Track& track) {
  with(track.kind, track.process, track.thread, track.process_number, track.thread_number,
       track.device, track.process_name, track.thread_name, track.sort_index);
}

void archive(auto& with, DeviceProperties& device) {
  with(device.id, device.name, device.memory_bytes, device.compute_major, device.compute_minor,
       device.multiprocessors, device.warp_threads, device.max_threads_per_block,
       device.max_threads_per_multiprocessor, device.registers_per_block,
       device.registers_per_multiprocessor, device.shared_bytes_per_block,
       device.shared_bytes_per_multiprocessor, device.shared_bytes_per_block_optin);
}

void archive(auto& with, Distributed& distributed) {
  with(distributed.backend, distributed.rank, distributed.world_size);
}

void archive(auto& with, TraceTraits& traits) {
  with(traits.dialect, traits.runtime_label, traits.device_label,
       traits.nested_operators_are_phases, traits.steps_cover_all_threads);
}

void archive(auto& with, Metadata& metadata) {
  with(metadata.traits, metadata.devices, metadata.distributed, metadata.base_time_ns,
       metadata.process_cpu_utilization, metadata.system_cpu_utilization, metadata.members);
}

struct EventCount {
  char phase = 0;
  std::string category;
  std::uint64_t count = 0;
};
void archive(auto& with, EventCount& events) { with(events.phase, events.category, events.count); }

void archive(auto& with, ImportExample& example) { with(example.byte_offset, example.detail); }

struct IssueLine {
  std::uint64_t count = 0;
  std::vector<ImportExample> examples;
};
void archive(auto& with, IssueLine& line) { with(line.count, line.examples); }

// The ImportReport as lists.
struct ReportLists {
  std::vector<IssueLine> lines;
  std::vector<EventCount> events;
  std::uint64_t event_count = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t text_bytes = 0;
};
void archive(auto& with, ReportLists& lists) {
  with(lists.lines, lists.events, lists.event_count, lists.file_bytes, lists.text_bytes);
}

constexpr auto kIssues = static_cast<std::size_t>(ImportIssue::kCount_);

ReportLists lists_of(const ImportReport& report) {
  ReportLists lists;
  for (std::size_t issue = 0; issue < kIssues; ++issue) {
    const ImportReport::Line& line = report[static_cast<ImportIssue>(issue)];
    lists.lines.push_back({line.count, line.examples});
  }
  for (const auto& [key, count] : report.events) {
    lists.events.push_back({key.first, key.second, count});
  }
  lists.event_count = report.event_count;
  lists.file_bytes = report.file_bytes;
  lists.text_bytes = report.text_bytes;
  return lists;
}

std::optional<ImportReport> report_of(const ReportLists& lists) {
  if (lists.lines.size() != kIssues) return std::nullopt;
  ImportReport report;
  for (std::size_t issue = 0; issue < kIssues; ++issue) {
    const IssueLine& line = lists.lines[issue];
    if (line.examples.size() > ImportReport::kExamplesKept || line.count < line.examples.size()) {
      return std::nullopt;
    }
    for (const ImportExample& example : line.examples) {
      report.add(static_cast<ImportIssue>(issue), example.byte_offset, example.detail);
    }
    report.add_many(static_cast<ImportIssue>(issue), line.count - line.examples.size());
  }
  for (const EventCount& events : lists.events) {
    report.events[{events.phase, events.category}] = events.count;
  }
  report.event_count = lists.event_count;
  report.file_bytes = lists.file_bytes;
  report.text_bytes = lists.text_bytes;
  return report;
}

}  // namespace

std::string encode_facts(const Trace& trace, const ImportReport& report) {
  Encoder encode;
  encode(trace.metadata(), trace.tracks(), trace.categories(), trace.extent(),
         trace.memory().owners_are_known, lists_of(report));
  return std::move(encode).take();
}

std::optional<Facts> decode_facts(std::span<const char> bytes) {
  Facts facts;
  ReportLists lists;
  Decoder decode(bytes);
  decode(facts.metadata, facts.tracks, facts.categories, facts.extent,
         facts.memory_owners_are_known, lists);
  std::optional<ImportReport> report = report_of(lists);
  if (!decode.is_whole() || !report) return std::nullopt;
  facts.report = *std::move(report);
  return facts;
}

}  // namespace strobe::trace_file
