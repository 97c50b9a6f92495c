#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/compare/comparison.h"

// The steps from measured sides to a Comparison, in the order in which they are taken.
namespace strobe::compare {

// One rank in every run.
struct PairedRank {
  std::int32_t rank = 0;
  std::vector<const RankMeasure*> normals;  // the normal run, then the baselines
  const RankMeasure* abnormal = nullptr;
};

// Gives the other run's ranks and devices the names that normal's have, where they differ and
// `by_position` allows it; returns sentences on what was done. An error where each run has
// something that the other lacks, because then nothing would be compared with its like.
Result<std::vector<std::string>> align_with(const SideFacts& normal, SideFacts& other,
                                            bool by_position);

// Ranks that all runs have, ascending.
std::vector<PairedRank> pair_ranks(const SideFacts& normal, const SideFacts& abnormal,
                                   const std::vector<SideFacts>& baselines);

// If only some of the runs alternate between short and long cycles, all become one type and the
// answer is true: there would be nothing to compare them with.
bool unify_types(const std::vector<SideFacts*>& sides);

// One row per type of cycles, the most frequent one first. Ranks wait for each other, so that their
// cycles are one observation: the mean over ranks, where they have equally many, else those of the
// first rank. Cycles that the trace's border cut are shown and not tested, unless kept.
std::vector<CycleRow> compare_cycles(const std::vector<PairedRank>& ranks, bool keep_partial);

// Series and devices by themselves, in cycles of one type; each kind of row is a family of tests.
std::vector<MetricRow> compare_series(const std::vector<PairedRank>& ranks,
                                      analysis::CycleType type);
std::vector<DeviceRow> compare_devices(const std::vector<PairedRank>& ranks,
                                       analysis::CycleType type);

struct FunctionRows {
  std::vector<FunctionRow> functions;
  std::vector<TripletRow> triplets;
};

// Every function that any run has, in each type of cycles, with the metrics that any run has for
// it; q and verdicts included, scores not.
FunctionRows compare_functions(const std::vector<PairedRank>& ranks,
                               const std::vector<analysis::CycleType>& types);

// What is said of a function row whose numbers are complete, q included.
Verdict verdict_of(const FunctionRow& row);

// Gives function rows and triplets their scores.
void score_rows(Comparison& comparison);

// Sorts both by the key; ties by function, metric, device (bytes), then rank and type.
void sort_rows(Comparison& comparison, RankKey order);

// What a reader should know before believing the numbers: how the runs were cut, what was left out
// and why, how well samplers kept up. Worst first.
std::vector<std::string> quality_of(const Comparison& comparison,
                                    const std::vector<SideFacts>& baselines);

}  // namespace strobe::compare
