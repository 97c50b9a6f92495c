#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/compare/comparison.h"

// The steps from measured sides to a Comparison, in execution order.
namespace strobe::compare {

// One rank in every run.
struct PairedRank {
  std::int32_t rank = 0;
  std::vector<const RankMeasure*> normals;
  std::vector<const RankMeasure*> abnormals;
};

// Renames ranks and devices of the other run to those of the normal run if they differ and
// `by_position` allows it; returns sentences on what was done. Fails if each run has something that
// the other lacks, because then nothing could be matched.
Result<std::vector<std::string>> align_with(const SideFacts& normal, SideFacts& other,
                                            bool by_position);

// No rank is in all runs; says which run has which.
Error no_common_rank(const SideFacts& normal, const SideFacts& abnormal,
                     const More<SideFacts>& more);

// Ranks that all runs have, ascending.
std::vector<PairedRank> pair_ranks(const SideFacts& normal, const SideFacts& abnormal,
                                   const More<SideFacts>& more);

// If only some of the runs alternate between short and long cycles, all become one type and the
// result is true: the types could not be compared.
bool unify_types(const std::vector<SideFacts*>& sides);

// One row per type of cycles, the most frequent one first. Ranks wait for each other, so their
// cycles are one observation: the mean over ranks if they have equally many, otherwise those of the
// first rank. Warm-up and cycles cut by the border of the trace are shown but not tested, unless
// kept.
std::vector<CycleRow> compare_cycles(const std::vector<PairedRank>& ranks, bool keep_partial);

// Series and devices alone, in cycles of one type; each kind of row is a family of tests.
std::vector<MetricRow> compare_series(const std::vector<PairedRank>& ranks,
                                      analysis::CycleType type);
std::vector<DeviceRow> compare_devices(const std::vector<PairedRank>& ranks,
                                       analysis::CycleType type);

// Idle causes and launch delays, likewise.
std::vector<IdleCauseRow> compare_idle(const std::vector<PairedRank>& ranks,
                                       analysis::CycleType type);
std::vector<LaunchRow> compare_launches(const std::vector<PairedRank>& ranks,
                                        analysis::CycleType type);

struct FunctionRows {
  std::vector<FunctionRow> functions;
  std::vector<TripletRow> triplets;
};

// Every function that any run has, in each type of cycles, with the metrics that any run has for
// it; q and verdicts included, scores not.
FunctionRows compare_functions(const std::vector<PairedRank>& ranks,
                               const std::vector<analysis::CycleType>& types);

// The verdict of a function row whose numbers are complete, including q.
Verdict verdict_of(const FunctionRow& row);

// The noise to expect between the two sides, from what sets the pace of their cycles and from their
// runs; of a comparison whose rows are complete.
RunNoise noise_between(const Comparison& comparison, const std::vector<PairedRank>& ranks);

// If a side has several runs, the answer on its cycles comes from them.
void use_runs(const RunNoise& noise, std::vector<CycleRow>& rows);

// Computes the scores of function rows and triplets.
void score_rows(Comparison& comparison);

// Sorts both by the key; ties by function, metric, device (bytes), then rank and type.
void sort_rows(Comparison& comparison, RankKey order);

// Facts that a reader should know before trusting the numbers: how the runs were cut, what was left
// out and why, how complete the samples are. Worst first.
std::vector<std::string> quality_of(const Comparison& comparison, const More<SideFacts>& more);

}  // namespace strobe::compare
