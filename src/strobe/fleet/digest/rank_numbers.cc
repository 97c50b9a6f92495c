#include "strobe/fleet/digest/rank_numbers.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace strobe::fleet {

Result<RankDigest> digest_of(const Trace& trace, const std::string& where,
                             const std::string& damage) {
  if (trace.slice_count() == 0) {
    return Error{.code = ErrorCode::kTooLittleData,
                 .what = "it holds no events that can be read",
                 .where = where,
                 .hint = "record this rank again"};
  }
  const std::int32_t rank = trace.metadata().distributed.rank.value_or(kNoRank);
  return make_rank_digest(trace, rank,
                          {.file = {}, .host = {}, .fingerprint = {}, .damage = damage});
}

bool names_tell_ranks(std::span<const std::optional<std::int32_t>> named) {
  const std::set<std::optional<std::int32_t>> seen(named.begin(), named.end());
  return named.size() > 1 && seen.size() == named.size() && !seen.contains(std::nullopt);
}

Result<void> order_by_rank(std::vector<RankDigest>& digests, const std::string& job) {
  std::ranges::sort(digests, [](const RankDigest& a, const RankDigest& b) {
    return std::tie(a.rank, a.file) < std::tie(b.rank, b.file);
  });
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const RankDigest& one = digests[i];
    if (one.rank == kNoRank && digests.size() > 1) {
      return Error{ErrorCode::kMalformed,
                   "neither the name nor the content of a trace says its rank", one.file,
                   "put each rank into its own folder: rank0/, rank1/, ..."};
    }
    if (i > 0 && digests[i - 1].rank == one.rank) {
      return Error{ErrorCode::kMalformed,
                   fmt::format("two traces are of rank {}: '{}' and '{}'", one.rank,
                               digests[i - 1].file, one.file),
                   job, "leave one of them in the folder"};
    }
  }
  return {};
}

Error only_one_rank(std::string where, std::string hint) {
  return {.code = ErrorCode::kTooLittleData,
          .what = "there is one rank, and whom it holds up only other ranks can tell",
          .where = std::move(where),
          .hint = std::move(hint)};
}

}  // namespace strobe::fleet
