#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/bench/results/cell_record.h"

// A run as one JSON file: {"schema":"strobe.bench/1","header":{…},"cells":[…]};
// docs/formats/bench_json.md.
namespace strobe::bench {

std::string to_json(const BenchRun& run);
// After a byte order mark and blanks: JSON, and JSON of a run. Tables of ratios are CSV.
bool looks_like_json(std::string_view head);
bool looks_like_run(std::string_view head);
// Unknown keys are ignored. A record that cannot be used becomes a remark of the run, with its
// place; an error if none can be used.
Result<BenchRun> parse_run(std::string_view json, std::string_view name);
// Plain, .gz or .zst; an error if it, or its samples, hold more than `most_bytes`.
Result<BenchRun> read_run(const std::filesystem::path& path,
                          std::uint64_t most_bytes = std::uint64_t{4} << 30);
// The samples of all cells one after the other, f32 little endian; the run says where each cell's
// samples begin, and read_run finds them under samples_path.
std::filesystem::path samples_path(const std::filesystem::path& run);  // RUN.samples
Result<void> write_samples(const BenchRun& run, const std::filesystem::path& path);

}  // namespace strobe::bench
