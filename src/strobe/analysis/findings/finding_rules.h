#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// Runtime calls of one kind.
struct CallTotals {
  TimeStat time;
  std::string longest;  // name of the one that took most of it
};

// What the rules look at, gathered once.
struct Evidence {
  Evidence(const Trace& the_trace, const Summary& its_summary)
      : trace(the_trace), summary(its_summary), device(the_trace.traits().device_label) {}

  const Trace& trace;
  const Summary& summary;
  std::string device;  // "GPU"

  std::int64_t labelled_ns = 0;  // all steps together
  std::int64_t label_ns[kStepLabels] = {};
  DeviceUse use;     // of the whole span
  TimeStat kernels;  // of all names
  std::int64_t median_kernel_ns = 0;
  TimeStat tiny_kernels;  // below kTinyKernelNs
  CallTotals launches;    // calls that start device work
  CallTotals waits;       // calls that wait for the device
  bool has_operators = false;
  std::uint64_t device_slices = 0;
  std::uint64_t unfinished_slices = 0;

  double share_of(StepLabel label) const;  // of labelled_ns
  double launching_share() const;  // the device idle, the host in runtime calls or other code
  // "the 3 steps", or "the trace": what shares are shares of.
  std::string whole_text() const;
};

inline constexpr std::int64_t kTinyKernelNs = 5'000;

Evidence gather_evidence(const Trace& trace, const Summary& summary);

// Adds a finding if the rule applies and the finding matters.
using FindingRule = std::optional<Finding> (*)(const Evidence& evidence);

std::span<const FindingRule> finding_rules();

}  // namespace strobe::analysis
