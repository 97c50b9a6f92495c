#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/ranks/late_ranks.h"
#include "strobe/analysis/tables/summary.h"

namespace strobe::analysis {

enum class FindingWeight : std::uint8_t { kNote, kWorthALook, kMatters };

// One sentence worth a reader's time: what was measured, why it matters, what to do.
struct Finding {
  std::string code;  // stable, for tools: "device_idle_host_bound"
  FindingWeight weight = FindingWeight::kNote;
  double share = 0;      // of the time it explains, 0..1: findings are ranked by weight, then share
  std::string headline;  // "GPU idle 38.2 % of the 5 steps (715 ms) while the host is in ..."
  std::string advice;    // "pin the host memory and copy without blocking"
  std::vector<std::string> against = {};  // evidence that speaks against it, a sentence each
};

// What is known of the input beside the trace itself.
struct FindingContext {
  bool is_cut_off = false;  // the file ends inside the trace: later events are missing
};

// The findings of one summary, most important first.
std::vector<Finding> find_in(const Trace& trace, const Summary& summary,
                             const FindingContext& context = {});

// One rank of a run.
struct RankSummary {
  std::string name;
  const Summary* summary = nullptr;
  const std::vector<Finding>* findings = nullptr;  // as find_in() returns them, if they are known
};

// The own time of a rank in an average step: the step minus exposed communication,
// which is mostly waiting for other ranks. Without steps, of the whole trace.
std::int64_t own_step_ns(const Summary& summary);

// The rank that keeps the others waiting, if it clearly has more work of its own. Step times do not
// show it: ranks that meet in collectives have equal steps however unequal their work is. A finding
// that this rank has and the others have not is told as the likely reason, here and below.
std::optional<Finding> find_straggler(const std::vector<RankSummary>& ranks);

// The ranks that come last to the collectives, in one finding; `lateness` is parallel to `ranks`.
// None if no rank is late, or if no collectives match: then find_straggler may tell.
std::vector<Finding> find_late_ranks(const std::vector<RankSummary>& ranks,
                                     const Lateness& lateness);

// For sentences: see base/text.h for the other numbers.
std::string share_text(double share);              // "9.6 %", also "0.0 %"
std::string place_text(const std::string& place);  // "gpu:0" of "Place(gpu:0)"

// Shortens a name to fit into a sentence. A long name of code first loses its namespaces and
// template arguments, and is then cut.
std::string short_name(const std::string& name);

// A frame without its folders: "train.py(31): step" of "/job/src/train.py(31): step".
std::string short_source(const std::string& source);

}  // namespace strobe::analysis
