#include "strobe/readers/counters/rocm_csv.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "strobe/base/text.h"
#include "strobe/device/name_parts.h"
#include "strobe/readers/rocm/csv_table.h"
#include "strobe/readers/rocm/raw_counters.h"

namespace strobe::readers {
namespace {

struct CounterColumn {
  std::size_t place;
  RawCounter raw;
};

class RocmKernels {
 public:
  RocmKernels(CsvRecords& header, LaunchRows& rows)
      : columns_(RocmColumns::of(header)), rows_(rows) {
    for (std::size_t i = 0; i < header.size(); ++i) {
      const RawCounter raw = raw_counter_of(header.field(i));
      if (raw != RawCounter::kCount_) counters_.push_back({i, raw});
    }
    if (columns_.has(RocmColumn::kCounterName) && !columns_.has(RocmColumn::kDispatch)) {
      rows_.remarks().add_once(
          "the table does not number its dispatches (Dispatch_Id): rows of one kernel with the "
          "same "
          "times count as one dispatch");
    }
  }

  Result<void> read(CsvRecords& records) {
    Place place;
    while (records.next()) {
      if (records.text().empty()) continue;
      ++place.row;
      place.line = records.line();
      if (records.is_broken()) {
        rows_.remarks().add(place, kUnclosedQuote);
      } else if (records.size() < columns_.size()) {
        rows_.remarks().add(place, records.is_last_cut() ? "the file ends inside this row; left out"
                                                         : "ends before its last column; left out");
      } else {
        add_row(records, place);
      }
    }
    set_counters();
    return {};
  }

 private:
  void add_row(CsvRecords& record, const Place& place) {
    const bool has_names = columns_.has(RocmColumn::kCounterName);
    std::size_t row = rows_.size();
    if (has_names) {
      const std::uint64_t process = columns_.count(record, RocmColumn::kProcess);
      const auto [entry, is_new] =
          by_dispatch_.try_emplace({process, columns_.dispatch_of(record)}, row);
      row = entry->second;
      if (is_new) add_launch(record, place);
      const RawCounter raw = raw_counter_of(columns_.text(record, RocmColumn::kCounterName));
      if (raw == RawCounter::kCount_) return;
      set(row, raw, columns_.text(record, RocmColumn::kCounterValue), place);
    } else {
      add_launch(record, place);
      for (const CounterColumn& counter : counters_) {
        set(row, counter.raw, record.field(counter.place), place);
      }
    }
  }

  void add_launch(CsvRecords& record, const Place& place) {
    const std::string written(columns_.text(record, RocmColumn::kKernelName));
    const std::string name = device::readable_name(written);
    const std::uint64_t dispatch = columns_.has(RocmColumn::kDispatch)
                                       ? columns_.count(record, RocmColumn::kDispatch)
                                       : rows_.size();
    const std::size_t row = rows_.add(static_cast<std::uint32_t>(dispatch), name, place);
    if (name != written && written.starts_with("_Z")) rows_.set_mangled(row, written);
    raws_.resize(row + 1);
    waves_.resize(row + 1, static_cast<double>(columns_.count(record, RocmColumn::kWaveSize)));
    const auto start = columns_.number(record, RocmColumn::kStart);
    const auto end = columns_.number(record, RocmColumn::kEnd);
    if (start && end && *end >= *start) {
      set_number(row, Counter::kDuration,
                 static_cast<double>(static_cast<std::uint64_t>(*end) -
                                     static_cast<std::uint64_t>(*start)));
    } else {
      rows_.remarks().add(place, "ends before its start, or has no times");
    }
    set_number(row, Counter::kDevice, device_of(columns_.text(record, RocmColumn::kAgent)));
    const auto number = [&](Counter counter, RocmColumn column) {
      if (columns_.has(column)) {
        set_number(row, counter, static_cast<double>(columns_.count(record, column)));
      }
    };
    number(Counter::kStream,
           columns_.has(RocmColumn::kStream) ? RocmColumn::kStream : RocmColumn::kQueue);
    number(counter_of(KernelMetric::kRegistersPerThread), RocmColumn::kRegisters);
    number(counter_of(KernelMetric::kSharedBytesPerBlock), RocmColumn::kSharedBytes);
    set_shape(record, row);
  }

  static double device_of(std::string_view text) {
    std::size_t begin = text.size();
    while (begin > 0 && is_digit(text[begin - 1])) --begin;
    return static_cast<double>(parse_whole_number(text.substr(begin)).value_or(0));
  }

  // The vendor counts a grid in work-items, strobe in blocks.
  void set_shape(CsvRecords& record, std::size_t row) {
    const bool has_sides = columns_.has(RocmColumn::kGridX);
    const auto side = [&](RocmColumn column) {
      const std::uint64_t count = std::max<std::uint64_t>(columns_.count(record, column), 1);
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, 0xFFFFFFFFu));
    };
    LaunchShape block{side(has_sides ? RocmColumn::kBlockX : RocmColumn::kBlock),
                      side(RocmColumn::kBlockY), side(RocmColumn::kBlockZ)};
    LaunchShape grid{side(has_sides ? RocmColumn::kGridX : RocmColumn::kGrid),
                     side(RocmColumn::kGridY), side(RocmColumn::kGridZ)};
    const auto blocks = [](std::uint32_t items, std::uint32_t size) {
      return items / size + (items % size != 0 ? 1 : 0);
    };
    grid = {blocks(grid.x, block.x), blocks(grid.y, block.y), blocks(grid.z, block.z)};
    rows_.set_grid(row, grid);
    rows_.set_block(row, block);
  }

  void set_number(std::size_t row, Counter counter, double value) {
    if (!std::isnan(value)) rows_.set(row, {counter, Quantity::kNone, 0}, value);
  }

  void set(std::size_t row, RawCounter raw, std::string_view text, const Place& place) {
    if (text.empty() || row >= raws_.size()) return;
    const auto value = parse_number(text);
    if (value && *value >= 0) {
      raws_[row].set(raw, *value);
    } else {
      rows_.remarks().add(place, columns_.has(RocmColumn::kCounterName) ? "Counter_Value" : "",
                          text, kNotValid);
    }
  }

  void set_counters() {
    for (std::size_t row = 0; row < raws_.size(); ++row) {
      for (const auto& [metric, value] : raws_[row].metrics(waves_[row])) {
        set_number(row, counter_of(metric), value);
      }
    }
  }

  RocmColumns columns_;
  LaunchRows& rows_;
  std::vector<CounterColumn> counters_;
  std::map<std::pair<std::uint64_t, DispatchKey>, std::size_t> by_dispatch_;  // and process
  std::vector<RawCounters> raws_;                                             // by row
  std::vector<double> waves_;                                                 // threads of a wave
};

}  // namespace

bool may_be_rocm_kernel_header(std::string_view line) {
  const auto has = [&](std::string_view title) { return line.find(title) != line.npos; };
  return (has("Kernel_Name") && has("End_Timestamp")) || (has("KernelName") && has("EndNs"));
}

bool is_rocm_kernel_header(std::string_view line) {
  if (!may_be_rocm_kernel_header(line)) return false;
  CsvRecords records(line);
  if (!records.next()) return false;
  const RocmColumns columns = RocmColumns::of(records);
  return columns.has(RocmColumn::kKernelName) && columns.has(RocmColumn::kStart) &&
         columns.has(RocmColumn::kEnd) && columns.has(RocmColumn::kAgent);
}

Result<void> read_rocm_kernels(CsvRecords& records, LaunchRows& rows) {
  return RocmKernels(records, rows).read(records);
}

}  // namespace strobe::readers
