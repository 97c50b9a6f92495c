#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/headroom/kernel_fusion.h"
#include "strobe/analysis/headroom/kernel_layers.h"
#include "strobe/analysis/headroom/kernel_roofline.h"
#include "strobe/analysis/headroom/kernel_sums.h"
#include "strobe/device/chips.h"
#include "strobe/device/kernel_family.h"
#include "strobe/trace/kernel_table.h"

namespace strobe::analysis {

struct StudyOptions {
  std::string chip;                           // "": the one that the file names
  Roofs roofs{.tensor = 0.90, .dram = 0.90};  // what is achievable
  std::optional<double> dram_bytes_per_s;     // measured roofs instead of data-sheet ones
  std::optional<double> l2_bytes_per_s;
  std::optional<double> flops;
};

// A kernel name of the table, in all its forms; rows share them.
struct KernelIdentity {
  std::string full;
  std::string mangled;  // "" if unknown
  std::string classic;  // as in the classic table
  std::string brief;    // short_name
  std::string detail;   // brief[what distinguishes it]
  device::KernelFamily family = device::KernelFamily::kOther;
  std::uint32_t alike = 0;  // the first identity with this detail, maybe itself
};

struct StudiedLaunch {
  std::uint32_t identity = 0;  // index into KernelStudy::identities
  KernelBound bound = KernelBound::kUnknown;
  bool is_short = false;
  bool is_clock_low = false;
};

// What a finding is based on.
struct FindingBasis {
  std::int64_t time_ns = 0;  // time of the kernels it is about
  double saved_ns = 0;       // upper bound; 0: nothing to gain
  std::uint64_t launches = 0;
  std::vector<std::size_t> rows;  // examples, the first few
  std::string confidence;         // "counted", "by names", "by structure"
};

// The result of analysing one table of kernels: every launch classified, and the totals. `table`
// must outlive it.
struct KernelStudy {
  const KernelTable* table = nullptr;
  StudyOptions options;
  std::optional<device::ChipPeaks> chip;  // nothing: fractions only
  std::vector<KernelIdentity> identities;
  std::vector<StudiedLaunch> launches;  // one per row of the table
  KernelSums totals;
  KernelSums under_10us;
  KernelSums under_20us;
  std::optional<KernelLayers> layers;
  FusionPlan fusion;
  Roofline roofline;
  std::vector<WorkUnit> work_units;   // latency x tensor share, by name; empty without counters
  std::vector<std::string> warnings;  // about the measurement: clocks, mixed devices, unknown chip
  std::vector<Finding> findings;      // advice with the time at stake, most first
  std::vector<FindingBasis> bases;    // one per finding

  KernelSample sample(std::size_t row) const;
  // The memory bandwidth that a DRAM percentage refers to; 0 if neither file nor chip says.
  double bus_bytes_per_s(std::size_t row) const;
  const KernelIdentity& identity(std::size_t row) const {
    return identities[launches[row].identity];
  }
};

KernelStudy study_kernels(const KernelTable& table, const StudyOptions& options = {});

// Facts about the measurement that a reader of the numbers must know, each with its consequence.
std::vector<std::string> kernel_warnings(const KernelStudy& study);

// The highest possible clock of a launch's multiprocessors; 0 if neither file nor chip says.
double most_clock_hz(const KernelStudy& study, std::size_t row);

struct KernelAdvice {
  Finding finding;
  FindingBasis basis;
};

// What to change first. The share of an advice is the time at stake: for chains that could be one
// kernel all of their time, for products that could run faster their headroom. No launch's headroom
// is counted twice.
std::vector<KernelAdvice> advise(const KernelStudy& study);

}  // namespace strobe::analysis
