#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/csv.h"

namespace strobe::readers {

// The columns of rocprof's tables that strobe reads. Each version has its own spelling.
enum class RocmColumn : std::uint8_t {
  kStart,
  kEnd,
  kKernelName,
  kDomain,
  kFunction,
  kDirection,
  kOperation,
  kAgent,
  kSource,
  kDestination,
  kQueue,
  kStream,
  kProcess,
  kThread,
  kDispatch,
  kCorrelation,
  kSharedBytes,
  kScratchBytes,
  kRegisters,
  kAccumulationRegisters,
  kScalarRegisters,
  kWaveSize,
  kGrid,
  kGridX,
  kGridY,
  kGridZ,
  kBlock,
  kBlockX,
  kBlockY,
  kBlockZ,
  kCounterName,
  kCounterValue,
  kAllocationBytes,
  kAllocationFlags,
  kAddress,
  kNode,
  kLogicalNode,
  kNodeOfType,
  kAgentType,
  kProductName,
  kModelName,
  kComputeUnits,
  kWavefront,
  kCount_,
};

// What the rows of a table are.
enum class RocmTable : std::uint8_t {
  kNone,
  kKernels,
  kCounterRows,  // a row per dispatch and counter
  kCalls,
  kCopies,
  kAllocations,
  kScratch,
  kAgents,
};

// What tells the dispatches of a process apart: their number or, without one, everything else.
struct DispatchKey {
  std::int64_t number = -1;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::string agent = {};
  std::string kernel = {};

  friend auto operator<=>(const DispatchKey&, const DispatchKey&) = default;
};

// Where the columns stand in one table.
class RocmColumns {
 public:
  static RocmColumns of(CsvRecords& header);

  bool has(RocmColumn column) const { return place(column) != kNowhere; }
  // Empty where the table or the row has no such column.
  std::string_view text(CsvRecords& row, RocmColumn column) const {
    return has(column) ? row.field(place(column)) : std::string_view();
  }
  // Nothing if it is no whole number; 0x... is one.
  std::optional<std::int64_t> number(CsvRecords& row, RocmColumn column) const;
  // The same, with 0 for nothing and for negative numbers.
  std::uint64_t count(CsvRecords& row, RocmColumn column) const;
  DispatchKey dispatch_of(CsvRecords& row) const;

  RocmTable table() const;
  std::size_t size() const { return columns_; }

 private:
  static constexpr std::uint16_t kNowhere = 0xFFFF;
  std::uint16_t place(RocmColumn column) const { return places_[static_cast<std::size_t>(column)]; }

  std::array<std::uint16_t, static_cast<std::size_t>(RocmColumn::kCount_)> places_;
  std::size_t columns_ = 0;
};

// What a text that begins like this is.
RocmTable sniff_rocm_table(std::string_view first_bytes);

}  // namespace strobe::readers
