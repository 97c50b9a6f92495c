#include <optional>
#include <string>

#include "strobe/query/table.h"

// What is in no trace: kernels with hardware counters, and cells of benchmarks.
namespace strobe::query {
namespace {

// 0 means unknown.
std::optional<std::int64_t> axis(std::uint32_t length) {
  if (length == 0) return std::nullopt;
  return length;
}

struct MetricWords {
  KernelMetric metric;
  const char* unit;
  const char* meaning;
};

constexpr MetricWords kMetrics[] = {
    {KernelMetric::kTensorPercent, "percent", "of its cycles, in which the matrix pipe was busy"},
    {KernelMetric::kDramPercent, "percent", "of the memory's data-sheet rate"},
    {KernelMetric::kSmPercent, "percent",
     "of its peak, by the busiest part of the multiprocessors"},
    {KernelMetric::kMemoryPercent, "percent",
     "of its peak, by the busiest part of the memory system"},
    {KernelMetric::kL1Percent, "percent", "of the peak of L1"},
    {KernelMetric::kL2Percent, "percent", "of the peak of L2"},
    {KernelMetric::kL2HitPercent, "percent", "of the accesses of L2, those that it answered"},
    {KernelMetric::kOccupancyPercent, "percent", "of the warps that fit, those that were resident"},
    {KernelMetric::kEstimatedOccupancyPercent, "percent", "the same, as computed from the launch"},
    {KernelMetric::kClockHz, "Hz", "clock of the multiprocessors while it ran"},
    {KernelMetric::kDramClockHz, "Hz", "clock of the memory"},
    {KernelMetric::kElapsedCycles, "cycles", "how long it took"},
    {KernelMetric::kActiveCycles, "cycles", "in which its multiprocessors had work"},
    {KernelMetric::kDramReadBytes, "bytes", "read from memory"},
    {KernelMetric::kDramWriteBytes, "bytes", "written to memory"},
    {KernelMetric::kL2Bytes, "bytes", "through L2"},
    {KernelMetric::kInstructions, "", "instructions of warps"},
    {KernelMetric::kFlops, "", "32-bit operations outside the matrix pipe"},
    {KernelMetric::kRegistersPerThread, "", "registers of a thread"},
    {KernelMetric::kSharedBytesPerBlock, "bytes", "shared memory of a block"},
    {KernelMetric::kBlocksPerSm, "", "blocks that fit on a multiprocessor"},
    {KernelMetric::kWarpsPerSm, "", "warps that were resident on a multiprocessor"},
};
static_assert(std::size(kMetrics) == kKernelMetrics);

Column metric_column(const MetricWords& words) {
  return column(std::string(word_of(words.metric)), words.unit, words.meaning,
                [metric = words.metric](const TraceSource& source, std::size_t row) {
                  return source.input().counters->value(metric, row);
                });
}

Column axis_column(std::string name, std::string meaning,
                   std::vector<LaunchShape> KernelTable::*shapes,
                   std::uint32_t LaunchShape::*length) {
  return column(std::move(name), "", std::move(meaning),
                [shapes, length](const TraceSource& source, std::size_t row) {
                  return axis((source.input().counters->*shapes)[row].*length);
                });
}

Table kernel_counters() {
  const auto counters = [](const TraceSource& source) -> const KernelTable& {
    return *source.input().counters;
  };
  Table table{
      .name = "kernel_counters",
      .meaning =
          "launches of a list of kernels (a report of Nsight Compute, `strobe kernels "
          "record`, a table) with their counters; a counter that was not recorded is absent",
      .columns =
          {column(
               "launch", "", "its position in the file, from 0",
               [](const TraceSource&, std::size_t row) { return static_cast<std::int64_t>(row); }),
           column("id", "", "the file's own number of the launch",
                  [counters](const TraceSource& source, std::size_t row) {
                    return static_cast<std::int64_t>(counters(source).ids[row]);
                  }),
           column("name", "", "the kernel's full name",
                  [counters](const TraceSource& source, std::size_t row) {
                    return counters(source).name(row);
                  }),
           column("dur", "ns", "how long it took",
                  [counters](const TraceSource& source, std::size_t row) {
                    return counters(source).durations_ns[row];
                  }),
           column("device", "", "the number of the device",
                  [counters](const TraceSource& source,
                             std::size_t row) -> std::optional<std::int32_t> {
                    const auto& indices = counters(source).device_indices;
                    if (indices.empty()) return std::nullopt;
                    return indices[row];
                  }),
           column("device_name", "", "its model",
                  [counters](const TraceSource& source,
                             std::size_t row) -> std::optional<std::string_view> {
                    const KernelDevice* device = counters(source).device_of(row);
                    if (device == nullptr) return std::nullopt;
                    return std::string_view(device->name);
                  }),
           column("stream", "", "the number of the stream",
                  [counters](const TraceSource& source,
                             std::size_t row) -> std::optional<std::int64_t> {
                    const auto& streams = counters(source).streams;
                    if (streams.empty()) return std::nullopt;
                    return streams[row];
                  }),
           axis_column("grid_x", "blocks of the launch", &KernelTable::grids, &LaunchShape::x),
           axis_column("grid_y", "the same, second axis", &KernelTable::grids, &LaunchShape::y),
           axis_column("grid_z", "the same, third axis", &KernelTable::grids, &LaunchShape::z),
           axis_column("block_x", "threads of a block", &KernelTable::blocks, &LaunchShape::x),
           axis_column("block_y", "the same, second axis", &KernelTable::blocks, &LaunchShape::y),
           axis_column("block_z", "the same, third axis", &KernelTable::blocks, &LaunchShape::z)},
      .rows = [](const TraceSource& source) -> std::size_t {
        return source.input().counters == nullptr ? 0 : source.input().counters->size();
      }};
  for (const MetricWords& words : kMetrics) table.columns.push_back(metric_column(words));
  return table;
}

const bench::CellRecord& cell(const TraceSource& source, std::size_t row) {
  return source.input().bench->cells[row];
}

// A number of the headline time.
template <class Get>
Column headline_column(std::string name, std::string meaning, Get get) {
  return column(std::move(name), "us", std::move(meaning),
                [get](const TraceSource& source, std::size_t row) -> std::optional<double> {
                  const bench::TimeSummary* time = cell(source, row).headline();
                  if (time == nullptr) return std::nullopt;
                  return get(*time);
                });
}

Column optional_column(std::string name, std::string unit, std::string meaning,
                       std::optional<double> (*get)(const bench::CellRecord&)) {
  return column(
      std::move(name), std::move(unit), std::move(meaning),
      [get](const TraceSource& source, std::size_t row) { return get(cell(source, row)); });
}

std::optional<double> rate(const bench::CellRecord& record,
                           double (bench::CellRecord::*rate_at)(double) const, double amount) {
  const bench::TimeSummary* time = record.usable_time();
  if (time == nullptr || amount == 0) return std::nullopt;
  return (record.*rate_at)(time->p50);
}

Table bench_cells() {
  return {
      .name = "bench_cells",
      .meaning = "cells of a run of `strobe bench`: a case at a shape in a type, by a provider",
      .columns = {column("case_name", "", "what is computed",
                         [](const TraceSource& source, std::size_t row) {
                           return std::string_view(cell(source, row).cell.case_id);
                         }),
                  column("shape", "", "as in 4096x4096",
                         [](const TraceSource& source, std::size_t row) {
                           return bench::shape_text(cell(source, row).cell.shape);
                         }),
                  column("dtype", "", "f32, f16 or bf16",
                         [](const TraceSource& source, std::size_t row) {
                           return bench::dtype_name(cell(source, row).cell.dtype);
                         }),
                  column("provider", "", "whose kernels ran",
                         [](const TraceSource& source, std::size_t row) {
                           return std::string_view(cell(source, row).cell.provider);
                         }),
                  column("status", "", "ok, wrong, oom, timeout, unsupported, ...",
                         [](const TraceSource& source, std::size_t row) {
                           return bench::status_name(cell(source, row).status);
                         }),
                  column("reason", "", "why it is not ok",
                         [](const TraceSource& source,
                            std::size_t row) -> std::optional<std::string_view> {
                           const std::string& reason = cell(source, row).reason;
                           if (reason.empty()) return std::nullopt;
                           return std::string_view(reason);
                         }),
                  column("mode", "", "how the time was taken: device, cpu, activity, graph or call",
                         [](const TraceSource& source,
                            std::size_t row) -> std::optional<std::string_view> {
                           for (const bench::TimeMode mode : bench::kHeadlineModes) {
                             if (cell(source, row).time(mode) != nullptr)
                               return bench::mode_name(mode);
                           }
                           return std::nullopt;
                         }),
                  column("samples", "", "calls that were timed",
                         [](const TraceSource& source,
                            std::size_t row) -> std::optional<std::int64_t> {
                           const bench::TimeSummary* time = cell(source, row).headline();
                           if (time == nullptr) return std::nullopt;
                           return static_cast<std::int64_t>(time->n);
                         }),
                  headline_column("median", "the median of its times",
                                  [](const bench::TimeSummary& time) { return time.p50; }),
                  headline_column("low", "its 95 % interval begins here; absent if it is unknown",
                                  [](const bench::TimeSummary& time) -> std::optional<double> {
                                    if (time.ci95[1] == 0) return std::nullopt;
                                    return time.ci95[0];
                                  }),
                  headline_column("high", "and ends here",
                                  [](const bench::TimeSummary& time) -> std::optional<double> {
                                    if (time.ci95[1] == 0) return std::nullopt;
                                    return time.ci95[1];
                                  }),
                  headline_column("p20", "a fifth of its times are shorter",
                                  [](const bench::TimeSummary& time) { return time.p20; }),
                  headline_column("p80", "a fifth of its times are longer",
                                  [](const bench::TimeSummary& time) { return time.p80; }),
                  headline_column("least", "the shortest time",
                                  [](const bench::TimeSummary& time) { return time.min; }),
                  column("bytes", "bytes", "that a perfect fusion moves",
                         [](const TraceSource& source, std::size_t row) {
                           return cell(source, row).bytes.min;
                         }),
                  column("unfused_bytes", "bytes", "that one kernel per operation moves",
                         [](const TraceSource& source, std::size_t row) {
                           return cell(source, row).bytes.unfused;
                         }),
                  column("flops", "", "operations, without those that a mask leaves out",
                         [](const TraceSource& source, std::size_t row) {
                           return cell(source, row).rated_flops();
                         }),
                  optional_column("gb_per_s", "GB/s", "bytes by the median",
                                  [](const bench::CellRecord& record) {
                                    return rate(record, &bench::CellRecord::gbps, record.bytes.min);
                                  }),
                  optional_column("tflop_per_s", "TFLOP/s", "flops by the median",
                                  [](const bench::CellRecord& record) {
                                    return rate(record, &bench::CellRecord::tflops,
                                                record.rated_flops());
                                  }),
                  optional_column("dram_read", "bytes", "read from memory in one call, as counted",
                                  [](const bench::CellRecord& record) {
                                    return record.counters ? record.counters->dram_read_bytes
                                                           : std::nullopt;
                                  }),
                  optional_column(
                      "dram_write", "bytes", "written to memory in one call, as counted",
                      [](const bench::CellRecord& record) {
                        return record.counters ? record.counters->dram_write_bytes : std::nullopt;
                      }),
                  optional_column("max_error",
                                  "", "largest difference to the reference, if it was checked",
                                  [](const bench::CellRecord& record) -> std::optional<double> {
                                    if (!record.accuracy) return std::nullopt;
                                    return record.accuracy->max_abs;
                                  }),
                  column("kernels", "", "how many ran in one call",
                         [](const TraceSource& source, std::size_t row) {
                           return static_cast<std::int64_t>(cell(source, row).kernels.size());
                         }),
                  column("device", "", "where it ran",
                         [](const TraceSource& source, std::size_t) {
                           return std::string_view(source.input().bench->header.device);
                         })},
      .rows = [](const TraceSource& source) -> std::size_t {
        return source.input().bench == nullptr ? 0 : source.input().bench->cells.size();
      }};
}

}  // namespace

std::vector<Table> counter_tables() {
  std::vector<Table> tables;
  tables.push_back(kernel_counters());
  tables.push_back(bench_cells());
  return tables;
}

}  // namespace strobe::query
