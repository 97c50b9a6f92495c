#include "strobe/readers/rocm/csv_rows.h"

#include <algorithm>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

// "Agent 4", "GPU 0", "4": the number at the end.
std::int32_t agent_number(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  const auto number = parse_whole_number(text.substr(begin));
  const bool fits = number && *number <= std::numeric_limits<std::int32_t>::max();
  return fits ? static_cast<std::int32_t>(*number) : 0;
}

}  // namespace

bool CsvRows::add_table(CsvRecords& records) {
  offset_ = 0;
  if (!records.next()) return true;
  columns_ = RocmColumns::of(records);
  const RocmTable table = columns_.table();
  std::uint64_t pulsed = 0;
  std::uint64_t next = records.text().size() + 1;
  while (records.next()) {
    offset_ = next;
    next += records.text().size() + 1;
    if (next - pulsed > (1u << 20)) {
      if (!rows_.sink().pulse(next - pulsed)) return false;
      pulsed = next;
    }
    if (records.text().empty()) continue;
    if (records.is_last_cut() && records.size() < columns_.size()) {
      rows_.sink().report.add(ImportIssue::kTruncatedFile, offset_,
                              fmt::format("inside line {}", records.line()));
    } else if (records.is_broken() || records.size() < columns_.size()) {
      rows_.sink().report.add(ImportIssue::kMalformedEvent, offset_,
                              fmt::format("line {}", records.line()));
    } else {
      add_row(table, records);
    }
  }
  rows_.sink().report.text_bytes += offset_;
  if (records.damage()) {
    rows_.sink().report.add(ImportIssue::kBadCompressedData, next,
                            records.damage()->what + " (" + records.damage()->where + ")");
  }
  if (table == RocmTable::kKernels) has_kernels_ = true;
  return rows_.sink().pulse(next - pulsed);
}

void CsvRows::finish() {
  for (auto& [dispatch, counted] : counted_) {
    if (counted.is_added) continue;
    if (has_kernels_) {
      rows_.sink().report.add(ImportIssue::kUnreadEvents, counted.kernel.times.offset,
                              "a dispatch that only the table of counters lists");
      continue;
    }
    counted.kernel.counters = &counted.counters;
    rows_.add_kernel(counted.kernel);
  }
  rows_.finish();
}

void CsvRows::add_row(RocmTable table, CsvRecords& row) {
  switch (table) {
    case RocmTable::kKernels:
      return add_kernel(row);
    case RocmTable::kCounterRows:
      return add_counter(row);
    case RocmTable::kCalls:
      return add_call(row);
    case RocmTable::kCopies:
      return add_copy(row);
    case RocmTable::kAllocations:
      return add_allocation(row);
    case RocmTable::kScratch:
      return add_scratch(row);
    case RocmTable::kAgents:
      return add_agent(row);
    case RocmTable::kNone:
      break;
  }
  rows_.sink().report.add(ImportIssue::kUnreadEvents, offset_);
}

std::optional<WorkTimes> CsvRows::times_of(CsvRecords& row) {
  const auto start = columns_.number(row, RocmColumn::kStart);
  const auto end = columns_.number(row, RocmColumn::kEnd);
  if (start && end) return WorkTimes{*start, *end, offset_};
  rows_.sink().report.add(ImportIssue::kMissingTime, offset_, fmt::format("line {}", row.line()));
  return std::nullopt;
}

// Only newer tables have the sides of a grid; others have the product.
LaunchFacts CsvRows::facts_of(CsvRecords& row) const {
  LaunchFacts facts;
  facts.queue = columns_.count(row, RocmColumn::kQueue);
  facts.shared_bytes = columns_.count(row, RocmColumn::kSharedBytes);
  facts.scratch_bytes = columns_.count(row, RocmColumn::kScratchBytes);
  facts.registers = columns_.count(row, RocmColumn::kRegisters);
  facts.accumulation_registers = columns_.count(row, RocmColumn::kAccumulationRegisters);
  facts.scalar_registers = columns_.count(row, RocmColumn::kScalarRegisters);
  if (columns_.has(RocmColumn::kGridX)) {
    facts.grid = {columns_.count(row, RocmColumn::kGridX), columns_.count(row, RocmColumn::kGridY),
                  columns_.count(row, RocmColumn::kGridZ)};
    facts.block = {columns_.count(row, RocmColumn::kBlockX),
                   columns_.count(row, RocmColumn::kBlockY),
                   columns_.count(row, RocmColumn::kBlockZ)};
  } else {
    facts.grid = {columns_.count(row, RocmColumn::kGrid), 1, 1};
    facts.block = {columns_.count(row, RocmColumn::kBlock), 1, 1};
  }
  return facts;
}

std::int32_t CsvRows::device_of(CsvRecords& row, RocmColumn column) const {
  return agent_number(columns_.text(row, column));
}

// The tables of one recording are of one process.
std::uint32_t CsvRows::launch_of(CsvRecords& row) {
  return rows_.launches.of(0, columns_.count(row, RocmColumn::kCorrelation));
}

TrackId CsvRows::thread_of(CsvRecords& row) {
  if (const auto process = columns_.number(row, RocmColumn::kProcess)) last_process_ = *process;
  return rows_.sink().tracks.thread(last_process_,
                                    columns_.number(row, RocmColumn::kThread).value_or(0));
}

void CsvRows::add_kernel(CsvRecords& row) {
  std::optional<KernelRow> kernel = kernel_of(row);
  if (!kernel) return;
  const auto counted = counted_.find(columns_.dispatch_of(row));
  if (counted != counted_.end()) {
    kernel->counters = &counted->second.counters;
    counted->second.is_added = true;
  }
  rows_.add_kernel(*kernel);
}

// A dispatch has a row for each of its counters, and perhaps one in a table of its own.
void CsvRows::add_counter(CsvRecords& row) {
  const std::optional<KernelRow> kernel = kernel_of(row);
  if (!kernel) return;
  Counted& counted = counted_[columns_.dispatch_of(row)];
  if (counted.counters.empty()) counted.kernel = *kernel;
  const auto value = parse_number(columns_.text(row, RocmColumn::kCounterValue));
  if (!value) {
    rows_.sink().report.add(ImportIssue::kBadNumber, offset_, "Counter_Value");
    return;
  }
  counted.counters[sanitize_utf8(columns_.text(row, RocmColumn::kCounterName))] += *value;
}

std::optional<KernelRow> CsvRows::kernel_of(CsvRecords& row) {
  const auto times = times_of(row);
  if (!times) return std::nullopt;
  return KernelRow{
      .times = *times,
      .name = rows_.kernel_name(columns_.text(row, RocmColumn::kKernelName)),
      .device = device_of(row, RocmColumn::kAgent),
      .stream = columns_.count(
          row, columns_.has(RocmColumn::kStream) ? RocmColumn::kStream : RocmColumn::kQueue),
      .launch = launch_of(row),
      .facts = facts_of(row)};
}

void CsvRows::add_call(CsvRecords& row) {
  const auto times = times_of(row);
  if (!times) return;
  const std::string_view function = columns_.text(row, RocmColumn::kFunction);
  const std::string_view domain = columns_.text(row, RocmColumn::kDomain);
  const StringId name = rows_.sink().name(function);
  // The message stands where the function would, so an instant shows by its times only.
  const SliceKind kind = WorkRows::call_kind(function, domain);
  if (kind == SliceKind::kAnnotation && times->start_ns == times->end_ns) {
    rows_.add_mark(*times, name, thread_of(row), domain);
    return;
  }
  rows_.add_host({.times = *times,
                  .name = name,
                  .kind = kind,
                  .category = domain,
                  .track = thread_of(row),
                  .launch = kind == SliceKind::kAnnotation ? kNoLaunchId : launch_of(row)});
}

void CsvRows::add_copy(CsvRecords& row) {
  const auto times = times_of(row);
  if (!times) return;
  CopyRow copy{.times = *times,
               .way = copy_way(columns_.text(row, RocmColumn::kDirection)),
               .launch = launch_of(row)};
  copy.device = device_of(
      row, copy.way == CopyWay::kHostToDevice ? RocmColumn::kDestination : RocmColumn::kSource);
  if (columns_.has(RocmColumn::kStream)) copy.stream = columns_.count(row, RocmColumn::kStream);
  rows_.add_copy(copy);
}

void CsvRows::add_allocation(CsvRecords& row) {
  const auto times = times_of(row);
  if (!times) return;
  const std::string_view agent = columns_.text(row, RocmColumn::kAgent);
  AllocationFacts one{.time_ns = times->end_ns,
                      .is_free = columns_.text(row, RocmColumn::kOperation).ends_with("FREE"),
                      .bytes = columns_.count(row, RocmColumn::kAllocationBytes),
                      .address = columns_.count(row, RocmColumn::kAddress),
                      .track = thread_of(row)};
  const bool is_host =
      agent.empty() || agent.starts_with("CPU") || hosts_.contains(agent_number(agent));
  if (!is_host) one.device = agent_number(agent);
  rows_.add_allocation(one);
}

void CsvRows::add_scratch(CsvRecords& row) {
  const auto times = times_of(row);
  if (!times) return;
  rows_.add_host(
      {.times = *times,
       .name = rows_.sink().name(columns_.text(row, RocmColumn::kOperation)),
       .kind = SliceKind::kOther,
       .category = "scratch_memory",
       .track = rows_.sink().tracks.about_device(device_of(row, RocmColumn::kAgent), "scratch")});
}

void CsvRows::add_agent(CsvRecords& row) {
  const RocmColumn number =
      columns_.has(RocmColumn::kLogicalNode) ? RocmColumn::kLogicalNode : RocmColumn::kNode;
  DeviceProperties properties;
  properties.id = agent_number(columns_.text(row, number));
  if (columns_.text(row, RocmColumn::kAgentType) != "GPU") {
    hosts_.insert(properties.id);
    return;
  }
  std::string_view name = columns_.text(row, RocmColumn::kProductName);
  if (name.empty()) name = columns_.text(row, RocmColumn::kModelName);
  properties.name = std::string(name);
  properties.multiprocessors = agent_number(columns_.text(row, RocmColumn::kComputeUnits));
  properties.warp_threads = agent_number(columns_.text(row, RocmColumn::kWavefront));
  rows_.describe_device(std::move(properties));
}

}  // namespace strobe::readers
