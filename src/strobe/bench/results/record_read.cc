#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "strobe/bench/results/record_json.h"

namespace strobe::bench {
namespace {

constexpr std::int64_t kLargestAxis = std::int64_t{1} << 40;
constexpr std::size_t kMostAxes = 16;

Error bad_member(std::string_view member, std::string_view trouble) {
  return {.code = ErrorCode::kMalformed,
          .what = fmt::format("'{}' {}", member, trouble),
          .where = "",
          .hint = ""};
}

// Of an object, one by one; of anything else none.
template <class Function>
void each_member(const JsonValue& object, Function&& f) {
  if (object.type == JsonType::kObject) for_each_member(object.text, std::forward<Function>(f));
}

template <class Function>
void each_element(const JsonValue& array, Function&& f) {
  if (array.type == JsonType::kArray) for_each_element(array.text, std::forward<Function>(f));
}

std::string text_in(const JsonValue& value) {
  return value.type == JsonType::kString ? value.as_string() : std::string();
}

std::string decoded(std::string_view raw_key) {
  return JsonValue{JsonType::kString, raw_key}.as_string();
}

std::optional<double> number_in(const JsonValue& value) {
  const std::optional<double> number = value.as_double();
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<double> amount_in(const JsonValue& value) {
  const std::optional<double> number = number_in(value);
  return number && *number >= 0 ? number : std::nullopt;
}

std::uint64_t count_in(const JsonValue& value) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, value.as_int64().value_or(0)));
}

std::vector<std::string> texts_in(const JsonValue& array) {
  std::vector<std::string> texts;
  each_element(array, [&](const JsonValue& value) {
    if (value.type == JsonType::kString) texts.push_back(value.as_string());
  });
  return texts;
}

std::array<std::int64_t, 3> sizes_in(const JsonValue& array) {
  std::array<std::int64_t, 3> sizes = {1, 1, 1};
  std::size_t at = 0;
  each_element(array, [&](const JsonValue& value) {
    if (at < sizes.size()) sizes[at++] = value.as_int64().value_or(0);
  });
  return sizes;
}

Result<Shape> shape_in(const JsonValue& array) {
  Shape shape;
  bool is_shape = array.type == JsonType::kArray;
  each_element(array, [&](const JsonValue& value) {
    const std::int64_t size = value.as_int64().value_or(0);
    is_shape = is_shape && size >= 1 && size <= kLargestAxis && shape.dims.size() < kMostAxes;
    if (is_shape) shape.dims.push_back(size);
  });
  if (!is_shape || shape.dims.empty()) return bad_member("shape", "is no list of sizes");
  return shape;
}

Result<TimeSummary> time_in(std::string_view mode, const JsonValue& object,
                            std::optional<SamplePlace>& samples) {
  TimeSummary time;
  std::optional<double> p50;
  std::optional<double> low;
  std::optional<double> high;
  each_member(object, [&](std::string_view key, const JsonValue& value) {
    if (key == "p50") p50 = amount_in(value);
    if (key == "p20") time.p20 = amount_in(value).value_or(0);
    if (key == "p80") time.p80 = amount_in(value).value_or(0);
    if (key == "min") time.min = amount_in(value).value_or(0);
    if (key == "mad") time.mad = amount_in(value).value_or(0);
    if (key == "n") time.n = count_in(value);
    if (key == "set_aside") time.set_aside = count_in(value);
    if (key == "ci95") {
      each_element(value, [&](const JsonValue& end) {
        if (!low) {
          low = amount_in(end);
        } else if (!high) {
          high = amount_in(end);
        }
      });
    }
    if (key == "samples" && value.type == JsonType::kObject) {
      samples.emplace();
      samples->at = count_in(find(value.text, "at"));
      samples->count = count_in(find(value.text, "n"));
    }
  });
  if (!p50) return bad_member(fmt::format("time.{}.p50", mode), "is no time in microseconds");
  time.p50 = *p50;
  if (low && high) time.ci95 = {*low, *high};
  return time;
}

Result<void> read_times(const JsonValue& object, ReadRecord& read) {
  std::optional<Error> trouble;
  each_member(object, [&](std::string_view key, const JsonValue& value) {
    const Result<TimeMode> mode = parse_mode(key);
    if (!mode || trouble) return;  // a way to take times that a later strobe knows
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

ByteCounts bytes_in(const JsonValue& object) {
  ByteCounts bytes;
  each_member(object, [&](std::string_view key, const JsonValue& value) {
    if (key == "min") bytes.min = amount_in(value).value_or(0);
    if (key == "unfused") bytes.unfused = amount_in(value).value_or(0);
    if (key == "resident") bytes.resident = amount_in(value);
    if (key == "peak") bytes.peak = amount_in(value);
  });
  return bytes;
}

void read_traffic(const JsonValue& object, CellCounters& counters) {
  each_member(object, [&](std::string_view level, const JsonValue& amounts) {
    each_member(amounts, [&](std::string_view key, const JsonValue& value) {
      const auto is = [&](std::string_view where, std::string_view what) {
        return level == where && key == what;
      };
      if (is("measured_l1", "load")) counters.l1_load_bytes = amount_in(value);
      if (is("measured_l1", "load_hit")) counters.l1_load_hit_bytes = amount_in(value);
      if (is("measured_l1", "store")) counters.l1_store_bytes = amount_in(value);
      if (is("measured_l1", "store_hit")) counters.l1_store_hit_bytes = amount_in(value);
      if (is("measured_l1", "reduction")) counters.l1_reduction_bytes = amount_in(value);
      if (is("measured_l1", "reduction_hit")) counters.l1_reduction_hit_bytes = amount_in(value);
      if (is("measured_l2", "read")) counters.l2_read_bytes = amount_in(value);
      if (is("measured_l2", "write")) counters.l2_write_bytes = amount_in(value);
      if (is("measured_dram", "read")) counters.dram_read_bytes = amount_in(value);
      if (is("measured_dram", "write")) counters.dram_write_bytes = amount_in(value);
    });
  });
}

// Whichever of its members comes first makes the whole.
void read_counters(std::string_view key, const JsonValue& value, CellRecord& record) {
  const bool is_one = (key == "traffic" && value.type == JsonType::kObject) || key == "inst" ||
                      key == "counted_flops" || key == "counted_matrix_flops" ||
                      key == "counted_launches";
  if (!is_one) return;
  if (!record.counters) record.counters.emplace();
  if (key == "traffic") read_traffic(value, *record.counters);
  if (key == "inst") record.counters->instructions = amount_in(value);
  if (key == "counted_flops") record.counters->flops = amount_in(value);
  if (key == "counted_matrix_flops") record.counters->matrix_flops = amount_in(value);
  if (key == "counted_launches") record.counters->launches = count_in(value);
}

std::vector<KernelLaunch> kernels_in(const JsonValue& array) {
  std::vector<KernelLaunch> kernels;
  each_element(array, [&](const JsonValue& object) {
    if (object.type != JsonType::kObject) return;
    KernelLaunch& kernel = kernels.emplace_back();
    each_member(object, [&](std::string_view key, const JsonValue& value) {
      if (key == "name") kernel.name = text_in(value);
      if (key == "grid") kernel.grid = sizes_in(value);
      if (key == "block") kernel.block = sizes_in(value);
      if (key == "us") kernel.duration_us = amount_in(value);
      if (key == "regs") kernel.registers = value.as_int64();
      if (key == "smem") kernel.shared_bytes = value.as_int64();
    });
  });
  return kernels;
}

std::vector<ApiCall> api_in(const JsonValue& array) {
  std::vector<ApiCall> calls;
  each_element(array, [&](const JsonValue& object) {
    ApiCall call;
    each_member(object, [&](std::string_view key, const JsonValue& value) {
      if (key == "name") call.name = text_in(value);
      if (key == "count") call.count = static_cast<std::int64_t>(count_in(value));
      if (key == "us") call.us = amount_in(value).value_or(0);
    });
    if (!call.name.empty() && call.count > 0) calls.push_back(std::move(call));
  });
  return calls;
}

CompileTimes compile_in(const JsonValue& object) {
  CompileTimes compile;
  each_member(object, [&](std::string_view key, const JsonValue& value) {
    if (key == "codegen_ms") compile.codegen_ms = amount_in(value);
    if (key == "nvrtc_ms") compile.nvrtc_ms = amount_in(value);
    if (key == "load_ms") compile.load_ms = amount_in(value);
    if (key == "autotune_ms") compile.autotune_ms = amount_in(value);
    if (key == "first_call_ms") compile.first_call_ms = amount_in(value);
    if (key == "cached") compile.is_cached = value.as_bool().value_or(false);
  });
  return compile;
}

Accuracy accuracy_in(const JsonValue& object) {
  Accuracy accuracy;
  // What was not a number when it was written (null) was no small error.
  const auto error_in = [](const JsonValue& value) { return number_in(value).value_or(INFINITY); };
  each_member(object, [&](std::string_view key, const JsonValue& value) {
    if (key == "max_abs") accuracy.max_abs = error_in(value);
    if (key == "max_rel") accuracy.max_rel = error_in(value);
    if (key == "norm_rel") accuracy.norm_rel = error_in(value);
    if (key == "checked") accuracy.checked = count_in(value);
    if (key == "mismatches") accuracy.mismatches = count_in(value);
    if (key == "worst_index") accuracy.worst_index = value.as_int64().value_or(-1);
    if (key == "atol") accuracy.atol = amount_in(value).value_or(0);
    if (key == "rtol") accuracy.rtol = amount_in(value).value_or(0);
  });
  return accuracy;
}

Clocks clocks_in(const JsonValue& object) {
  Clocks clocks;
  each_member(object, [&](std::string_view key, const JsonValue& value) {
    if (key == "sm_mhz") clocks.sm_mhz = amount_in(value);
    if (key == "mem_mhz") clocks.memory_mhz = amount_in(value);
    if (key == "power_w") clocks.power_w = amount_in(value);
    if (key == "temperature_c") clocks.temperature_c = number_in(value);
    if (key == "reasons") clocks.reasons = texts_in(value);
  });
  return clocks;
}

std::vector<CellFlag> flags_in(const JsonValue& array) {
  std::vector<CellFlag> flags;
  for (const std::string& name : texts_in(array)) {
    const std::optional<CellFlag> flag = find_flag(name);
    if (flag && std::ranges::find(flags, *flag) == flags.end()) flags.push_back(*flag);
  }
  return flags;
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

Floors floors_in(const JsonValue& object) {
  Floors floors;
  each_member(object, [&](std::string_view key, const JsonValue& value) {
    if (key == "event_pair_us") floors.event_pair = amount_in(value);
    if (key == "empty_kernel_events_us") floors.empty_kernel_events = amount_in(value);
    if (key == "empty_kernel_us") floors.empty_kernel = amount_in(value);
    if (key == "empty_kernel_record_us") floors.empty_kernel_record = amount_in(value);
    if (key == "empty_kernel_graph_us") floors.empty_kernel_graph = amount_in(value);
    if (key == "launch_call_us") floors.launch_call = amount_in(value);
    if (key == "stream_spread_us") floors.stream_spread = amount_in(value);
  });
  return floors;
}

Roofs roofs_in(const JsonValue& object) {
  Roofs roofs;
  each_member(object, [&](std::string_view key, const JsonValue& value) {
    if (key == "copy_gbps") roofs.copy_gbps = amount_in(value);
    if (key == "read_gbps") roofs.read_gbps = amount_in(value);
    if (key == "write_gbps") roofs.write_gbps = amount_in(value);
    if (key == "gemm_tflops") roofs.gemm_tflops = amount_in(value);
    if (key == "of") roofs.is_of_host = text_in(value) == kOfHost;
  });
  return roofs;
}

// Everything but what a record cannot be without.
void read_rest(std::string_view key, const JsonValue& value, CellRecord& record) {
  if (key == "reason") record.reason = text_in(value);
  if (key == "burst_us") record.burst_us = amount_in(value);
  if (key == "sustained_us") record.sustained_us = amount_in(value);
  if (key == "bytes") record.bytes = bytes_in(value);
  if (key == "flops") record.flops = amount_in(value).value_or(0);
  read_counters(key, value, record);
  if (key == "kernels") record.kernels = kernels_in(value);
  if (key == "signature") record.signature = text_in(value);
  if (key == "api") record.api = api_in(value);
  if (key == "compile") record.compile = compile_in(value);
  if (key == "accuracy" && value.type == JsonType::kObject) record.accuracy = accuracy_in(value);
  if (key == "clock") record.clocks = clocks_in(value);
  if (key == "flags") record.flags = flags_in(value);
  if (key == "notes") record.notes = texts_in(value);
  if (key == "config") {
    each_member(value, [&](std::string_view name, const JsonValue& setting) {
      record.config[decoded(name)] = setting.as_string();
    });
  }
}

}  // namespace

Result<ReadRecord> read_record(const JsonValue& value) {
  if (value.type != JsonType::kObject) {
    return Error{.code = ErrorCode::kMalformed, .what = "it is no object", .where = "", .hint = ""};
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
    read_rest(key, v, record);
  });
  if (!is_whole) return bad_member("}", "is missing: the record breaks off");
  if (record.cell.case_id.empty()) return bad_member("case", "is missing");
  if (record.cell.provider.empty()) return bad_member("provider", "is missing");
  STROBE_TRY(record.cell.shape, shape_in(shape));
  const Result<DType> type = parse_dtype(dtype);
  if (!type)
    return bad_member("dtype", fmt::format("says '{}', which is no type of values", dtype));
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
    if (key == "floors") header.floors = floors_in(v);
    if (key == "roofs") header.roofs = roofs_in(v);
    if (key == "method") header.method = method_in(v);
    if (key == "command_line") header.command_line = text_in(v);
    if (key == "started") header.started = text_in(v);
    if (key == "libraries") {
      each_member(v, [&](std::string_view name, const JsonValue& version) {
        header.libraries[decoded(name)] = version.as_string();
      });
    }
    if (key == "device_facts") {
      each_member(v, [&](std::string_view name, const JsonValue& fact) {
        if (const auto number = number_in(fact)) header.device_facts[decoded(name)] = *number;
      });
    }
  });
  return header;
}

}  // namespace strobe::bench
