#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "strobe/analysis/headroom/kernel_sums.h"

namespace strobe::analysis {

enum class RoofSource : std::uint8_t { kDataSheet, kMeasured, kFile };

enum class RoofKind : std::uint8_t { kF8Matrix, kF16Matrix, kTf32Matrix, kF32, kF64, kL2, kDram };
std::string_view word_of(RoofKind kind);  // "f16 matrix", "DRAM"

// A ceiling: what it limits, its value, and its source.
struct Roof {
  RoofKind kind = RoofKind::kF16Matrix;
  double value = 0;  // FLOP/s or bytes/s
  RoofSource source = RoofSource::kDataSheet;

  std::string_view name() const { return word_of(kind); }
};

// All kernels of one name in the chart. With counts of operations and bytes it is a point of a
// roofline; with fractions alone it is a point of (DRAM share, tensor share).
struct RooflinePoint {
  std::uint32_t identity = 0;  // of KernelStudy
  std::uint64_t launches = 0;
  std::int64_t latency_ns = 0;
  std::optional<double> tensor_percent;
  std::optional<double> dram_percent;
  std::optional<double> flop_per_s;
  std::optional<double> flop_per_byte;
  std::optional<double> dram_bytes_per_s;
  std::optional<double> l2_bytes_per_s;
  std::optional<double> attainable_flop_per_s;  // under the roofs, at its intensity
  bool flops_are_estimated = false;  // from the tensor share and the peak: an upper bound
  bool bytes_are_estimated = false;  // DRAM: from its share and the bus, not counted
};

struct Roofline {
  std::vector<Roof> compute;  // highest first
  std::vector<Roof> memory;
  // Where the compute roof meets DRAM. The compute roof is the measured one, else that of f16
  // matrices, else the highest.
  std::optional<double> ridge_flop_per_byte;
  std::vector<RooflinePoint> points;  // most time first
};

// L x T: proportional to the matrix work of a launch, so shapes can be checked from counters alone.
struct WorkUnit {
  std::uint32_t identity = 0;
  std::uint64_t launches = 0;
  double per_launch = 0;  // percent x ns
  double relative = 0;    // to the most frequent matrix kernel
};

struct KernelStudy;

// Reads table, chip, options, identities and launches of the study.
Roofline draw_roofline(const KernelStudy& study);
std::vector<WorkUnit> work_units_of(const KernelStudy& study);  // most time first

}  // namespace strobe::analysis
