#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "strobe/base/csv.h"
#include "strobe/readers/rocm/csv_table.h"
#include "strobe/readers/rocm/work_rows.h"

namespace strobe::readers {

// Puts the rows of rocprof's tables into a trace: those of one recording, table by table, counters
// before the kernels that they belong to.
class CsvRows {
 public:
  explicit CsvRows(WorkRows& rows) : rows_(rows) {}

  // The rows of a table from its header on. False: the sink wants no more.
  bool add_table(CsvRecords& records);
  void finish();

 private:
  struct Counted {
    KernelRow kernel;
    NamedCounters counters;
    bool is_added = false;
  };

  void add_row(RocmTable table, CsvRecords& row);
  void add_kernel(CsvRecords& row);
  void add_counter(CsvRecords& row);
  void add_call(CsvRecords& row);
  void add_copy(CsvRecords& row);
  void add_allocation(CsvRecords& row);
  void add_scratch(CsvRecords& row);
  void add_agent(CsvRecords& row);

  std::optional<KernelRow> kernel_of(CsvRecords& row);
  std::optional<WorkTimes> times_of(CsvRecords& row);
  LaunchFacts facts_of(CsvRecords& row) const;
  std::int32_t device_of(CsvRecords& row, RocmColumn column) const;
  std::uint32_t launch_of(CsvRecords& row);
  TrackId thread_of(CsvRecords& row);

  WorkRows& rows_;
  RocmColumns columns_;
  std::uint64_t offset_ = 0;  // of the row, as far as it is known
  bool has_kernels_ = false;  // of a table without counters
  std::map<DispatchKey, Counted> counted_;
  std::set<std::int32_t> hosts_;  // agents that are no devices
  std::int64_t last_process_ = 0;
};

}  // namespace strobe::readers
