#include "strobe/readers/frame.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/json_scan.h"
#include "strobe/base/json_text.h"
#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/readers/dialect.h"
#include "strobe/readers/event_scanner.h"
#include "strobe/readers/sniff.h"

namespace strobe::readers {
namespace {

// Numbers may be quoted; a number that does not fit its field is left out.
template <class Integer>
std::optional<Integer> integer_of(const JsonValue& value) {
  const std::optional<std::int64_t> number = value.unquoted().as_int64();
  if (!number || *number < std::numeric_limits<Integer>::min() ||
      *number > std::numeric_limits<Integer>::max()) {
    return std::nullopt;
  }
  return static_cast<Integer>(*number);
}

std::optional<double> finite_of(const JsonValue& value) {
  const std::optional<double> number = value.unquoted().as_double();
  return number && std::isfinite(*number) ? number : std::nullopt;
}

template <class Integer>
void read_into(Integer& field, const JsonValue& value) {
  field = integer_of<Integer>(value).value_or(field);
}

DeviceProperties read_device(std::string_view json) {
  DeviceProperties device;
  std::string architecture;  // "gfx942:sramecc+:xnack-"
  for_each_member(json, [&](std::string_view key, const JsonValue& value) {
    if (key == "id") return read_into(device.id, value);
    if (key == "name") {
      device.name = value.as_string();
      return;
    }
    if (key == "gcnArchName") {
      architecture = value.as_string();
      return;
    }
    if (key == "totalGlobalMem") return read_into(device.memory_bytes, value);
    if (key == "computeMajor") return read_into(device.compute_major, value);
    if (key == "computeMinor") return read_into(device.compute_minor, value);
    // Four writers' keys for one count.
    if (key == "numSms" || key == "smCount" || key == "multiProcessorCount" ||
        key == "maxComputeUnits") {
      return read_into(device.multiprocessors, value);
    }
    if (key == "warpSize") return read_into(device.warp_threads, value);
    if (key == "maxThreadsPerBlock") return read_into(device.max_threads_per_block, value);
    if (key == "maxThreadsPerMultiprocessor") {
      return read_into(device.max_threads_per_multiprocessor, value);
    }
    if (key == "regsPerBlock") return read_into(device.registers_per_block, value);
    if (key == "regsPerMultiprocessor") {
      return read_into(device.registers_per_multiprocessor, value);
    }
    if (key == "sharedMemPerBlock") return read_into(device.shared_bytes_per_block, value);
    if (key == "sharedMemPerMultiprocessor" || key == "maxSharedMemoryPerMultiProcessor") {
      return read_into(device.shared_bytes_per_multiprocessor, value);
    }
    if (key == "sharedMemPerBlockOptin") {
      return read_into(device.shared_bytes_per_block_optin, value);
    }
  });
  if (device.name.empty()) device.name = architecture.substr(0, architecture.find(':'));
  return device;
}

void read_distributed(std::string_view json, Distributed& distributed) {
  for_each_member(json, [&](std::string_view key, const JsonValue& value) {
    if (key == "backend") distributed.backend = value.as_string();
    if (key == "rank") distributed.rank = integer_of<std::int32_t>(value);
    if (key == "world_size") distributed.world_size = integer_of<std::int32_t>(value);
  });
}

void read_utilization(std::string_view json, Metadata& metadata) {
  for_each_member(json, [&](std::string_view key, const JsonValue& value) {
    if (key == "Process Cpu Utilization") metadata.process_cpu_utilization = finite_of(value);
    if (key == "System Cpu Utilization") metadata.system_cpu_utilization = finite_of(value);
  });
}

// Reads the member into the fields of `metadata`; true if they now hold everything it contains.
bool read_typed_fields(std::string_view key, std::string_view json, Metadata& metadata) {
  if (key == "deviceProperties") {
    for_each_element(json, [&](const JsonValue& value) {
      if (value.type == JsonType::kObject) metadata.devices.push_back(read_device(value.text));
    });
    return !metadata.devices.empty();
  }
  if (key == "baseTimeNanoseconds") {
    const auto base_time_ns = integer_of<std::int64_t>(parse_value(json));
    metadata.base_time_ns = base_time_ns.value_or(0);
    return base_time_ns.has_value();
  }
  if (key == "distributedInfo") read_distributed(json, metadata.distributed);
  if (key == "ExtraInfo") read_utilization(json, metadata);
  return false;
}

}  // namespace

void read_member(std::string_view key, std::string_view json, Metadata& metadata) {
  if (!read_typed_fields(key, json, metadata)) metadata.members.emplace_back(key, json);
}

namespace {

constexpr std::size_t kEventsLookedAt = 2000;
constexpr std::size_t kTimesLookedAt = 50;

// One `"key": value` as text. `p` is the key's quote, afterwards one past the value (or the '[' of
// the event array).
struct Member {
  std::string key;
  std::string value;  // empty for the event array
  bool is_event_array = false;
};

bool read_member_text(Window& window, const char*& p, Member& member) {
  for (;;) {
    const json::StringEnd key_end = json::find_string_end(p + 1, window.end());
    if (key_end.quote != nullptr) {
      const char* colon = json::skip_blanks(key_end.quote + 1);
      const char* value = *colon == ':' ? json::skip_blanks(colon + 1) : nullptr;
      if (colon < window.end() && value == nullptr) return false;
      if (value != nullptr && value < window.end()) {
        const std::string_view key(p + 1, static_cast<std::size_t>(key_end.quote - p - 1));
        if (key == "traceEvents" && *value == '[') {
          member = {std::string(key), {}, true};
          p = value;
          return true;
        }
        if (const char* after = json::skip_value(value, window.end())) {
          member = {unescape(key), std::string(value, after), false};
          p = after;
          return true;
        }
      }
    }
    if (!window.read_on(p)) return false;
  }
}

// Steps over the array at `p`, element by element, because it may be longer than the window. False
// if the text ends inside it.
bool skip_array(Window& window, const char*& p) {
  ++p;
  while (window.skip_blanks(p)) {
    if (*p == ']') {
      ++p;
      return true;
    }
    const char* after = nullptr;
    while ((after = json::skip_value(p, window.end())) == nullptr) {
      if (!window.read_on(p)) return false;
    }
    p = after == p ? p + 1 : after;  // a comma, or a stray delimiter
  }
  return false;
}

void add_distinct(std::vector<std::string>& list, std::string_view text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.emplace_back(text);
}

void look_at_events(const Window& window, const char* p, TraceHead& head) {
  EventScanner scanner;
  for (std::size_t i = 0; i < kEventsLookedAt; ++i) {
    p = json::skip_blanks(p);
    if (p < window.end() && *p == ',') p = json::skip_blanks(p + 1);
    if (p >= window.end() || *p != '{') return;
    RawEvent event;
    const char* const open = p;
    if (scanner.scan(p, window.end(), event) != ScanResult::kEvent) return;
    const std::string_view text(open, static_cast<std::size_t>(p - open));
    if (i < kTimesLookedAt && find(text, "ts").type == JsonType::kString) {
      head.has_text_times = true;
    }
    if (event.phase == 'M' && event.name.text == "process_name" &&
        head.process_names.size() < 100) {
      add_distinct(head.process_names, find(event.args, "name").as_string());
    }
    if (event.category.present()) add_distinct(head.categories, event.category.text);
    if (event.process.type == RawScalar::Type::kString && head.processes.size() < 100) {
      add_distinct(head.processes, event.process.text);
    }
    for_each_member(event.args, [&](std::string_view key, const JsonValue&) {
      if (head.argument_keys.size() < 100) add_distinct(head.argument_keys, key);
    });
  }
}

Error no_event_array(const TraceHead& head) {
  for (const auto& [key, value] : head.members) {
    if (key != "traceEvents") continue;
    return {ErrorCode::kMalformed,
            "this is JSON, but not a trace: its \"traceEvents\" is not an array", "",
            "a trace keeps its events in a list: {\"traceEvents\": [ …"};
  }
  for (const auto& [key, value] : head.members) {
    if (key != "schema" || !value.starts_with("\"strobe.bench")) continue;
    return {ErrorCode::kMalformed, "this is a benchmark run, not a trace", "",
            "`strobe bench show FILE` reads it"};
  }
  std::string keys;
  for (std::size_t i = 0; i < std::min<std::size_t>(head.members.size(), 5); ++i) {
    keys += (i == 0 ? "" : ", ") + head.members[i].first;
  }
  return {
      ErrorCode::kMalformed, "this is JSON, but not a trace: it has no \"traceEvents\" array", "",
      keys.empty() ? "a profiler's trace begins with [ or with {\"traceEvents\": [ …"
                   : "its members are " + keys + "; a trace keeps its events in \"traceEvents\""};
}

}  // namespace

Result<Frame> read_front(Window& window, const char*& p) {
  p = window.end();
  static_cast<void>(window.read_on(p));
  if (window.damage() && p == window.end()) return *window.damage();
  const std::string_view first =
      without_byte_order_mark({p, static_cast<std::size_t>(window.end() - p)});
  p = first.data();
  if (!window.skip_blanks(p)) {
    return Error{ErrorCode::kMalformed, "the file holds nothing but blanks", "",
                 "the job may have ended before its profiler wrote the trace"};
  }
  if (*p != '{' && *p != '[') return explain_not_a_trace(first);

  Frame frame;
  if (*p == '[') {
    ++p;
    look_at_events(window, p, frame.head);
    return frame;
  }
  frame.is_object = true;
  ++p;
  for (;;) {
    if (!window.skip_blanks(p)) break;
    if (*p == ',') {
      ++p;
      continue;
    }
    if (*p == '}') return no_event_array(frame.head);
    if (*p != '"') break;
    Member member;
    if (!read_member_text(window, p, member)) break;
    if (member.is_event_array) {
      ++p;
      look_at_events(window, p, frame.head);
      return frame;
    }
    frame.head.members.emplace_back(std::move(member.key), std::move(member.value));
  }
  return Error{ErrorCode::kMalformed, "the file ends or breaks off before its first event",
               "byte " + std::to_string(window.offset_of(p)),
               "the job may have been killed while the trace was written; record it again"};
}

void read_back(Window& window, const char*& p, TraceHead& head, ImportReport& report) {
  for (;;) {
    if (!window.skip_blanks(p)) {
      report.add(ImportIssue::kTruncatedFile, window.offset_of(p), "after the events");
      return;
    }
    if (*p == '}') return;
    if (*p == ',') {
      ++p;
      continue;
    }
    Member member;
    if (*p != '"' || !read_member_text(window, p, member)) {
      report.add(ImportIssue::kTruncatedFile, window.offset_of(p), "after the events");
      return;
    }
    if (!member.is_event_array) {
      head.members.emplace_back(std::move(member.key), std::move(member.value));
      continue;
    }
    report.add(ImportIssue::kDuplicateEventArray, window.offset_of(p));
    if (!skip_array(window, p)) {
      report.add(ImportIssue::kTruncatedFile, window.offset_of(p), "in a second array of events");
      return;
    }
  }
}

}  // namespace strobe::readers
