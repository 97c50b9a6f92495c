#include "strobe/fleet/digest/rank_numbers.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe::fleet {
namespace {

bool names_tell_ranks(const std::vector<DigestedFile>& files) {
  std::set<std::optional<std::int32_t>> seen;
  for (const DigestedFile& file : files) seen.insert(file.named);
  return files.size() > 1 && seen.size() == files.size() && !seen.contains(std::nullopt);
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

}  // namespace

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

Result<JobDigests> number_ranks(std::vector<DigestedFile> files, const std::string& job) {
  const bool named = names_tell_ranks(files);
  JobDigests found;
  for (DigestedFile& file : files) {
    if (!file.digest) {
      found.unreadable.push_back(std::move(file.digest).error());
      continue;
    }
    RankDigest& digest = found.digests.emplace_back(*std::move(file.digest));
    if (named) digest.rank = *file.named;
    if (files.size() == 1) digest.rank = std::max(0, digest.rank);
  }
  STROBE_TRY_VOID(order_by_rank(found.digests, job));
  return found;
}

Error only_one_rank(std::string where, std::string hint) {
  return {.code = ErrorCode::kTooLittleData,
          .what = "there is one rank, and whom it holds up only other ranks can tell",
          .where = std::move(where),
          .hint = std::move(hint)};
}

Result<void> check_complete(const JobDigests& found, std::size_t allow_missing,
                            const std::string& job, const CompletenessHints& hints) {
  const std::size_t missing = found.unreadable.size();
  const std::size_t ranks = found.digests.size();
  if (missing > 0 && (ranks == 0 || missing > allow_missing)) {
    Error error = found.unreadable.front();
    if (missing > 1) {
      error.what += fmt::format(" (and {} cannot be read)", counted(missing - 1, "other file"));
    }
    if (ranks > 1) {
      error.hint =
          fmt::format("{}{} answers for the other {} ranks", hints.allow_missing, missing, ranks);
    }
    return error;
  }
  if (ranks > 1) return {};
  return only_one_rank(job, hints.one_rank);
}

}  // namespace strobe::fleet
