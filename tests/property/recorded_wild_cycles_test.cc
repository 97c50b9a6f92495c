#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/property/recorded_pairs.h"
#include "tests/property/spoilt_runs.h"

// One wild cycle is no change of a run: of every recorded pair, the answer stays.
namespace strobe::compare {
namespace {

struct WildChoice {
  WildPart part;
  std::size_t which;
};

// The kernel that most rules look at, and one of all other parts.
std::vector<WildChoice> choices_in(const RankMeasure& rank, std::mt19937& dice) {
  constexpr WildPart kParts[] = {WildPart::kMetric, WildPart::kFunctionTime, WildPart::kIdle,
                                 WildPart::kLaunches};
  std::vector<WildChoice> choices = {{WildPart::kFunctionTime, longest_kernel(rank)},
                                     {WildPart::kCalls, longest_kernel(rank)}};
  const WildPart part = kParts[dice() % std::size(kParts)];
  const std::size_t count = count_of(rank, part);
  if (count > 0) choices.push_back({part, dice() % count});
  return choices;
}

// A pair with one of its runs spoilt.
struct SpoiltPair {
  SideFacts normal;
  SideFacts abnormal;

  explicit SpoiltPair(const RecordedPair& pair)
      : normal(recorded_run(pair.normal)), abnormal(recorded_run(pair.abnormal)) {}
  RankMeasure& rank(bool in_normal) { return (in_normal ? normal : abnormal).ranks.front(); }
  Comparison judged() const { return judged_sides(normal, abnormal); }
};

std::set<CauseKind> counted_facts(const Comparison& comparison) {
  std::set<CauseKind> facts = confident_facts(comparison);
  facts.erase(CauseKind::kLaunchBound);
  return facts;
}

TEST(RecordedWildCycle, of_a_metric_or_a_function_changes_neither_word_nor_confident_cause) {
  std::mt19937 dice(7);
  for (const RecordedPair& pair : recorded_pairs()) {
    const Said told = said_of(SpoiltPair(pair).judged());
    const bool in_normal = dice() % 2 == 0;
    for (const auto& [part, which] : choices_in(SpoiltPair(pair).rank(in_normal), dice)) {
      SpoiltPair spoilt(pair);
      RankMeasure& rank = spoilt.rank(in_normal);
      const std::size_t cycle = dice() % rank.cycles.cycles.size();
      const std::string what = spoil_cycle(rank, part, which, cycle);
      EXPECT_EQ(said_of(spoilt.judged()), told)
          << pair.name() << ": " << what << " in cycle " << cycle << " of the "
          << (in_normal ? "normal" : "abnormal") << " run";
    }
  }
}

// Of the cycles' means, and of what is typical of them: neither is sure to a hundredth.
bool hardly_differs(const Comparison& comparison) {
  const Change& cycle = comparison.cycles.front().ms;
  return cycle.drift_p > 0.01 && cycle.rank.p > 0.01;
}

// The cycle's own time is what the word is about: of runs that differ by nearly a tenth, or by
// nearly as much as equal runs do, one cycle may still decide whether that is unclear, and with it
// whether new code of the host, which only times tell, is beyond what equal runs do. Of a change
// that hardly is beyond chance it may decide that, too. It never turns an answer round, and makes
// and hides no cause that was counted or recorded. The first cycle is left out: if it alone takes
// long, that is a cold start.
TEST(RecordedWildCycle, itself_changes_the_word_of_few_pairs_and_no_recorded_fact) {
  std::mt19937 dice(7);
  std::size_t moved = 0;
  const std::vector<RecordedPair> pairs = recorded_pairs();
  for (const RecordedPair& pair : pairs) {
    const Comparison before = SpoiltPair(pair).judged();
    SpoiltPair spoilt(pair);
    const bool in_normal = dice() % 2 == 0;
    RankMeasure& rank = spoilt.rank(in_normal);
    const std::size_t cycle = 1 + dice() % (rank.cycles.cycles.size() - 1);
    lengthen_cycle(rank, cycle);
    const Comparison after = spoilt.judged();
    SCOPED_TRACE(pair.name() + ": cycle " + std::to_string(cycle) + " of the " +
                 (in_normal ? "normal" : "abnormal") + " run");
    EXPECT_EQ(counted_facts(after), counted_facts(before));
    const stats::Shift& was = before.cycles.front().ms.core_shift;
    const stats::Shift& is = after.cycles.front().ms.core_shift;
    EXPECT_TRUE(is.low <= was.high && was.low <= is.high) << "the intervals of one difference";
    if (said_of(after) == said_of(before)) continue;
    ++moved;
    const auto is_turned = [&](Answer one, Answer other) {
      return before.answer == one && after.answer == other;
    };
    EXPECT_FALSE(is_turned(Answer::kSlower, Answer::kFaster) ||
                 is_turned(Answer::kFaster, Answer::kSlower))
        << said_of(before) << " became " << said_of(after);
    if (hardly_differs(before) || hardly_differs(after)) continue;
    EXPECT_TRUE(after.answer == Answer::kUnclear || before.answer == Answer::kUnclear)
        << said_of(before) << " became " << said_of(after);
  }
  EXPECT_LE(20 * moved, pairs.size());
}

}  // namespace
}  // namespace strobe::compare
