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
  std::string chip;                           // "" : as the file names it
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
  std::string detail;   // brief[what tells it apart]
  device::KernelFamily family = device::KernelFamily::kOther;
  std::uint32_t alike = 0;  // the first identity with this detail, maybe itself
};

struct StudiedLaunch {
  std::uint32_t identity = 0;  // index into KernelStudy::identities
  KernelBound bound = KernelBound::kUnknown;
  bool is_short = false;
  bool is_clock_low = false;
};

// What a finding rests on.
struct FindingBasis {
  std::int64_t time_ns = 0;  // of the kernels it speaks of
  double saved_ns = 0;       // at most; 0: nothing to win
  std::uint64_t launches = 0;
  std::vector<std::size_t> rows;  // examples, the first few
  std::string confidence;         // "counted", "by names", "by structure"
};

// Everything one table of kernels says: the table itself, every launch judged, and what they add up
// to. `table` must outlive it.
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
  const KernelIdentity& identity(std::size_t row) const {
    return identities[launches[row].identity];
  }
};

KernelStudy study_kernels(const KernelTable& table, const StudyOptions& options = {});

// What a reader of the numbers must know of how they were measured, each with what it means.
std::vector<std::string> kernel_warnings(const KernelStudy& study);

// The fastest a launch's multiprocessors could have run; 0 if neither file nor chip tell.
double most_clock_hz(const KernelStudy& study, std::size_t row);

struct KernelAdvice {
  Finding finding;
  FindingBasis basis;
};

// What to change first, from everything else a study knows. The share of an advice is the time at
// stake: of chains that could be one kernel all of their time, of products that could run faster
// their headroom. No launch's headroom is claimed twice.
std::vector<KernelAdvice> advise(const KernelStudy& study);

}  // namespace strobe::analysis
