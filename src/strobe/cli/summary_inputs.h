#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/readers/run_reader.h"
#include "strobe/readers/trace_reader.h"

// The traces that the words of a command line mean: files, or folders with the ranks of a run.
namespace strobe::cli {

struct TraceFolder {
  std::string path;
  std::vector<readers::RankFiles> files;  // by rank if their names have one
  std::size_t first = 0;                  // position of its first trace among all
};

struct SummaryInputs {
  std::vector<std::filesystem::path> traces;
  std::vector<TraceFolder> folders;
};

Result<SummaryInputs> find_inputs(const std::vector<std::string>& typed);

// The traces of a folder must be the ranks of one run: by their names, or by what they record. Who
// types files knows that they belong together; in a folder anything may lie. `loaded` are all
// traces.
Result<void> expect_one_run(const TraceFolder& folder,
                            const std::vector<readers::LoadedTrace>& loaded);

}  // namespace strobe::cli
