#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "strobe/trace/run.h"
#include "tests/support/sketch.h"

namespace strobe {

// Milliseconds of a rank's own work in six cycles: like the others, and 1.5 times as long.
inline const std::vector<double> kUsual = {6.0, 6.1, 6.0, 5.9, 6.0, 6.1};
inline const std::vector<double> kSlow = {9.0, 9.1, 9.0, 8.9, 9.0, 9.1};

inline std::int64_t whole_ns(double ms) { return static_cast<std::int64_t>(ms * 1e6); }

inline RankCapture capture_of(std::int32_t rank, Sketch& sketch) {
  return {.rank = rank,
          .path = "rank" + std::to_string(rank) + "/trace.json",
          .trace = std::make_shared<const Trace>(sketch.trace()),
          .import = {},
          .metrics = {},
          .metric_remarks = {}};
}

// One rank of a run that meets the others in a collective at the end of each cycle: its own kernel
// takes `own_ms[i]` in cycle i, and the collective the rest of `cycle_ms`.
inline RankCapture rank_capture(std::int32_t rank, const std::vector<double>& own_ms,
                                double cycle_ms) {
  Sketch sketch;
  for (std::size_t i = 0; i < own_ms.size(); ++i) {
    const std::int64_t start_ns = whole_ns(cycle_ms) * static_cast<std::int64_t>(i);
    sketch.thread(1).slice("ProfilerStep#" + std::to_string(i), SliceKind::kStep, start_ns,
                           whole_ns(cycle_ms));
    sketch.stream(rank, 7)
        .slice("gemm", SliceKind::kKernel, start_ns, whole_ns(own_ms[i]))
        .slice("all_reduce", SliceKind::kKernel, start_ns + whole_ns(own_ms[i]),
               whole_ns(cycle_ms) - whole_ns(own_ms[i]))
        .flags(kCommunicates);
  }
  return capture_of(rank, sketch);
}

// The same without a device: its own operator and a library's exchange run on the host, the latter
// on a thread of its own.
inline RankCapture host_rank_capture(std::int32_t rank, const std::vector<double>& own_ms,
                                     double cycle_ms) {
  Sketch sketch;
  for (std::size_t i = 0; i < own_ms.size(); ++i) {
    const std::int64_t start_ns = whole_ns(cycle_ms) * static_cast<std::int64_t>(i);
    sketch.thread(1)
        .slice("ProfilerStep#" + std::to_string(i), SliceKind::kStep, start_ns, whole_ns(cycle_ms))
        .slice("aten::mm", SliceKind::kOperator, start_ns, whole_ns(own_ms[i]))
        .slice("c10d::allreduce_", SliceKind::kOperator, start_ns + whole_ns(own_ms[i]), 1000)
        .flags(kCommunicates);
    sketch.thread(2)
        .slice("gloo:all_reduce", SliceKind::kCommunication, start_ns + whole_ns(own_ms[i]),
               whole_ns(cycle_ms) - whole_ns(own_ms[i]))
        .flags(kCommunicates);
  }
  return capture_of(rank, sketch);
}

inline Run host_ranked_run(const std::string& label, const std::vector<std::vector<double>>& own_ms,
                           double cycle_ms) {
  Run run = {.label = label, .folder = label, .ranks = {}};
  for (std::size_t rank = 0; rank < own_ms.size(); ++rank) {
    run.ranks.push_back(host_rank_capture(static_cast<std::int32_t>(rank), own_ms[rank], cycle_ms));
  }
  return run;
}

// Ranks 0, 1, 2, ... with these own times.
inline Run ranked_run(const std::string& label, const std::vector<std::vector<double>>& own_ms,
                      double cycle_ms) {
  Run run = {.label = label, .folder = label, .ranks = {}};
  for (std::size_t rank = 0; rank < own_ms.size(); ++rank) {
    run.ranks.push_back(rank_capture(static_cast<std::int32_t>(rank), own_ms[rank], cycle_ms));
  }
  return run;
}

}  // namespace strobe
