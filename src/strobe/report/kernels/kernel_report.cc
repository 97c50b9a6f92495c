#include "strobe/report/kernels/kernel_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/report/kernels/kernel_numbers.h"
#include "strobe/report/kernels/roofline_picture.h"
#include "strobe/report/kernels/roofline_report.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using analysis::KernelBound;
using analysis::KernelGroup;
using analysis::KernelGrouping;
using analysis::KernelStudy;

std::string time_sentence(const KernelStudy& study) {
  const auto& totals = study.totals;
  std::string text =
      fmt::format("{} {} {}", launches_text(totals.launches),
                  totals.launches == 1 ? "takes" : "take", duration_text(totals.latency_ns));
  if (!totals.headroom_ns()) {
    const bool has_bytes = study.table->has(KernelMetric::kDramReadBytes);
    return text + (has_bytes && !study.chip ? "; what limits them depends on the chip: name it."
                                            : "; without counters it is unknown what limits them.");
  }
  std::vector<std::string> clauses;
  if (totals.tensor_percent()) {
    clauses.push_back(fmt::format("the matrix pipe (Tensor) is busy for {} of it",
                                  percent_of_peak_text(totals.tensor_percent())));
  }
  if (totals.dram_percent()) {
    clauses.push_back(fmt::format("DRAM runs at {} of its peak rate",
                                  percent_of_peak_text(totals.dram_percent())));
  }
  return fmt::format("{}: {}.", text, fmt::join(clauses, ", "));
}

std::string_view bound_words(KernelBound bound) {
  switch (bound) {
    case KernelBound::kTensorBound:
      return "tensor-bound kernels (the matrix pipe is busy)";
    case KernelBound::kTensorLeaning:
      return "tensor-leaning kernels (the matrix pipe is partly busy)";
    case KernelBound::kDramBound:
      return "dram-bound kernels (DRAM is busy)";
    case KernelBound::kDramLeaning:
      return "dram-leaning kernels (DRAM is partly busy)";
    case KernelBound::kL2Bound:
      return "l2-bound kernels (the L2 cache is busy)";
    case KernelBound::kLatencyBound:
      return "latency-bound kernels (neither the matrix pipe nor DRAM is busy)";
    default:
      return "kernels with too few counters to tell";
  }
}

std::string limit_sentence(const KernelStudy& study) {
  const std::vector<KernelGroup> groups = analysis::group_kernels(study, KernelGrouping::kBound);
  std::vector<std::string> clauses;
  constexpr std::size_t kMost = 3;
  for (const KernelGroup& group : groups) {
    if (clauses.size() == kMost) break;
    clauses.push_back(fmt::format("{} {} {}", percent_text(group.sums.share_of(study.totals)),
                                  clauses.empty() ? "of the time is in" : "in",
                                  bound_words(group.bound)));
  }
  if (groups.size() > kMost) clauses.push_back("the rest in others");
  return fmt::format("{}.", fmt::join(clauses, ", "));
}

std::string headroom_sentence(const KernelStudy& study) {
  const auto& totals = study.totals;
  const auto whole = static_cast<double>(std::max<std::int64_t>(totals.latency_ns, 1));
  const double most = totals.headroom_ns().value_or(0);
  const double achievable = totals.achievable_headroom_ns().value_or(0);
  const auto& roofs = study.options.roofs;
  const std::string reach =
      roofs.tensor == roofs.dram
          ? fmt::format("{:g} % of that peak", 100 * roofs.dram)
          : fmt::format("{:g} % of the Tensor peak and {:g} % of the DRAM peak", 100 * roofs.tensor,
                        100 * roofs.dram);
  return fmt::format(
      "At most {} ({} of the time) could be saved if every kernel ran at the peak of its busier "
      "resource; {} ({}) could be saved at {}, which good kernels reach.",
      duration_text(std::llround(most)), percent_text(most / whole),
      duration_text(std::llround(achievable)), percent_text(achievable / whole), reach);
}

constexpr std::size_t kRemarksOnAPage = 8;

std::string_view source_words(KernelSource source) {
  switch (source) {
    case KernelSource::kTextTable:
      return "text table";
    case KernelSource::kMetricRows:
      return "profiler's CSV, a row per metric";
    case KernelSource::kWideCsv:
      return "profiler's CSV, a row per kernel";
    case KernelSource::kReport:
      return "profiler's report";
    case KernelSource::kTrace:
      return "trace";
    case KernelSource::kJson:
      return "strobe's JSON";
    case KernelSource::kRecording:
      return "strobe's recording";
  }
  return "";
}

std::string device_words(const KernelDevice& device) {
  std::vector<std::string> words;
  if (device.sm_count > 0) words.push_back(fmt::format("{} SMs", device.sm_count));
  if (device.most_clock_hz > 0) words.push_back("up to " + clock_text(device.most_clock_hz));
  if (device.dram_bytes_per_s > 0) {
    words.push_back("DRAM " + byte_rate_text(device.dram_bytes_per_s));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string peak_words(const device::ChipPeaks& chip) {
  return fmt::format("f16 {}, DRAM {}, by the data sheet", flop_rate_text(chip.f16_flops),
                     byte_rate_text(chip.dram_bytes_per_s));
}

std::string policy_words(ClockPolicy policy) {
  switch (policy) {
    case ClockPolicy::kFree:
      return "free, as in production";
    case ClockPolicy::kLocked:
      return "locked by the profiler: latencies are not those of production";
    case ClockPolicy::kUnknown:
      break;
  }
  return "";
}

// The basis of a finding: how many launches, where, and how it was recognised.
std::string basis_text(const analysis::FindingBasis& basis) {
  std::string text =
      fmt::format("{}, {}", launches_text(basis.launches), duration_text(basis.time_ns));
  if (!basis.rows.empty()) text += fmt::format(", from row {}", basis.rows.front());
  if (!basis.confidence.empty()) text += "; " + basis.confidence;
  return text;
}

}  // namespace

std::vector<std::string> kernel_verdict(const KernelStudy& study) {
  std::vector<std::string> sentences = {time_sentence(study)};
  if (study.totals.headroom_ns()) {
    sentences.push_back(limit_sentence(study));
    sentences.push_back(headroom_sentence(study));
  }
  const bool has_advice =
      !study.findings.empty() && study.findings.front().weight != analysis::FindingWeight::kNote;
  if (has_advice) {
    sentences.push_back(fmt::format("First: {}.", study.findings.front().headline));
  }
  return sentences;
}

std::vector<Fact> kernel_facts(const KernelStudy& study) {
  const KernelTable& table = *study.table;
  std::vector<Fact> facts = {
      {"file", "kernels", Text{table.path},
       fmt::format("{}, {}", source_words(table.source), launches_text(table.size()))}};
  for (const KernelDevice& device : table.devices) {
    if (device.name.empty()) continue;
    const std::string label =
        table.devices.size() > 1 ? fmt::format("device {}", device.index) : "device";
    facts.push_back({"device", label, Text{device.name}, device_words(device)});
  }
  if (study.chip) {
    facts.push_back(
        {"chip", "peaks", Text{std::string(study.chip->name)}, peak_words(*study.chip)});
  }
  if (const std::string policy = policy_words(table.clock_policy); !policy.empty()) {
    facts.push_back({"clock_policy", "clock", Text{policy}, ""});
  }
  return facts;
}

Section kernel_warning_section(const KernelStudy& study) {
  Section section = warning_section(study.warnings);
  const auto& remarks = study.table->remarks;
  const std::size_t shown = std::min(remarks.size(), kRemarksOnAPage);
  for (std::size_t i = 0; i < shown; ++i) section.points.push_back("the file: " + remarks[i]);
  if (shown < remarks.size()) {
    section.points.push_back(fmt::format("the file: {}; --format json has all",
                                         counted(remarks.size() - shown, "more remark")));
  }
  return section;
}

Section kernel_finding_section(const KernelStudy& study, std::size_t most) {
  Section section;
  section.key = "findings";
  section.title = "What to do";
  section.is_remark = true;
  const std::size_t shown =
      most == 0 ? study.findings.size() : std::min(most, study.findings.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const analysis::Finding& finding = study.findings[i];
    std::vector<std::string> seen;
    if (i < study.bases.size()) seen.push_back(basis_text(study.bases[i]));
    section.arguments.push_back({finding.headline, std::move(seen), {}, finding.advice});
  }
  if (shown < study.findings.size()) {
    section.notes.push_back(fmt::format("{} of less weight; --format json has all.",
                                        counted(study.findings.size() - shown, "more finding")));
  }
  return section;
}

Document kernel_document(const KernelStudy& study, const KernelPage& page) {
  Document document;
  document.schema = "strobe.kernels";
  document.title = fmt::format("strobe kernels: {}",
                               std::filesystem::path(study.table->path).filename().string());
  document.verdict = kernel_verdict(study);
  document.facts = kernel_facts(study);
  document.sections = {kernel_warning_section(study),    kernel_group_section(study, page),
                       kernel_family_section(study),     kernel_bound_section(study),
                       kernel_structure_section(study),  kernel_short_section(study),
                       kernel_work_section(study, page), kernel_finding_section(study, page.top)};
  const auto says_nothing = [&](const Section& section) {
    const bool is_shown_above =
        (section.key == "families" && page.grouping == analysis::KernelGrouping::kFamily) ||
        (section.key == "classes" && page.grouping == analysis::KernelGrouping::kBound);
    return is_shown_above ||
           (section.table.rows.empty() && section.arguments.empty() && section.points.empty());
  };
  std::erase_if(document.sections, says_nothing);
  for (Section& section : document.sections) drop_empty_columns(section.table);
  return document;
}

std::string kernel_html(const analysis::KernelStudy& study, const KernelPage& page) {
  Document document = kernel_document(study, page);
  const RooflinePage roofline = {.names = page.names, .top = page.top};
  const auto headroom = study.totals.headroom_share_of(study.totals);
  document.headline = fmt::format(
      "{} in {}{}", duration_text(study.totals.latency_ns), launches_text(study.totals.launches),
      headroom ? fmt::format(", {} of it headroom", percent_text(*headroom)) : "");
  if (std::string svg = share_svg(study, roofline); !svg.empty()) {
    document.sections.insert(document.sections.begin(),
                             figure_section("Kernels by their share of the peaks",
                                            "One circle per kernel name; its area is the time of "
                                            "all its launches. Letters mark the largest.",
                                            std::move(svg)));
  }
  return document_html(document);
}

}  // namespace strobe::report
