#include "strobe/analysis/headroom/kernel_study.h"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "strobe/analysis/headroom/kernel_advice.h"
#include "strobe/analysis/headroom/kernel_warnings.h"
#include "strobe/device/kernel_name.h"

namespace strobe::analysis {
namespace {

constexpr std::int64_t kHardlyLongerNs = 20'000;

KernelIdentity identity_of(std::string_view name, std::string_view mangled) {
  KernelIdentity identity;
  identity.full = device::demangled(name);
  identity.mangled = mangled;
  if (mangled.empty() && identity.full != name) identity.mangled = name;
  identity.seed = device::seed_name(identity.full);
  identity.brief = device::short_name(identity.full);
  identity.detail = device::detail_name(identity.full);
  identity.family = device::kernel_family(identity.full);
  return identity;
}

// One number per text, in order of first appearance.
class Numbering {
 public:
  std::uint32_t of(std::string_view text, std::uint32_t number) {
    return numbers_.try_emplace(text, number).first->second;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

void identify(KernelStudy& study) {
  const KernelTable& table = *study.table;
  constexpr auto kNone = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> identity_of_name(table.strings.size(), kNone);
  study.launches.resize(table.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    std::uint32_t& identity = identity_of_name[table.names[row].index()];
    if (identity == kNone) {
      identity = static_cast<std::uint32_t>(study.identities.size());
      const bool has_mangled = row < table.mangled_names.size() && table.mangled_names[row].valid();
      study.identities.push_back(
          identity_of(table.name(row), has_mangled ? table.strings[table.mangled_names[row]] : ""));
    }
    study.launches[row].identity = identity;
  }
  Numbering details;
  for (std::uint32_t i = 0; i < study.identities.size(); ++i) {
    study.identities[i].alike = details.of(study.identities[i].detail, i);
  }
}

std::optional<device::ChipPeaks> chip_of(const KernelTable& table, const StudyOptions& options) {
  if (!options.chip.empty()) return device::chip_peaks(options.chip);
  const KernelDevice* device = table.size() > 0 ? table.device_of(0) : nullptr;
  if (device == nullptr || device->name.empty()) return {};
  return device::chip_peaks(device->name);
}

void judge_launches(KernelStudy& study) {
  const KernelTable& table = *study.table;
  const double chip_l2 = study.chip ? study.chip->l2_bytes_per_s : 0;
  const double l2_roof = study.options.l2_bytes_per_s.value_or(chip_l2);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const KernelSample sample = study.sample(row);
    StudiedLaunch& launch = study.launches[row];
    std::optional<double> l2_share;
    if (const std::optional<double> bytes = table.value(KernelMetric::kL2Bytes, row);
        bytes && l2_roof > 0 && sample.latency_ns > 0) {
      l2_share = *bytes / static_cast<double>(sample.latency_ns) * 1e9 / l2_roof;
    }
    launch.bound = kernel_bound(sample, l2_share);
    launch.is_short = sample.latency_ns < kShortNs;
    launch.is_clock_low = is_clock_low(table.value(KernelMetric::kClockHz, row).value_or(0),
                                       most_clock_hz(study, row));
    study.totals.add(sample, study.options.roofs);
    if (launch.is_short) study.under_10us.add(sample, study.options.roofs);
    if (sample.latency_ns < kHardlyLongerNs) study.under_20us.add(sample, study.options.roofs);
  }
}

// Layers are told by short names: what else differs between two layers is no reason to see none.
std::vector<LayerRow> layer_rows(const KernelStudy& study) {
  Numbering briefs;
  std::vector<std::uint32_t> number(study.identities.size());
  for (std::uint32_t i = 0; i < number.size(); ++i) {
    number[i] = briefs.of(study.identities[i].brief, i);
  }
  std::vector<LayerRow> rows;
  rows.reserve(study.launches.size());
  for (std::size_t row = 0; row < study.launches.size(); ++row) {
    const std::uint32_t identity = study.launches[row].identity;
    const bool is_norm = study.identities[identity].family == device::KernelFamily::kNorm;
    rows.push_back({number[identity], is_norm, study.sample(row)});
  }
  return rows;
}

FusionPlan fusion_plan(const KernelStudy& study) {
  const KernelTable& table = *study.table;
  std::vector<FusionRow> rows;
  rows.reserve(table.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    const KernelIdentity& identity = study.identity(row);
    FusionRow fusion;
    fusion.name = identity.alike;
    fusion.family = identity.family;
    fusion.stream = table.streams.empty() ? 0 : table.streams[row];
    fusion.device = table.device_indices.empty() ? 0 : table.device_indices[row];
    fusion.sample = study.sample(row);
    const std::optional<double> read = table.value(KernelMetric::kDramReadBytes, row);
    const std::optional<double> written = table.value(KernelMetric::kDramWriteBytes, row);
    if (read && written) fusion.dram_bytes = *read + *written;
    rows.push_back(fusion);
  }
  std::vector<std::string_view> details;
  details.reserve(study.identities.size());
  for (const KernelIdentity& identity : study.identities) details.push_back(identity.detail);
  return plan_fusions(rows, details);
}

}  // namespace

KernelSample KernelStudy::sample(std::size_t row) const {
  return {table->durations_ns[row], table->value(KernelMetric::kTensorPercent, row),
          table->value(KernelMetric::kDramPercent, row)};
}

KernelStudy study_kernels(const KernelTable& table, const StudyOptions& options) {
  KernelStudy study;
  study.table = &table;
  study.options = options;
  study.chip = chip_of(table, options);
  identify(study);
  judge_launches(study);
  study.layers = find_layers(layer_rows(study), options.roofs);
  study.fusion = fusion_plan(study);
  study.roofline = draw_roofline(study);
  study.work_units = work_units_of(study);
  study.warnings = kernel_warnings(study);
  for (KernelAdvice& advice : advise(study)) {
    study.findings.push_back(std::move(advice.finding));
    study.bases.push_back(std::move(advice.basis));
  }
  return study;
}

}  // namespace strobe::analysis
