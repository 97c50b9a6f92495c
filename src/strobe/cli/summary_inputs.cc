#include "strobe/cli/summary_inputs.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace strobe::cli {
namespace {

using readers::RankFiles;
using OptionalRank = std::optional<std::int32_t>;

// Folders list rank10 before rank2.
void sort_by_named_rank(std::vector<RankFiles>& files) {
  const auto has_rank = [](const RankFiles& one) { return one.rank.has_value(); };
  if (std::ranges::all_of(files, has_rank)) std::ranges::stable_sort(files, {}, &RankFiles::rank);
}

bool are_distinct(const std::vector<OptionalRank>& ranks) {
  const std::set<OptionalRank> seen(ranks.begin(), ranks.end());
  return seen.size() == ranks.size() && !seen.contains(std::nullopt);
}

}  // namespace

Result<SummaryInputs> find_inputs(const std::vector<std::string>& typed) {
  SummaryInputs inputs;
  for (const std::string& path : typed) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
      inputs.traces.emplace_back(path);
      continue;
    }
    STROBE_TRY(std::vector<RankFiles> files, readers::find_ranks(path));
    sort_by_named_rank(files);
    const std::size_t first = inputs.traces.size();
    for (const RankFiles& one : files) inputs.traces.push_back(one.trace);
    inputs.folders.push_back({path, std::move(files), first});
  }
  return inputs;
}

Result<void> expect_one_run(const TraceFolder& folder,
                            const std::vector<readers::LoadedTrace>& loaded) {
  if (folder.files.size() < 2) return {};
  std::vector<OptionalRank> named;
  std::vector<OptionalRank> recorded;
  for (std::size_t i = 0; i < folder.files.size(); ++i) {
    named.push_back(folder.files[i].rank);
    recorded.push_back(loaded[folder.first + i].trace.metadata().distributed.rank);
  }
  if (are_distinct(named) || are_distinct(recorded)) return {};
  const std::filesystem::path& trace = folder.files[0].trace;
  return Error{.code = ErrorCode::kMalformed,
               .what = fmt::format("the folder holds {} traces that are not the ranks of one run "
                                   "('{}', '{}')",
                                   folder.files.size(), trace.filename().string(),
                                   folder.files[1].trace.filename().string()),
               .where = folder.path,
               .hint = fmt::format("give one of them: `strobe summary {}`", trace.string())};
}

}  // namespace strobe::cli
