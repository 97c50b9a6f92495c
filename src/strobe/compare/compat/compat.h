#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/base/result.h"
#include "strobe/trace/run.h"

// Two runs compared as in an older report, whose readers know its numbers: few samples, no
// clipping, values rounded before they are tested. strobe's own method is in comparison.h.
namespace strobe::compare {

// One function with one metric on one device. A side that lacks it has means of 0 and no values.
struct CompatRow {
  std::string function;
  std::string metric;
  std::string device;
  std::size_t n_normal = 0;  // cycles in which the function ran and the metric was sampled
  std::size_t n_abnormal = 0;
  double suspicion = 0;    // |dbeta| * (|z_beta| + |z_log_mu|)
  double beta_normal = 0;  // percent of the cycle's time, added over tracks
  double beta_abnormal = 0;
  double dbeta = 0;
  double z_beta = 0;  // in deviations of the normal run
  double p_beta = 1;  // Welch's; NaN if both runs are one constant
  double u_beta = 1;  // Mann and Whitney's
  double mu_normal = 0;
  double mu_abnormal = 0;
  double dmu = 0;
  double z_mu = 0;
  double z_log_mu = 0;
  double p_mu = 1;
  double u_mu = 1;
};

struct CompatSide {
  std::string folder;             // name of the folder that holds the run
  std::string process;            // of the marker; "" if there is none
  std::vector<double> cycles_us;  // in time order
};

struct CompatComparison {
  CompatSide normal;
  CompatSide abnormal;
  std::vector<CompatRow> rows;  // by suspicion, the largest first; ties by function, metric, device
};

// Uses the first rank of each run, cut into cycles. An error says why a run has none.
Result<CompatComparison> compare_compat(const Run& normal, const Run& abnormal,
                                        const analysis::CycleOptions& options = {});

// The same with known cycles.
CompatComparison compare_compat(const Run& normal, const analysis::CycleList& normal_cycles,
                                const Run& abnormal, const analysis::CycleList& abnormal_cycles);

// A function worth a paragraph: its first row, and its rows with a changed metric.
struct CompatFinding {
  std::size_t row = 0;  // of CompatComparison::rows
  std::vector<std::size_t> metric_rows;
};
inline constexpr double kCompatThreshold = 10;  // of suspicion

std::vector<CompatFinding> compat_findings(const std::vector<CompatRow>& rows);

}  // namespace strobe::compare
