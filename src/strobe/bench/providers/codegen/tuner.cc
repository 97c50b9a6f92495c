#include "strobe/bench/providers/codegen/tuner.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "strobe/bench/providers/codegen/source_text.h"
#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

std::function<double()> host_clock() {
  const auto start = std::chrono::steady_clock::now();
  return [start] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
  };
}

struct Contender {
  std::size_t index = 0;
  std::vector<double> samples_us;
  double median_us = 0;
};

// As many as the round wants, or as the time that is left allows if all take as long as they did.
int samples_within(double left_ms, const TuneRound& round, const std::vector<Contender>& left) {
  double once_ms = 0;
  for (const Contender& one : left) once_ms += one.median_us / 1e3;
  if (once_ms * round.samples <= left_ms) return round.samples;
  return std::max(TuneOptions::kFewest, static_cast<int>(left_ms / once_ms));
}

}  // namespace

Result<Tuned> tune(ProgramTimer& timer, std::span<const KernelProgram> candidates,
                   const TuneOptions& options) {
  if (candidates.empty()) {
    return Error{ErrorCode::kTooLittleData, "there is no program to choose from", "", ""};
  }
  Tuned tuned;
  std::vector<Contender> left;
  for (std::size_t i = 0; i < candidates.size(); ++i) left.push_back({i, {}, 0});
  std::optional<Error> first_error;
  const std::function<double()> elapsed_ms = options.elapsed_ms ? options.elapsed_ms : host_clock();
  for (const TuneRound& round : options.rounds) {
    std::vector<Contender> timed;
    const bool is_first = &round == &options.rounds.front();
    const double left_ms = options.budget_ms - elapsed_ms();
    const int samples = is_first ? round.samples : samples_within(left_ms, round, left);
    for (Contender& contender : left) {
      if (is_first && !timed.empty() && elapsed_ms() > options.budget_ms) {
        tuned.skipped = static_cast<int>(candidates.size() - contender.index);
        break;
      }
      const KernelProgram& program = candidates[contender.index];
      Result<std::vector<double>> times = timer.time(program, samples);
      if (times && !times->empty()) {
        tuned.samples += static_cast<int>(times->size());
        contender.samples_us.insert(contender.samples_us.end(), times->begin(), times->end());
        contender.median_us = stats::median_of(contender.samples_us);
        timed.push_back(std::move(contender));
        continue;
      }
      Error error = times ? Error{ErrorCode::kTooLittleData, "no sample came back", "", ""}
                          : std::move(times).error();
      if (timer.is_lost() || error.code == ErrorCode::kMachineLacks) return error;
      tuned.failures.push_back(cat(program.label, ": ", error.what));
      if (!first_error) first_error = std::move(error);
    }
    if (timed.empty()) return *first_error;
    if (is_first) tuned.timed = static_cast<int>(timed.size());
    std::ranges::stable_sort(timed, {}, &Contender::median_us);
    tuned.runner_up_us = timed.size() > 1 ? timed[1].median_us : 0;
    const double limit = timed.front().median_us * options.hopeless;
    std::erase_if(timed, [&](const Contender& one) { return one.median_us > limit; });
    if (timed.size() > round.survivors) timed.resize(round.survivors);
    left = std::move(timed);
    if (left.size() == 1) break;
  }
  tuned.index = left.front().index;
  tuned.median_us = left.front().median_us;
  return tuned;
}

}  // namespace strobe::bench
