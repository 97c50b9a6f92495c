#include "strobe/bench/providers/codegen/tuner.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "strobe/bench/providers/codegen/source_text.h"
#include "strobe/bench/providers/stop_watch.h"

namespace strobe::bench {
namespace {

std::function<double()> host_clock() {
  return [watch = StopWatch()] { return watch.ms(); };
}

struct Entrant {
  std::size_t index = 0;
  std::vector<double> samples_us;
  double typical_us = 0;
};

// A median has the coarse steps of the device's clock; this is finer and as robust to outliers.
double middle_mean(std::vector<double> samples) {
  std::ranges::sort(samples);
  const std::size_t aside = samples.size() / 4;
  const std::span<const double> middle(samples.data() + aside, samples.size() - 2 * aside);
  return std::accumulate(middle.begin(), middle.end(), 0.0) / static_cast<double>(middle.size());
}

Result<void> time_more(ProgramTimer& timer, const KernelProgram& program, int samples,
                       Entrant& entrant) {
  STROBE_TRY(const std::vector<double> times, timer.time(program, samples));
  if (times.empty()) return Error{ErrorCode::kTooLittleData, "no sample came back", "", ""};
  entrant.samples_us.insert(entrant.samples_us.end(), times.begin(), times.end());
  entrant.typical_us = middle_mean(entrant.samples_us);
  return {};
}

// The number of samples for the round, reduced if the time left would not suffice.
int samples_within(double left_ms, int wanted, const std::vector<Entrant>& left) {
  double once_ms = 0;
  for (const Entrant& one : left) once_ms += one.typical_us / 1e3;
  if (once_ms * wanted <= left_ms) return wanted;
  if (left_ms <= 0) return TuneOptions::kFewest;
  return std::max(TuneOptions::kFewest, static_cast<int>(left_ms / once_ms));
}

}  // namespace

Result<Tuned> tune(ProgramTimer& timer, std::span<const KernelProgram> candidates,
                   const TuneOptions& options) {
  if (candidates.empty()) {
    return Error{ErrorCode::kTooLittleData, "there is no program to choose from", "", ""};
  }
  Tuned tuned;
  std::vector<Entrant> left;
  for (std::size_t i = 0; i < candidates.size(); ++i) left.push_back({i, {}, 0});
  std::optional<Error> first_error;
  const std::function<double()> elapsed_ms = options.elapsed_ms ? options.elapsed_ms : host_clock();
  for (const TuneRound& round : options.rounds) {
    std::vector<Entrant> timed;
    const bool is_first = &round == &options.rounds.front();
    const double left_ms = options.budget_ms - elapsed_ms();
    const int often = round.samples * options.short_factor;
    const bool is_short = !is_first && left.front().typical_us <= options.short_us;
    const int samples =
        is_first ? round.samples : samples_within(left_ms, is_short ? often : round.samples, left);
    for (Entrant& entrant : left) {
      if (is_first && !timed.empty() && elapsed_ms() > options.budget_ms) {
        tuned.skipped = static_cast<int>(candidates.size() - entrant.index);
        break;
      }
      const KernelProgram& program = candidates[entrant.index];
      Result<void> done = time_more(timer, program, samples, entrant);
      if (done && is_first && entrant.typical_us <= options.short_us) {
        done = time_more(timer, program, often - samples, entrant);
      }
      if (done) {
        timed.push_back(std::move(entrant));
        continue;
      }
      Error error = std::move(done).error();
      if (timer.is_lost() || error.code == ErrorCode::kOutOfMemory) return error;
      tuned.failures.push_back(cat(program.label, ": ", error.what));
      if (!first_error) first_error = std::move(error);
    }
    if (timed.empty()) return *first_error;
    if (is_first) tuned.timed = static_cast<int>(timed.size());
    std::ranges::stable_sort(timed, {}, &Entrant::typical_us);
    const double limit = timed.front().typical_us * options.hopeless;
    std::erase_if(timed, [&](const Entrant& one) { return one.typical_us > limit; });
    if (timed.size() > round.survivors) timed.resize(round.survivors);
    left = std::move(timed);
    if (left.size() == 1) break;
  }
  tuned.index = left.front().index;
  tuned.typical_us = left.front().typical_us;
  return tuned;
}

}  // namespace strobe::bench
