#include "strobe/readers/rocm/csv_table.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <system_error>

#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

struct Title {
  std::string_view title;  // in lower case, with '_' for '-'
  RocmColumn column;
};

constexpr Title kColumnTitles[] = {
    {"start_timestamp", RocmColumn::kStart},
    {"beginns", RocmColumn::kStart},
    {"end_timestamp", RocmColumn::kEnd},
    {"endns", RocmColumn::kEnd},
    {"kernel_name", RocmColumn::kKernelName},
    {"kernelname", RocmColumn::kKernelName},
    {"domain", RocmColumn::kDomain},
    {"function", RocmColumn::kFunction},
    {"direction", RocmColumn::kDirection},
    {"operation", RocmColumn::kOperation},
    {"agent_id", RocmColumn::kAgent},
    {"gpu_id", RocmColumn::kAgent},
    {"source_agent_id", RocmColumn::kSource},
    {"destination_agent_id", RocmColumn::kDestination},
    {"queue_id", RocmColumn::kQueue},
    {"stream_id", RocmColumn::kStream},
    {"process_id", RocmColumn::kProcess},
    {"pid", RocmColumn::kProcess},
    {"thread_id", RocmColumn::kThread},
    {"tid", RocmColumn::kThread},
    {"dispatch_id", RocmColumn::kDispatch},
    {"correlation_id", RocmColumn::kCorrelation},
    {"lds_block_size", RocmColumn::kSharedBytes},
    {"group_segment_size", RocmColumn::kSharedBytes},
    {"lds_per_workgroup", RocmColumn::kSharedBytes},
    {"lds", RocmColumn::kSharedBytes},
    {"scratch_size", RocmColumn::kScratchBytes},
    {"private_segment_size", RocmColumn::kScratchBytes},
    {"scratch_per_workitem", RocmColumn::kScratchBytes},
    {"scr", RocmColumn::kScratchBytes},
    {"vgpr_count", RocmColumn::kRegisters},
    {"arch_vgpr", RocmColumn::kRegisters},
    {"vgpr", RocmColumn::kRegisters},
    {"accum_vgpr_count", RocmColumn::kAccumulationRegisters},
    {"accum_vgpr", RocmColumn::kAccumulationRegisters},
    {"sgpr_count", RocmColumn::kScalarRegisters},
    {"sgpr", RocmColumn::kScalarRegisters},
    {"wave_size", RocmColumn::kWaveSize},
    {"grid_size", RocmColumn::kGrid},
    {"grd", RocmColumn::kGrid},
    {"grid_size_x", RocmColumn::kGridX},
    {"grid_size_y", RocmColumn::kGridY},
    {"grid_size_z", RocmColumn::kGridZ},
    {"workgroup_size", RocmColumn::kBlock},
    {"wgr", RocmColumn::kBlock},
    {"workgroup_size_x", RocmColumn::kBlockX},
    {"workgroup_size_y", RocmColumn::kBlockY},
    {"workgroup_size_z", RocmColumn::kBlockZ},
    {"counter_name", RocmColumn::kCounterName},
    {"counter_value", RocmColumn::kCounterValue},
    {"allocation_size", RocmColumn::kAllocationBytes},
    {"alloc_flags", RocmColumn::kAllocationFlags},
    {"address", RocmColumn::kAddress},
    {"node_id", RocmColumn::kNode},
    {"logical_node_id", RocmColumn::kLogicalNode},
    {"logical_node_type_id", RocmColumn::kNodeOfType},
    {"agent_type", RocmColumn::kAgentType},
    {"product_name", RocmColumn::kProductName},
    {"name", RocmColumn::kModelName},
    {"cu_count", RocmColumn::kComputeUnits},
    {"wave_front_size", RocmColumn::kWavefront},
};

std::string plain(std::string_view title) {
  std::string words = lower_case(trimmed(title));
  std::ranges::replace(words, '-', '_');
  return words;
}

}  // namespace

RocmColumns RocmColumns::of(CsvRecords& header) {
  constexpr std::size_t kMostColumns = 4096;
  RocmColumns columns;
  columns.places_.fill(kNowhere);
  columns.columns_ = header.size();
  for (std::size_t i = 0; i < std::min(header.size(), kMostColumns); ++i) {
    const std::string words = plain(header.field(i));
    const auto* const known = std::ranges::find(kColumnTitles, words, &Title::title);
    if (known == std::end(kColumnTitles)) continue;
    std::uint16_t& place = columns.places_[static_cast<std::size_t>(known->column)];
    if (place == kNowhere) place = static_cast<std::uint16_t>(i);
  }
  return columns;
}

std::optional<std::int64_t> RocmColumns::number(CsvRecords& row, RocmColumn column) const {
  const std::string_view text = this->text(row, column);
  if (!text.starts_with("0x")) return parse_whole_number(text);
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + 2, end, value, 16);
  if (error != std::errc() || stop != end || value > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::uint64_t RocmColumns::count(CsvRecords& row, RocmColumn column) const {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(number(row, column).value_or(0), 0));
}

DispatchKey RocmColumns::dispatch_of(CsvRecords& row) const {
  if (const auto dispatch = number(row, RocmColumn::kDispatch)) return {.number = *dispatch};
  return {.start_ns = number(row, RocmColumn::kStart).value_or(0),
          .end_ns = number(row, RocmColumn::kEnd).value_or(0),
          .agent = std::string(text(row, RocmColumn::kAgent)),
          .kernel = std::string(text(row, RocmColumn::kKernelName))};
}

RocmTable RocmColumns::table() const {
  if (has(RocmColumn::kAgentType) && has(RocmColumn::kNode)) return RocmTable::kAgents;
  if (!has(RocmColumn::kStart) || !has(RocmColumn::kEnd)) return RocmTable::kNone;
  // Without a queue it is a list of kernels that ran several times, once for each set of counters.
  if (has(RocmColumn::kKernelName) && has(RocmColumn::kAgent) && has(RocmColumn::kQueue)) {
    return has(RocmColumn::kCounterName) ? RocmTable::kCounterRows : RocmTable::kKernels;
  }
  if (has(RocmColumn::kDomain) && has(RocmColumn::kFunction)) return RocmTable::kCalls;
  if (has(RocmColumn::kDirection) && has(RocmColumn::kSource)) return RocmTable::kCopies;
  if (has(RocmColumn::kAllocationFlags) && has(RocmColumn::kAgent)) return RocmTable::kScratch;
  if (has(RocmColumn::kAllocationBytes) && has(RocmColumn::kOperation))
    return RocmTable::kAllocations;
  return RocmTable::kNone;
}

RocmTable sniff_rocm_table(std::string_view first_bytes) {
  const std::string_view text = without_byte_order_mark(first_bytes);
  const std::string_view line = text.substr(0, text.find('\n'));
  // Cheap, because it is asked about every file.
  const bool may_be = line.find("Timestamp") != std::string_view::npos ||
                      line.find("BeginNs") != std::string_view::npos ||
                      line.find("Agent_Type") != std::string_view::npos;
  if (!may_be || line.size() == text.size()) return RocmTable::kNone;
  CsvRecords records(line);
  return records.next() ? RocmColumns::of(records).table() : RocmTable::kNone;
}

}  // namespace strobe::readers
