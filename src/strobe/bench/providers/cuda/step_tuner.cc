#include "strobe/bench/providers/cuda/step_tuner.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

constexpr int kFirstSamples = 3;
constexpr int kFinalSamples = 10;
constexpr std::size_t kFinalists = 3;
constexpr double kBudgetMs = 1500;  // for the first round; the library's first three always run

struct Timed {
  std::size_t choice = 0;
  double us = 0;
};

class Tuner {
 public:
  Tuner(DeviceClock& clock, LibraryStep& step) : clock_(clock), step_(step) {}

  // Once, and wait: code is loaded, and a refusal shows before anything is held.
  Result<void> run(std::size_t choice) {
    STROBE_TRY_VOID(step_.enqueue(choice, 0));
    return clock_.device().synchronize();
  }

  Result<double> time(std::size_t choice, int samples) {
    std::vector<double> each;
    for (int i = 0; i < samples; ++i) {
      STROBE_TRY(const DeviceClock::Block block,
                 clock_.measure(
                     1, [&](int) { return clock_.flush().enqueue(FlushKind::kCold); },
                     [&](int) { return step_.enqueue(choice, 0); }));
      each.push_back(block.elapsed_us.front());
    }
    return stats::median_of(each);
  }

  bool must_stop(const Error& error) {
    return clock_.device().is_lost() || error.code == ErrorCode::kMachineLacks;
  }

 private:
  DeviceClock& clock_;
  LibraryStep& step_;
};

}  // namespace

Result<TunedStep> tune_step(DeviceClock& clock, LibraryStep& step, bool may_tune) {
  Tuner tuner(clock, step);
  const bool times = may_tune && step.choices() > 1;
  const auto start = std::chrono::steady_clock::now();
  TunedStep tuned;
  std::vector<Timed> timed;
  Result<void> refusal;
  for (std::size_t choice = 0; choice < step.choices(); ++choice) {
    const double spent_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (timed.size() >= kFinalists && spent_ms > kBudgetMs) break;
    if (const Result<void> ran = tuner.run(choice); !ran) {
      if (tuner.must_stop(ran.error())) return ran.error();
      refusal = ran.error();
      ++tuned.refused;
      continue;
    }
    ++tuned.tried;
    if (!times) {
      tuned.choice = choice;
      return tuned;
    }
    STROBE_TRY(const double us, tuner.time(choice, kFirstSamples));
    timed.push_back({choice, us});
  }
  if (timed.empty()) return refusal.error();
  std::ranges::stable_sort(timed, {}, &Timed::us);
  timed.resize(std::min(timed.size(), kFinalists));
  for (Timed& one : timed) {
    STROBE_TRY(one.us, tuner.time(one.choice, kFinalSamples));
  }
  const Timed best = *std::ranges::min_element(timed, {}, &Timed::us);
  tuned.choice = best.choice;
  tuned.us = best.us;
  STROBE_TRY_VOID(tuner.run(best.choice));  // what it leaves, the next step reads
  return tuned;
}

}  // namespace strobe::bench
