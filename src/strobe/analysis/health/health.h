#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/trace/import_report.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// Whether a recording can carry the answer that is made of it.
enum class HealthVerdict : std::uint8_t {
  kComplete,
  kUsable,  // something is missing or doubtful: the remarks say what it does to the numbers
  kNotFor,  // there are questions that it cannot answer
};
std::string_view word_of(HealthVerdict verdict);  // "complete", "usable", "not_for"

// One thing that was seen, and what it does to the answer.
struct HealthRemark {
  std::string code;  // stable, for tools: "launched_before_recording"
  // What it makes of the recording by itself; kComplete: it is only worth knowing.
  HealthVerdict verdict = HealthVerdict::kUsable;
  std::string seen;         // "463 of 1,517 kernels, copies and memsets (30.5 %) have no ..."
  std::string consequence;  // "operator times on the GPU are too low by up to 9.75 ms"
  std::string advice = {};
  std::string not_for = {};  // "times on the GPU": only with kNotFor
  std::uint64_t count = 0;
  std::uint64_t of = 0;  // what `count` is a part of; 0: of nothing that can be counted
  // Of several ranks, those in which it was seen, the worst first, which `seen` is about. Empty for
  // one trace, and for what is about the ranks together.
  std::vector<std::string> ranks = {};

  double share() const {
    return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
  }
};

using MaybeRemark = std::optional<HealthRemark>;

struct Health {
  HealthVerdict verdict = HealthVerdict::kComplete;
  std::vector<HealthRemark> remarks;  // the worst first
};

// "complete", "usable, but not complete", "not for times on the GPU".
std::string verdict_text(const Health& health);

Health judge_health(const Trace& trace, const ImportReport& import);

// One rank of a run.
struct RankHealthInput {
  std::string name;
  const Trace* trace = nullptr;
  const ImportReport* import = nullptr;
};

// Of a run: each rank by itself, where one remark stands for all ranks in which it was seen, and
// the ranks together. Of one rank, the same as above.
Health judge_health(std::span<const RankHealthInput> ranks);

}  // namespace strobe::analysis
