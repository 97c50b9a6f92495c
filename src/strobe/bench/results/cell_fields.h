#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "strobe/bench/results/cell_record.h"

// The members of a cell's record: one row each, with its name. The run file, the worker protocol
// and the HTTP API are written and read by these rows (record_json.h).
namespace strobe::bench {

enum class Unit : std::uint8_t {
  kNone,  // a text, a count, a list, an object
  kMicroseconds,
  kMilliseconds,
  kMegahertz,
  kWatts,
  kCelsius,
  kBytes,
  kOperations,
  kBytesPerNanosecond,  // GB/s
  kTeraflops,
  kDeviation,  // from the expected value: not a number means infinite
};

template <class Struct, class Value>
struct Field {
  std::string_view name;
  Unit unit;
  Value Struct::*member;
  std::string_view old_name = {};  // in older files and workers
};
template <class Struct, class Value>
Field(std::string_view, Unit, Value Struct::*, std::string_view = {}) -> Field<Struct, Value>;

template <class Struct>
struct FieldsOf;

template <class Struct>
concept HasFields = requires {
  FieldsOf<Struct>::kAll;
};

// Calls f(field) for each row of a struct.
template <HasFields Struct, class Function>
void for_each_field(const Function& f) {
  std::apply([&](const auto&... field) { (f(field), ...); }, FieldsOf<Struct>::kAll);
}

template <>
struct FieldsOf<TimeSummary> {  // without the interval and the samples
  static constexpr auto kAll = std::tuple{
      Field{"p50", Unit::kMicroseconds, &TimeSummary::p50},
      Field{"p20", Unit::kMicroseconds, &TimeSummary::p20},
      Field{"p80", Unit::kMicroseconds, &TimeSummary::p80},
      Field{"min", Unit::kMicroseconds, &TimeSummary::min},
      Field{"mad", Unit::kMicroseconds, &TimeSummary::mad},
      Field{"n", Unit::kNone, &TimeSummary::n},
      Field{"set_aside", Unit::kNone, &TimeSummary::set_aside},
  };
};

template <>
struct FieldsOf<KernelLaunch> {
  static constexpr auto kAll = std::tuple{
      Field{"name", Unit::kNone, &KernelLaunch::name},
      Field{"grid", Unit::kNone, &KernelLaunch::grid},
      Field{"block", Unit::kNone, &KernelLaunch::block},
      Field{"us", Unit::kMicroseconds, &KernelLaunch::duration_us},
      Field{"registers", Unit::kNone, &KernelLaunch::registers, "regs"},
      Field{"shared_bytes", Unit::kBytes, &KernelLaunch::shared_bytes, "smem"},
  };
};

template <>
struct FieldsOf<ApiCall> {
  static constexpr auto kAll = std::tuple{
      Field{"name", Unit::kNone, &ApiCall::name},
      Field{"count", Unit::kNone, &ApiCall::count},
      Field{"us", Unit::kMicroseconds, &ApiCall::us},
  };
};

template <>
struct FieldsOf<Accuracy> {  // `equality` follows from two of them
  static constexpr auto kAll = std::tuple{
      Field{"max_abs", Unit::kDeviation, &Accuracy::max_abs},
      Field{"max_rel", Unit::kDeviation, &Accuracy::max_rel},
      Field{"norm_rel", Unit::kDeviation, &Accuracy::norm_rel},
      Field{"checked", Unit::kNone, &Accuracy::checked},
      Field{"mismatches", Unit::kNone, &Accuracy::mismatches},
      Field{"worst_index", Unit::kNone, &Accuracy::worst_index},
      Field{"atol", Unit::kNone, &Accuracy::atol},
      Field{"rtol", Unit::kNone, &Accuracy::rtol},
  };
};

template <>
struct FieldsOf<CompileTimes> {
  static constexpr auto kAll = std::tuple{
      Field{"codegen_ms", Unit::kMilliseconds, &CompileTimes::codegen_ms},
      Field{"nvrtc_ms", Unit::kMilliseconds, &CompileTimes::nvrtc_ms},
      Field{"load_ms", Unit::kMilliseconds, &CompileTimes::load_ms},
      Field{"autotune_ms", Unit::kMilliseconds, &CompileTimes::autotune_ms},
      Field{"first_call_ms", Unit::kMilliseconds, &CompileTimes::first_call_ms},
      Field{"is_cached", Unit::kNone, &CompileTimes::is_cached, "cached"},
  };
};

template <>
struct FieldsOf<ByteCounts> {
  static constexpr auto kAll = std::tuple{
      Field{"min", Unit::kBytes, &ByteCounts::min},
      Field{"unfused", Unit::kBytes, &ByteCounts::unfused},
      Field{"resident", Unit::kBytes, &ByteCounts::resident},
      Field{"peak", Unit::kBytes, &ByteCounts::peak},
  };
};

template <>
struct FieldsOf<CellCounters> {
  static constexpr auto kAll = std::tuple{
      Field{"launches", Unit::kNone, &CellCounters::launches},
      Field{"l1_load_bytes", Unit::kBytes, &CellCounters::l1_load_bytes},
      Field{"l1_load_hit_bytes", Unit::kBytes, &CellCounters::l1_load_hit_bytes},
      Field{"l1_store_bytes", Unit::kBytes, &CellCounters::l1_store_bytes},
      Field{"l1_store_hit_bytes", Unit::kBytes, &CellCounters::l1_store_hit_bytes},
      Field{"l1_reduction_bytes", Unit::kBytes, &CellCounters::l1_reduction_bytes},
      Field{"l1_reduction_hit_bytes", Unit::kBytes, &CellCounters::l1_reduction_hit_bytes},
      Field{"l2_read_bytes", Unit::kBytes, &CellCounters::l2_read_bytes},
      Field{"l2_write_bytes", Unit::kBytes, &CellCounters::l2_write_bytes},
      Field{"dram_read_bytes", Unit::kBytes, &CellCounters::dram_read_bytes},
      Field{"dram_write_bytes", Unit::kBytes, &CellCounters::dram_write_bytes},
      Field{"instructions", Unit::kOperations, &CellCounters::instructions},
      Field{"flops", Unit::kOperations, &CellCounters::flops},
      Field{"matrix_flops", Unit::kOperations, &CellCounters::matrix_flops},
  };
};

template <>
struct FieldsOf<Clocks> {
  static constexpr auto kAll = std::tuple{
      Field{"sm_mhz", Unit::kMegahertz, &Clocks::sm_mhz},
      Field{"memory_mhz", Unit::kMegahertz, &Clocks::memory_mhz, "mem_mhz"},
      Field{"power_w", Unit::kWatts, &Clocks::power_w},
      Field{"temperature_c", Unit::kCelsius, &Clocks::temperature_c},
      Field{"reasons", Unit::kNone, &Clocks::reasons},
  };
};

template <>
struct FieldsOf<CellRecord> {  // without the cell itself, its status and its times
  static constexpr auto kAll = std::tuple{
      Field{"reason", Unit::kNone, &CellRecord::reason},
      Field{"burst_us", Unit::kMicroseconds, &CellRecord::burst_us},
      Field{"sustained_us", Unit::kMicroseconds, &CellRecord::sustained_us},
      Field{"bytes", Unit::kNone, &CellRecord::bytes},
      Field{"flops", Unit::kOperations, &CellRecord::flops},
      Field{"counters", Unit::kNone, &CellRecord::counters},
      Field{"kernels", Unit::kNone, &CellRecord::kernels},
      Field{"signature", Unit::kNone, &CellRecord::signature},
      Field{"api", Unit::kNone, &CellRecord::api},
      Field{"compile", Unit::kNone, &CellRecord::compile},
      Field{"config", Unit::kNone, &CellRecord::config},
      Field{"accuracy", Unit::kNone, &CellRecord::accuracy},
      Field{"clocks", Unit::kNone, &CellRecord::clocks, "clock"},
      Field{"flags", Unit::kNone, &CellRecord::flags},
      Field{"lacks", Unit::kNone, &CellRecord::lacks},
      Field{"notes", Unit::kNone, &CellRecord::notes},
  };
};

template <>
struct FieldsOf<Floors> {
  static constexpr auto kAll = std::tuple{
      Field{"event_pair_us", Unit::kMicroseconds, &Floors::event_pair},
      Field{"empty_kernel_events_us", Unit::kMicroseconds, &Floors::empty_kernel_events},
      Field{"empty_kernel_us", Unit::kMicroseconds, &Floors::empty_kernel},
      Field{"empty_kernel_record_us", Unit::kMicroseconds, &Floors::empty_kernel_record},
      Field{"empty_kernel_graph_us", Unit::kMicroseconds, &Floors::empty_kernel_graph},
      Field{"launch_call_us", Unit::kMicroseconds, &Floors::launch_call},
      Field{"stream_spread_us", Unit::kMicroseconds, &Floors::stream_spread},
  };
};

template <>
struct FieldsOf<Roofs> {  // without is_of_host, which is written as `of`
  static constexpr auto kAll = std::tuple{
      Field{"copy_gbps", Unit::kBytesPerNanosecond, &Roofs::copy_gbps},
      Field{"read_gbps", Unit::kBytesPerNanosecond, &Roofs::read_gbps},
      Field{"write_gbps", Unit::kBytesPerNanosecond, &Roofs::write_gbps},
      Field{"gemm_tflops", Unit::kTeraflops, &Roofs::gemm_tflops},
  };
};

}  // namespace strobe::bench
