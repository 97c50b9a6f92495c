#include "strobe/bench/results/record_json.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace strobe::bench {
namespace {

constexpr std::size_t kMostAxes = 16;
// method.hold; if absent, it was Hold::kCalls.
constexpr std::string_view kCallHold = "call";
constexpr std::string_view kNoHold = "none";
// roofs.of; if absent, it is unknown.
constexpr std::string_view kOfHost = "host";
constexpr std::string_view kOfDevice = "device";

// Counters in older files: {"traffic":{"measured_l1":{"load":…}},"inst":…}.
struct OldCounter {
  std::string_view level;  // of `traffic`; "": beside it
  std::string_view name;
  std::optional<double> CellCounters::*member;
};
constexpr OldCounter kOldCounters[] = {
    {"measured_l1", "load", &CellCounters::l1_load_bytes},
    {"measured_l1", "load_hit", &CellCounters::l1_load_hit_bytes},
    {"measured_l1", "store", &CellCounters::l1_store_bytes},
    {"measured_l1", "store_hit", &CellCounters::l1_store_hit_bytes},
    {"measured_l1", "reduction", &CellCounters::l1_reduction_bytes},
    {"measured_l1", "reduction_hit", &CellCounters::l1_reduction_hit_bytes},
    {"measured_l2", "read", &CellCounters::l2_read_bytes},
    {"measured_l2", "write", &CellCounters::l2_write_bytes},
    {"measured_dram", "read", &CellCounters::dram_read_bytes},
    {"measured_dram", "write", &CellCounters::dram_write_bytes},
    {"", "inst", &CellCounters::instructions},
    {"", "counted_flops", &CellCounters::flops},
    {"", "counted_matrix_flops", &CellCounters::matrix_flops},
};
constexpr std::string_view kOldTraffic = "traffic";
constexpr std::string_view kOldLaunches = "counted_launches";

Error bad_member(std::string_view member, std::string_view trouble) {
  return {.code = ErrorCode::kMalformed,
          .what = fmt::format("'{}' {}", member, trouble),
          .where = "",
          .hint = ""};
}

template <class List>
void write_list(JsonWriter& json, std::string_view key, const List& values) {
  json.key(key).begin_array();
  for (const auto& value : values) json.value(value);
  json.end_array();
}

void write_time(JsonWriter& json, const TimeSummary& time, std::size_t samples_at) {
  json.begin_object();
  write_members(json, time, Unknown::kLeftOut);
  if (time.ci95[0] > 0) write_list(json, "ci95", time.ci95);
  if (!time.samples_us.empty()) {
    json.key("samples").begin_object().member("at", samples_at);
    json.member("n", time.samples_us.size()).end_object();
  }
  json.end_object();
}

void write_times(JsonWriter& json, const CellRecord& record, std::size_t samples_at) {
  json.key("time").begin_object();
  for (const auto& [mode, time] : record.times) {
    json.key(mode_name(mode));
    write_time(json, time, samples_at);
    samples_at += time.samples_us.size();
  }
  json.end_object();
}

void write_rates(JsonWriter& json, const CellRecord& record, const Roofs& roofs) {
  const TimeSummary* const time = record.headline();
  if (time == nullptr || !(time->p50 > 0)) return;
  const double gbps = record.gbps(time->p50);
  json.key("rates").begin_object().member("gbps", gbps).member("tflops", record.tflops(time->p50));
  const std::optional<double> copy_gbps = roofs.over(record).copy_gbps;
  if (copy_gbps && *copy_gbps > 0) json.member("copy_roof_pct", 100 * gbps / *copy_gbps);
  json.end_object();
}

Result<Shape> shape_in(const JsonValue& array) {
  Shape shape;
  bool is_shape = array.type == JsonType::kArray;
  each_element(array, [&](const JsonValue& value) {
    const std::int64_t size = value.as_int64().value_or(0);
    is_shape = is_shape && size >= 1 && size <= kLargestAxis && shape.dims.size() < kMostAxes;
    if (is_shape) shape.dims.push_back(size);
  });
  if (!is_shape || shape.dims.empty()) return bad_member("shape", "is not a list of sizes");
  return shape;
}

Result<TimeSummary> time_in(std::string_view mode, const JsonValue& object,
                            std::optional<SamplePlace>& samples) {
  TimeSummary time;
  std::optional<double> p50;
  std::vector<double> interval;
  each_member(object, [&](std::string_view key, const JsonValue& value) {
    read_member(key, value, time);
    if (key == "p50") p50 = number_in(Unit::kMicroseconds, value);
    if (key == "ci95") {
      each_element(value, [&](const JsonValue& end) {
        if (const auto us = number_in(Unit::kMicroseconds, end)) interval.push_back(*us);
      });
    }
    if (key == "samples" && value.type == JsonType::kObject) {
      samples.emplace();
      samples->at = count_in(find(value.text, "at"));
      samples->count = count_in(find(value.text, "n"));
    }
  });
  if (!p50) return bad_member(fmt::format("time.{}.p50", mode), "is not a time in microseconds");
  if (interval.size() >= 2) time.ci95 = {interval[0], interval[1]};
  return time;
}

Result<void> read_times(const JsonValue& object, ReadRecord& read) {
  std::optional<Error> trouble;
  each_member(object, [&](std::string_view key, const JsonValue& value) {
    const Result<TimeMode> mode = parse_mode(key);
    if (!mode || trouble) return;  // a mode of a later version is skipped
    std::optional<SamplePlace> samples;
    Result<TimeSummary> time = time_in(key, value, samples);
    if (!time) {
      trouble = std::move(time).error();
      return;
    }
    read.record.times[*mode] = std::move(time).value();
    if (samples) {
      samples->mode = *mode;
      read.samples.push_back(*samples);
    }
  });
  if (trouble) return *trouble;
  return {};
}

void read_old_counter(std::string_view level, std::string_view key, const JsonValue& value,
                      std::optional<CellCounters>& counters) {
  for (const OldCounter& old : kOldCounters) {
    if (old.level != level || old.name != key) continue;
    if (!counters) counters.emplace();
    *counters.*old.member = number_in(Unit::kBytes, value);
  }
}

// The first of them that is found creates the struct.
void read_old_counters(std::string_view key, const JsonValue& value,
                       std::optional<CellCounters>& counters) {
  read_old_counter("", key, value, counters);
  const bool is_traffic = key == kOldTraffic && value.type == JsonType::kObject;
  if ((is_traffic || key == kOldLaunches) && !counters) counters.emplace();
  if (key == kOldLaunches) counters->launches = count_in(value);
  if (!is_traffic) return;
  each_member(value, [&](std::string_view level, const JsonValue& amounts) {
    each_member(amounts, [&](std::string_view name, const JsonValue& amount) {
      read_old_counter(level, name, amount, counters);
    });
  });
}

Method method_in(const JsonValue& object) {
  Method method;
  method.hold = Hold::kCalls;
  each_member(object, [&](std::string_view key, const JsonValue& value) {
    if (key == "flush") method.flush = text_in(value);
    if (key == "stop") method.stop = text_in(value);
    if (key == "seed") method.seed = count_in(value);
    if (key == "hold" && text_in(value) == kNoHold) method.hold = Hold::kNone;
    if (key == "hold" && text_in(value) == kCallHold) method.hold = Hold::kCall;
    if (key == "modes") {
      method.modes.clear();
      for (const std::string& name : texts_in(value)) {
        if (const auto mode = parse_mode(name)) method.modes.push_back(*mode);
      }
    }
  });
  return method;
}

}  // namespace

void write_number(JsonWriter& json, Unit unit, double number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const bool is_amount = unit == Unit::kBytes || unit == Unit::kOperations;
  if (is_amount && number >= 0 && number < kExact &&
      number == static_cast<double>(static_cast<std::int64_t>(number))) {
    json.value(static_cast<std::int64_t>(number));
  } else {
    json.value(number);
  }
}

std::optional<double> number_in(Unit unit, const JsonValue& value) {
  const std::optional<double> number = value.as_double();
  const bool is_finite = number && std::isfinite(*number);
  if (unit == Unit::kDeviation) return is_finite ? *number : INFINITY;
  const bool may_be_negative = unit == Unit::kCelsius;
  return is_finite && (may_be_negative || *number >= 0) ? number : std::nullopt;
}

std::string text_in(const JsonValue& value) {
  return value.type == JsonType::kString ? value.as_string() : std::string();
}

std::vector<std::string> texts_in(const JsonValue& array) {
  std::vector<std::string> texts;
  each_element(array, [&](const JsonValue& value) {
    if (value.type == JsonType::kString) texts.push_back(value.as_string());
  });
  return texts;
}

std::uint64_t count_in(const JsonValue& value) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, value.as_int64().value_or(0)));
}

std::array<std::int64_t, 3> sizes_in(const JsonValue& array) {
  std::array<std::int64_t, 3> sizes = {1, 1, 1};
  std::size_t at = 0;
  each_element(array, [&](const JsonValue& value) {
    if (at < sizes.size()) sizes[at++] = value.as_int64().value_or(0);
  });
  return sizes;
}

std::string decoded_key(std::string_view raw_key) {
  return JsonValue{JsonType::kString, raw_key}.as_string();
}

std::string_view word_of(CellFlag flag) { return flag_name(flag); }
std::string_view word_of(Lack lack) { return lack_name(lack); }

void read_json(const JsonValue& value, std::vector<CellFlag>& into) {
  into.clear();
  for (const std::string& name : texts_in(value)) {
    const std::optional<CellFlag> flag = find_flag(name);
    if (flag && std::ranges::find(into, *flag) == into.end()) into.push_back(*flag);
  }
}

void read_json(const JsonValue& value, std::map<std::string, std::string>& into) {
  each_member(value, [&](std::string_view name, const JsonValue& setting) {
    into[decoded_key(name)] = setting.as_string();
  });
}

void read_json(const JsonValue& value, std::map<Lack, std::string>& into) {
  each_member(value, [&](std::string_view name, const JsonValue& why) {
    if (const std::optional<Lack> lack = find_lack(name)) into[*lack] = text_in(why);
  });
}

void read_json(const JsonValue& value, std::vector<KernelLaunch>& into) {
  into.clear();
  each_element(value, [&](const JsonValue& object) {
    if (object.type == JsonType::kObject) read_members(object, into.emplace_back());
  });
}

void read_json(const JsonValue& value, std::vector<ApiCall>& into) {
  into.clear();
  each_element(value, [&](const JsonValue& object) {
    ApiCall call;
    read_members(object, call);
    if (!call.name.empty() && call.count > 0) into.push_back(std::move(call));
  });
}

void write_record(JsonWriter& json, const CellRecord& record, const RecordSurroundings& around) {
  json.begin_object().member("schema", kBenchSchema);
  if (!around.run.empty()) json.member("run", around.run);
  json.member("case", record.cell.case_id);
  write_list(json, "shape", record.cell.shape.dims);
  json.member("dtype", dtype_name(record.cell.dtype))
      .member("provider", record.cell.provider)
      .member("status", status_name(record.status));
  write_times(json, record, around.samples_at);
  write_members(json, record, Unknown::kLeftOut);
  write_rates(json, record, around.roofs);
  if (!record.kernels.empty()) json.member("n_kernels", record.kernels.size());
  json.end_object();
}

void write_header(JsonWriter& json, const RunHeader& header) {
  json.begin_object()
      .member("run", header.run)
      .member("strobe", header.strobe_version)
      .member("device", header.device)
      .member("driver", header.driver);
  json.key("libraries").begin_object();
  for (const auto& [name, version] : header.libraries) json.member(name, version);
  json.end_object();
  write_json(json.key("floors"), Unit::kNone, header.floors, Unknown::kLeftOut);
  json.key("roofs").begin_object();
  write_members(json, header.roofs, Unknown::kLeftOut);
  if (header.roofs.is_of_host) json.member("of", *header.roofs.is_of_host ? kOfHost : kOfDevice);
  json.end_object();
  json.key("method").begin_object();
  json.member("flush", header.method.flush).member("stop", header.method.stop);
  json.key("modes").begin_array();
  for (const TimeMode mode : header.method.modes) json.value(mode_name(mode));
  json.end_array().member("seed", header.method.seed);
  if (header.method.hold == Hold::kCall) json.member("hold", kCallHold);
  if (header.method.hold == Hold::kNone) json.member("hold", kNoHold);
  json.end_object();
  json.member("command_line", header.command_line).member("started", header.started);
  json.key("device_facts").begin_object();
  for (const auto& [name, value] : header.device_facts) {
    write_number(json.key(name), Unit::kBytes, value);
  }
  json.end_object().end_object();
}

Result<ReadRecord> read_record(const JsonValue& value) {
  if (value.type != JsonType::kObject) {
    return Error{
        .code = ErrorCode::kMalformed, .what = "it is not an object", .where = "", .hint = ""};
  }
  ReadRecord read;
  CellRecord& record = read.record;
  JsonValue shape;
  JsonValue status;
  JsonValue times;
  std::string dtype = "f32";
  const bool is_whole = for_each_member(value.text, [&](std::string_view key, const JsonValue& v) {
    if (key == "case") record.cell.case_id = text_in(v);
    if (key == "provider") record.cell.provider = text_in(v);
    if (key == "shape") shape = v;
    if (key == "dtype") dtype = v.as_string();
    if (key == "status") status = v;
    if (key == "time") times = v;
    read_member(key, v, record);
    read_old_counters(key, v, record.counters);
  });
  if (!is_whole) return bad_member("}", "is missing: the record breaks off");
  if (record.cell.case_id.empty()) return bad_member("case", "is missing");
  if (record.cell.provider.empty()) return bad_member("provider", "is missing");
  STROBE_TRY(record.cell.shape, shape_in(shape));
  const Result<DType> type = parse_dtype(dtype);
  if (!type) return bad_member("dtype", fmt::format("says '{}', which is not a data type", dtype));
  record.cell.dtype = *type;
  STROBE_TRY(record.status, parse_status(text_in(status)));
  STROBE_TRY_VOID(read_times(times, read));
  return read;
}

RunHeader read_header(const JsonValue& value) {
  RunHeader header;
  each_member(value, [&](std::string_view key, const JsonValue& v) {
    if (key == "run") header.run = text_in(v);
    if (key == "strobe") header.strobe_version = text_in(v);
    if (key == "device") header.device = text_in(v);
    if (key == "driver") header.driver = text_in(v);
    if (key == "floors") read_members(v, header.floors);
    if (key == "roofs") {
      read_members(v, header.roofs);
      each_member(v, [&](std::string_view name, const JsonValue& of) {
        if (name == "of") header.roofs.is_of_host = text_in(of) == kOfHost;
      });
    }
    if (key == "method") header.method = method_in(v);
    if (key == "command_line") header.command_line = text_in(v);
    if (key == "started") header.started = text_in(v);
    if (key == "libraries") read_json(v, header.libraries);
    if (key == "device_facts") {
      each_member(v, [&](std::string_view name, const JsonValue& fact) {
        const std::optional<double> number = fact.as_double();
        if (number && std::isfinite(*number)) header.device_facts[decoded_key(name)] = *number;
      });
    }
  });
  return header;
}

}  // namespace strobe::bench
