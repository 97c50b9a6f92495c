#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/bench/results/cell_record.h"

// A run as one JSON file: {"schema":"strobe.bench/1","header":{…},"cells":[…]}; docs/formats/bench_json.md.
namespace strobe::bench {

std::string to_json(const BenchRun& run);
std::string to_json(const CellRecord& record);
// Unknown keys are passed over; a record that cannot be used is named with its place.
Result<BenchRun> parse_run(std::string_view json, std::string_view name);
Result<CellRecord> parse_record(std::string_view json);
Result<BenchRun> read_run(const std::filesystem::path& path);  // plain, .gz or .zst
// The samples of all cells, f32 little endian, beside the run: RUN.samples and where each begins.
Result<void> write_samples(const BenchRun& run, const std::filesystem::path& path);

}  // namespace strobe::bench
