#include "strobe/serve/served_run.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "strobe/serve/open_trace.h"

namespace strobe::serve {
namespace {

// "a/rank3" is a rank of "a".
bool is_rank_of(const FoundTrace& trace, std::string_view run) {
  return readers::is_rank_folder(trace.path.parent_path()) && trace.run.size() > run.size() &&
         trace.run.starts_with(run) && trace.run[run.size()] == '/' &&
         trace.run.find('/', run.size() + 1) == std::string::npos;
}

template <class Belongs>
std::vector<FoundTrace> those(const std::vector<FoundTrace>& files, Belongs belongs) {
  std::vector<FoundTrace> found;
  std::ranges::copy_if(files, std::back_inserter(found), belongs);
  return found;
}

std::string last_part(std::string_view name) {
  return std::string(name.substr(name.rfind('/') + 1));
}

}  // namespace

std::string stamp_text(const FileStamp& stamp) {
  return fmt::format("{} {} {} {} {}", stamp.device, stamp.inode, stamp.bytes, stamp.modified_ns,
                     stamp.changed_ns);
}

std::string ServedRun::content_key() const {
  std::string key = name;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    key += fmt::format("\n{}: {}", traces[i].name, stamp_text(traces[i].stamp));
    const auto& metrics = files[i].metrics;
    const auto stamp = metrics ? stamp_of(*metrics) : std::nullopt;
    if (stamp) key += fmt::format(", {}", stamp_text(*stamp));
  }
  return key;
}

Result<ServedRun> find_run(std::string_view parameter, const std::string& name,
                           const std::vector<FoundTrace>& files) {
  ServedRun run;
  run.name = name;
  run.traces = those(files, [&](const FoundTrace& one) { return one.run == name; });
  if (run.traces.empty()) {
    run.traces = those(files, [&](const FoundTrace& one) { return is_rank_of(one, name); });
  }
  if (run.traces.empty()) {
    run.traces = those(files, [&](const FoundTrace& one) { return one.name == name; });
  }
  if (run.traces.empty()) {
    return Error{.code = ErrorCode::kNotFound,
                 .what = fmt::format("no run or trace is called '{}'", name),
                 .where = std::string(parameter),
                 .hint = "see /api/v1/runs"};
  }
  for (const FoundTrace& trace : run.traces) {
    run.files.push_back(readers::rank_files_of(trace.path));
  }
  return run;
}

Result<Run> open_run(const ServedRun& served, const TraceLookup& traces) {
  std::vector<readers::RankTrace> opened;
  std::optional<Error> missing;
  for (const FoundTrace& found : served.traces) {
    // All are asked for, so that all are on their way.
    auto open = traces(found.name);
    if (!open) {
      if (!missing) missing = open.error();
      continue;
    }
    opened.push_back({.name = found.name,
                      .trace = std::shared_ptr<const Trace>(*open, &(*open)->trace()),
                      .import = (*open)->report()});
  }
  if (missing) return *missing;
  auto samples = readers::read_samples(served.files);
  if (!samples) {
    Error error = samples.error();
    error.where = served.name + "/" + last_part(error.where);
    return error;
  }
  Run run;
  run.label = served.name;
  STROBE_TRY(run.ranks,
             readers::capture_ranks(served.files, *samples, std::move(opened), served.name));
  return run;
}

}  // namespace strobe::serve
