#include "strobe/bench/results/record_json.h"

namespace strobe::bench {
namespace {

template <class Number>
void write_known(JsonWriter& json, std::string_view key, const std::optional<Number>& value) {
  if (value) json.member(key, *value);
}

template <class List>
void write_list(JsonWriter& json, std::string_view key, const List& values) {
  json.key(key).begin_array();
  for (const auto& value : values) json.value(value);
  json.end_array();
}

// Whole numbers of bytes and FLOPs stay whole: 268435456, not 2.68435456e8.
void write_amount(JsonWriter& json, std::string_view key, double amount) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (amount >= 0 && amount < kExact &&
      amount == static_cast<double>(static_cast<std::int64_t>(amount))) {
    json.member(key, static_cast<std::int64_t>(amount));
  } else {
    json.member(key, amount);
  }
}

void write_amount(JsonWriter& json, std::string_view key, const std::optional<double>& amount) {
  if (amount) write_amount(json, key, *amount);
}

void write_time(JsonWriter& json, const TimeSummary& time, std::size_t samples_at) {
  json.begin_object()
      .member("p50", time.p50)
      .member("p20", time.p20)
      .member("p80", time.p80)
      .member("min", time.min)
      .member("mad", time.mad)
      .member("n", time.n);
  if (time.ci95[0] > 0) write_list(json, "ci95", time.ci95);
  if (time.set_aside != 0) json.member("set_aside", time.set_aside);
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
  write_known(json, "burst_us", record.burst_us);
  write_known(json, "sustained_us", record.sustained_us);
}

void write_rates(JsonWriter& json, const CellRecord& record, const Roofs& roofs) {
  const TimeSummary* const time = record.headline();
  if (time == nullptr || !(time->p50 > 0)) return;
  const double gbps = record.bytes.min / time->p50 * 1e-3;
  json.key("rates").begin_object().member("gbps", gbps);
  json.member("tflops", record.rated_flops() / time->p50 * 1e-6);
  const std::optional<double> copy_gbps = roofs.over(record).copy_gbps;
  if (copy_gbps && *copy_gbps > 0) json.member("copy_roof_pct", 100 * gbps / *copy_gbps);
  json.end_object();
}

void write_counters(JsonWriter& json, const CellCounters& counters) {
  json.key("traffic").begin_object();
  json.key("measured_l1").begin_object();
  write_amount(json, "load", counters.l1_load_bytes);
  write_amount(json, "load_hit", counters.l1_load_hit_bytes);
  write_amount(json, "store", counters.l1_store_bytes);
  write_amount(json, "store_hit", counters.l1_store_hit_bytes);
  write_amount(json, "reduction", counters.l1_reduction_bytes);
  write_amount(json, "reduction_hit", counters.l1_reduction_hit_bytes);
  json.end_object().key("measured_l2").begin_object();
  write_amount(json, "read", counters.l2_read_bytes);
  write_amount(json, "write", counters.l2_write_bytes);
  json.end_object().key("measured_dram").begin_object();
  write_amount(json, "read", counters.dram_read_bytes);
  write_amount(json, "write", counters.dram_write_bytes);
  json.end_object().end_object();
  write_amount(json, "inst", counters.instructions);
  write_amount(json, "counted_flops", counters.flops);
  write_amount(json, "counted_matrix_flops", counters.matrix_flops);
  json.member("counted_launches", counters.launches);
}

void write_kernels(JsonWriter& json, const std::vector<KernelLaunch>& kernels) {
  json.key("kernels").begin_array();
  for (const KernelLaunch& kernel : kernels) {
    json.begin_object().member("name", kernel.name);
    write_list(json, "grid", kernel.grid);
    write_list(json, "block", kernel.block);
    write_known(json, "us", kernel.duration_us);
    write_known(json, "regs", kernel.registers);
    write_known(json, "smem", kernel.shared_bytes);
    json.end_object();
  }
  json.end_array();
  if (!kernels.empty()) json.member("n_kernels", kernels.size());
}

void write_api(JsonWriter& json, const std::vector<ApiCall>& calls) {
  json.key("api").begin_array();
  for (const ApiCall& call : calls) {
    json.begin_object().member("name", call.name).member("count", call.count);
    json.member("us", call.us).end_object();
  }
  json.end_array();
}

void write_compile(JsonWriter& json, const CompileTimes& compile) {
  json.key("compile").begin_object();
  write_known(json, "codegen_ms", compile.codegen_ms);
  write_known(json, "nvrtc_ms", compile.nvrtc_ms);
  write_known(json, "load_ms", compile.load_ms);
  write_known(json, "autotune_ms", compile.autotune_ms);
  write_known(json, "first_call_ms", compile.first_call_ms);
  json.member("cached", compile.is_cached).end_object();
}

void write_accuracy(JsonWriter& json, const Accuracy& accuracy) {
  json.key("accuracy").begin_object();
  json.member("max_abs", accuracy.max_abs)
      .member("max_rel", accuracy.max_rel)
      .member("norm_rel", accuracy.norm_rel)
      .member("equality", accuracy.equality())
      .member("checked", accuracy.checked)
      .member("mismatches", accuracy.mismatches)
      .member("worst_index", accuracy.worst_index)
      .member("atol", accuracy.atol)
      .member("rtol", accuracy.rtol)
      .end_object();
}

void write_clocks(JsonWriter& json, const Clocks& clocks) {
  json.key("clock").begin_object();
  write_known(json, "sm_mhz", clocks.sm_mhz);
  write_known(json, "mem_mhz", clocks.memory_mhz);
  write_known(json, "power_w", clocks.power_w);
  write_known(json, "temperature_c", clocks.temperature_c);
  write_list(json, "reasons", clocks.reasons);
  json.end_object();
}

}  // namespace

void write_record(JsonWriter& json, const CellRecord& record, const RecordSurroundings& around) {
  json.begin_object().member("schema", kBenchSchema);
  if (!around.run.empty()) json.member("run", around.run);
  json.member("case", record.cell.case_id);
  write_list(json, "shape", record.cell.shape.dims);
  json.member("dtype", dtype_name(record.cell.dtype))
      .member("provider", record.cell.provider)
      .member("status", status_name(record.status));
  if (!record.reason.empty()) json.member("reason", record.reason);
  write_times(json, record, around.samples_at);
  json.key("bytes").begin_object();
  write_amount(json, "min", record.bytes.min);
  write_amount(json, "unfused", record.bytes.unfused);
  write_amount(json, "resident", record.bytes.resident);
  write_amount(json, "peak", record.bytes.peak);
  json.end_object();
  write_amount(json, "flops", record.flops);
  if (record.counters) write_counters(json, *record.counters);
  write_rates(json, record, around.roofs);
  write_kernels(json, record.kernels);
  json.member("signature", record.signature);
  if (!record.api.empty()) write_api(json, record.api);
  write_compile(json, record.compile);
  json.key("config").begin_object();
  for (const auto& [key, value] : record.config) json.member(key, value);
  json.end_object();
  if (record.accuracy) write_accuracy(json, *record.accuracy);
  write_clocks(json, record.clocks);
  json.key("flags").begin_array();
  for (const CellFlag flag : record.flags) json.value(flag_name(flag));
  json.end_array();
  if (!record.notes.empty()) write_list(json, "notes", record.notes);
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
  json.key("floors").begin_object();
  write_known(json, "event_pair_us", header.floors.event_pair);
  write_known(json, "empty_kernel_events_us", header.floors.empty_kernel_events);
  write_known(json, "empty_kernel_us", header.floors.empty_kernel);
  write_known(json, "empty_kernel_record_us", header.floors.empty_kernel_record);
  write_known(json, "empty_kernel_graph_us", header.floors.empty_kernel_graph);
  write_known(json, "launch_call_us", header.floors.launch_call);
  write_known(json, "stream_spread_us", header.floors.stream_spread);
  json.end_object();
  json.key("roofs").begin_object();
  write_known(json, "copy_gbps", header.roofs.copy_gbps);
  write_known(json, "read_gbps", header.roofs.read_gbps);
  write_known(json, "write_gbps", header.roofs.write_gbps);
  write_known(json, "gemm_tflops", header.roofs.gemm_tflops);
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
  for (const auto& [name, value] : header.device_facts) write_amount(json, name, value);
  json.end_object().end_object();
}

}  // namespace strobe::bench
