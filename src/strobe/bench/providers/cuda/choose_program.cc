#include "strobe/bench/providers/cuda/choose_program.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

struct Round {
  int samples;
  std::size_t kept;  // into the next one
};
constexpr std::array<Round, 3> kRounds = {{{5, 6}, {20, 2}, {60, 1}}};

struct Contender {
  std::size_t index;
  double median_us;
};

}  // namespace

Result<ProgramChoice> choose_program(ProgramTimer& timer, std::span<const KernelProgram> programs) {
  ProgramChoice choice;
  std::vector<Contender> left;
  for (std::size_t i = 0; i < programs.size(); ++i) left.push_back({i, 0});
  Error last = {.code = ErrorCode::kTooLittleData,
                .what = "there is no program to choose from",
                .where = "",
                .hint = ""};
  for (const Round& round : kRounds) {
    std::vector<Contender> timed;
    for (const Contender& one : left) {
      Result<std::vector<double>> times = timer.time(programs[one.index], round.samples);
      if (times) {
        timed.push_back({one.index, stats::median_of(*times)});
        continue;
      }
      last = std::move(times).error();
      // What has no room for one has none for the others: they share their tensors.
      if (timer.is_lost() || last.code == ErrorCode::kMachineLacks) return last;
      choice.failures.push_back(fmt::format("{}: {}", programs[one.index].label, last.what));
    }
    std::ranges::stable_sort(timed, {}, &Contender::median_us);
    if (timed.size() > round.kept) timed.resize(round.kept);
    left = std::move(timed);
    if (left.empty()) return last;
    if (left.size() == 1 && round.samples > kRounds.front().samples) break;
  }
  choice.index = left.front().index;
  choice.median_us = left.front().median_us;
  return choice;
}

}  // namespace strobe::bench
