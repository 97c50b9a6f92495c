#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/fleet/digest/rank_digest.h"
#include "strobe/trace/trace.h"

// From the traces of a job to its ranks: which trace is which rank.
namespace strobe::fleet {

inline constexpr std::int32_t kNoRank = -1;  // the trace does not say it

// The digest of a trace, without its place: that is another one if the file is moved. Its rank is
// what the trace says. `where` is the trace's name in errors, `damage` what was lost while it was
// read.
Result<RankDigest> digest_of(const Trace& trace, const std::string& where,
                             const std::string& damage);

// Whether the names of a job's traces say which rank each is; else the traces do.
bool names_tell_ranks(std::span<const std::optional<std::int32_t>> named);

// By rank. An error if a rank is not known, or has two traces; `job` is its name.
Result<void> order_by_rank(std::vector<RankDigest>& digests, const std::string& job);

// One rank is no job.
Error only_one_rank(std::string where, std::string hint);

}  // namespace strobe::fleet
