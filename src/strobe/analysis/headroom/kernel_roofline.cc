#include "strobe/analysis/headroom/kernel_roofline.h"

#include <algorithm>
#include <iterator>

#include "strobe/analysis/headroom/kernel_study.h"
#include "strobe/device/gemm_name.h"

namespace strobe::analysis {

std::string_view word_of(RoofKind kind) {
  constexpr std::string_view kWords[] = {"f8 matrix", "f16 matrix", "tf32 matrix", "f32",
                                         "f64",       "L2",         "DRAM"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(RoofKind::kDram) + 1);
  return kWords[static_cast<std::size_t>(kind)];
}

namespace {

// A metric summed over launches, as long as every one of them has it.
class CountedSum {
 public:
  void add(std::optional<double> value) {
    if (!value) is_complete_ = false;
    sum_ += value.value_or(0);
  }
  std::optional<double> value() const {
    if (!is_complete_) return {};
    return sum_;
  }

 private:
  double sum_ = 0;
  bool is_complete_ = true;
};

// All launches of one name.
struct Work {
  KernelSums sums;
  CountedSum flops;
  CountedSum dram_bytes;
  CountedSum l2_bytes;
  CountedSum clock_ns_hz;

  std::optional<double> per_second(const CountedSum& sum) const {
    const std::optional<double> value = sum.value();
    if (!value || sums.latency_ns <= 0) return {};
    return *value / static_cast<double>(sums.latency_ns) * 1e9;
  }
};

std::optional<double> sum_of(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return {};
  return *a + *b;
}

std::vector<Work> work_by_name(const KernelStudy& study) {
  const KernelTable& table = *study.table;
  std::vector<Work> works(study.identities.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    Work& work = works[study.identity(row).alike];
    const KernelSample sample = study.sample(row);
    work.sums.add(sample);
    work.flops.add(table.value(KernelMetric::kFlops, row));
    work.dram_bytes.add(sum_of(table.value(KernelMetric::kDramReadBytes, row),
                               table.value(KernelMetric::kDramWriteBytes, row)));
    work.l2_bytes.add(table.value(KernelMetric::kL2Bytes, row));
    std::optional<double> clock_hz = table.value(KernelMetric::kClockHz, row);
    if (clock_hz) *clock_hz *= static_cast<double>(sample.latency_ns);
    work.clock_ns_hz.add(clock_hz);
  }
  return works;
}

// Names that were launched, most time first.
std::vector<std::uint32_t> by_time(const std::vector<Work>& works) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < works.size(); ++i) {
    if (works[i].sums.launches > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return works[a].sums.latency_ns > works[b].sums.latency_ns;
  });
  return order;
}

const KernelDevice* first_device(const KernelTable& table) {
  return table.size() > 0 ? table.device_of(0) : nullptr;
}

std::vector<Roof> compute_roofs(const KernelStudy& study) {
  std::vector<Roof> roofs;
  const auto add = [&](RoofKind kind, double flops, RoofSource source) {
    if (flops > 0) roofs.push_back({kind, flops, source});
  };
  const bool is_measured = study.options.flops.has_value();
  if (is_measured) add(RoofKind::kF16Matrix, *study.options.flops, RoofSource::kMeasured);
  if (study.chip) {
    const device::ChipPeaks& chip = *study.chip;
    add(RoofKind::kF8Matrix, chip.f8_flops, RoofSource::kDataSheet);
    if (!is_measured) add(RoofKind::kF16Matrix, chip.f16_flops, RoofSource::kDataSheet);
    add(RoofKind::kTf32Matrix, chip.tf32_flops, RoofSource::kDataSheet);
    add(RoofKind::kF32, chip.f32_flops, RoofSource::kDataSheet);
    add(RoofKind::kF64, chip.f64_flops, RoofSource::kDataSheet);
  }
  std::stable_sort(roofs.begin(), roofs.end(),
                   [](const Roof& a, const Roof& b) { return a.value > b.value; });
  return roofs;
}

std::vector<Roof> memory_roofs(const KernelStudy& study) {
  std::vector<Roof> roofs;
  if (study.options.l2_bytes_per_s) {  // not on any data sheet
    roofs.push_back({RoofKind::kL2, *study.options.l2_bytes_per_s, RoofSource::kMeasured});
  }
  const KernelDevice* device = first_device(*study.table);
  if (study.options.dram_bytes_per_s) {
    roofs.push_back({RoofKind::kDram, *study.options.dram_bytes_per_s, RoofSource::kMeasured});
  } else if (const double bus = study.bus_bytes_per_s(0); bus > 0) {
    const bool is_of_file = device != nullptr && device->dram_bytes_per_s > 0;
    roofs.push_back(
        {RoofKind::kDram, bus, is_of_file ? RoofSource::kFile : RoofSource::kDataSheet});
  }
  return roofs;
}

double value_of(const std::vector<Roof>& roofs, RoofKind kind) {
  const auto roof = std::ranges::find(roofs, kind, &Roof::kind);
  return roof == roofs.end() ? 0 : roof->value;
}

RoofKind matrix_roof_of(const KernelIdentity& identity) {
  const std::optional<device::GemmName> gemm = device::gemm_name(identity.full);
  if (!gemm) return RoofKind::kF16Matrix;
  if (gemm->data_type == "tf32" || gemm->data_type == "f32") return RoofKind::kTf32Matrix;
  if (gemm->data_type.starts_with("f8")) return RoofKind::kF8Matrix;
  if (gemm->data_type == "f64") return RoofKind::kF64;
  return RoofKind::kF16Matrix;
}

class Painter {
 public:
  explicit Painter(const KernelStudy& study)
      : study_(study), bus_bytes_per_s_(study.bus_bytes_per_s(0)) {
    picture_.compute = compute_roofs(study);
    picture_.memory = memory_roofs(study);
    dram_ = value_of(picture_.memory, RoofKind::kDram);
  }

  Roofline paint() {
    const double f16 = value_of(picture_.compute, RoofKind::kF16Matrix);
    if (dram_ > 0 && !picture_.compute.empty()) {
      picture_.ridge_flop_per_byte = (f16 > 0 ? f16 : picture_.compute.front().value) / dram_;
    }
    const std::vector<Work> works = work_by_name(study_);
    for (const std::uint32_t identity : by_time(works)) {
      picture_.points.push_back(point_of(identity, works[identity]));
    }
    return std::move(picture_);
  }

 private:
  RooflinePoint point_of(std::uint32_t identity, const Work& work) const {
    RooflinePoint point;
    point.identity = identity;
    point.launches = work.sums.launches;
    point.latency_ns = work.sums.latency_ns;
    point.tensor_percent = work.sums.tensor_percent();
    point.dram_percent = work.sums.dram_percent();
    point.dram_bytes_per_s = work.per_second(work.dram_bytes);
    point.l2_bytes_per_s = work.per_second(work.l2_bytes);
    point.flop_per_s = work.per_second(work.flops);
    if (!point.dram_bytes_per_s && point.dram_percent && bus_bytes_per_s_ > 0) {
      point.dram_bytes_per_s = *point.dram_percent / 100 * bus_bytes_per_s_;
      point.bytes_are_estimated = true;
    }
    place_under_roof(study_.identities[identity], work, point);
    return point;
  }

  void place_under_roof(const KernelIdentity& identity, const Work& work,
                        RooflinePoint& point) const {
    const bool is_matrix = does_matrix_work(identity.family, point.tensor_percent);
    const RoofKind kind = is_matrix ? matrix_roof_of(identity) : RoofKind::kF32;
    if (is_matrix) {
      // Counters count cycles of the matrix pipe, not operations.
      point.flop_per_s = sum_of(matrix_flop_per_s(kind, work), point.flop_per_s.value_or(0));
      point.flops_are_estimated = point.flop_per_s.has_value();
    }
    if (point.flop_per_s && point.dram_bytes_per_s && *point.dram_bytes_per_s > 0) {
      point.flop_per_byte = *point.flop_per_s / *point.dram_bytes_per_s;
    }
    const double roof = value_of(picture_.compute, kind);
    if (point.flop_per_byte && roof > 0 && dram_ > 0) {
      point.attainable_flop_per_s = std::min(roof, *point.flop_per_byte * dram_);
    }
  }

  // The busy share of the pipe times its peak at the actual clock.
  std::optional<double> matrix_flop_per_s(RoofKind roof, const Work& work) const {
    const std::optional<double> percent = work.sums.tensor_percent();
    const double peak = sheet_flops(roof);
    if (!percent || peak <= 0) return {};
    const std::optional<double> clock_ns_hz = work.clock_ns_hz.value();
    double clock_ratio = 1;
    if (clock_ns_hz && study_.chip->matrix_clock_hz > 0 && work.sums.latency_ns > 0) {
      clock_ratio =
          *clock_ns_hz / static_cast<double>(work.sums.latency_ns) / study_.chip->matrix_clock_hz;
    }
    return *percent / 100 * peak * clock_ratio;
  }

  double sheet_flops(RoofKind roof) const {
    if (!study_.chip) return 0;
    if (roof == RoofKind::kTf32Matrix) return study_.chip->tf32_flops;
    if (roof == RoofKind::kF8Matrix) return study_.chip->f8_flops;
    if (roof == RoofKind::kF64) return study_.chip->f64_flops;
    return study_.chip->f16_flops;
  }

  const KernelStudy& study_;
  double bus_bytes_per_s_ = 0;
  double dram_ = 0;
  Roofline picture_;
};

}  // namespace

Roofline draw_roofline(const KernelStudy& study) { return Painter(study).paint(); }

std::vector<WorkUnit> work_units_of(const KernelStudy& study) {
  std::vector<WorkUnit> units;
  const std::vector<Work> works = work_by_name(study);
  const KernelSums* unit = nullptr;
  for (const std::uint32_t i : by_time(works)) {
    const KernelSums& sums = works[i].sums;
    const std::optional<double> percent = sums.tensor_percent();
    if (!percent || *percent <= 0 || sums.tensor_counted_ns != sums.latency_ns) continue;
    if (!does_matrix_work(study.identities[i].family, percent)) continue;
    units.push_back(
        {i, sums.launches, sums.tensor_ns_percent / static_cast<double>(sums.launches), 0});
    if (unit == nullptr || sums.launches > unit->launches) unit = &sums;
  }
  for (WorkUnit& work : units) {
    work.relative =
        work.per_launch / (unit->tensor_ns_percent / static_cast<double>(unit->launches));
  }
  return units;
}

}  // namespace strobe::analysis
