#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"
#include "strobe/base/result.h"
#include "strobe/bench/results/cell_record.h"

// The words of `strobe.bench/1`: one cell, and what stands above the cells.
namespace strobe::bench {

inline constexpr std::string_view kBenchSchema = "strobe.bench/1";
// method.hold; where there is none, it was Hold::kCalls.
inline constexpr std::string_view kCallHold = "call";
inline constexpr std::string_view kNoHold = "none";
// roofs.of; where there is none, nobody knows.
inline constexpr std::string_view kOfHost = "host";
inline constexpr std::string_view kOfDevice = "device";

struct RecordSurroundings {
  std::string_view run;        // whose cell it is
  Roofs roofs;                 // for rates.copy_roof_pct
  std::size_t samples_at = 0;  // values of the side file before this cell's
};

void write_record(JsonWriter& json, const CellRecord& record, const RecordSurroundings& around);
void write_header(JsonWriter& json, const RunHeader& header);

// Where a cell's samples lie in the side file: of each time, from the first value on.
struct SamplePlace {
  TimeMode mode = TimeMode::kDevice;
  std::uint64_t at = 0;
  std::uint64_t count = 0;
};

struct ReadRecord {
  CellRecord record;
  std::vector<SamplePlace> samples;
};
// An error says which member is at fault.
Result<ReadRecord> read_record(const JsonValue& value);
RunHeader read_header(const JsonValue& value);

}  // namespace strobe::bench
