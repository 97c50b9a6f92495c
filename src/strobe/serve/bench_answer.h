#pragma once

#include <span>
#include <string>
#include <string_view>

#include "strobe/base/json_write.h"
#include "strobe/bench/judge/ratio_checks.h"
#include "strobe/bench/results/cell_record.h"
#include "strobe/bench/results/ratio_grid.h"
#include "strobe/serve/run_folder.h"

// The bodies of /api/v1/bench: the list of files, and the content of one of them.
namespace strobe::serve {

// The member "bench_files".
void write_bench_files(JsonWriter& json, std::span<const FoundBench> files);
std::string bench_list_answer(std::span<const FoundBench> files);

// `name` is the file's name in the request.
std::string bench_run_answer(std::string_view name, const bench::BenchRun& run);
std::string bench_grids_answer(std::string_view name, const bench::RatioGrids& grids,
                               std::span<const bench::IdentityCheck> identities);

}  // namespace strobe::serve
