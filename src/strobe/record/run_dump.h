#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/record/run_manifest.h"

// What a flight recorder gives out: a folder of a run with what its parts hold now.
namespace strobe::record {

// The dumps in the folder of a run, by number: dump-1, dump-2.
std::vector<std::int64_t> dump_numbers(const std::filesystem::path& folder);
std::filesystem::path dump_folder(const std::filesystem::path& folder, std::int64_t number);

// Joins all parts in the folder into the next dump, which appears whole or not at all. `describe`
// gives its entry in run.json when its other files are there.
using DescribeDump = std::function<Recording(const std::filesystem::path& dump)>;
Result<std::filesystem::path> write_dump(const std::filesystem::path& folder,
                                         const DescribeDump& describe);

// The program has ended: this recorder's parts, or all, become whole files in the folder itself.
// What cannot be joined stays as parts.
Result<void> join_last_parts(const std::filesystem::path& folder,
                             std::optional<std::int64_t> recorder);

// The same for a run whose recorder was killed. kInvalidArgument while somebody still records into
// the folder, kNotFound if it holds no run.
Result<void> join_parts_of_killed(const std::filesystem::path& folder);

}  // namespace strobe::record
