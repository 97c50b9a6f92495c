#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/readers/run_reader.h"
#include "strobe/serve/api.h"
#include "strobe/serve/run_folder.h"

namespace strobe::serve {

// What a request names as a run, on disk: the traces of one folder, of its rank0/, rank1/, ..., or
// a single trace; with the samples that belong to them.
struct ServedRun {
  std::string name;
  std::vector<FoundTrace> traces;
  std::vector<readers::RankFiles> files;  // per trace

  // Changes with the content of any of its files.
  std::string content_key() const;
};

// Changes when the file does.
std::string stamp_text(const FileStamp& stamp);

// `parameter` is what errors call the culprit.
Result<ServedRun> find_run(std::string_view parameter, const std::string& name,
                           const std::vector<FoundTrace>& files);

// The run of traces that are loaded already; an error for the first that is not.
Result<Run> open_run(const ServedRun& served, const TraceLookup& traces);

}  // namespace strobe::serve
