#include "strobe/report/kernels/fusion_report.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/csv.h"
#include "strobe/report/kernels/kernel_json.h"
#include "strobe/report/kernels/kernel_numbers.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/json_rows.h"
#include "strobe/report/render/render.h"

namespace strobe::report {
namespace {

using analysis::FusionGroup;
using analysis::FusionPlan;
using analysis::FusionRun;
using analysis::KernelStudy;
using analysis::KernelSums;

double share_of_all(std::int64_t ns, const KernelStudy& study) {
  return static_cast<double>(ns) /
         static_cast<double>(std::max<std::int64_t>(study.totals.latency_ns, 1));
}

std::size_t shown_groups(const KernelStudy& study, const FusionPage& page) {
  const std::size_t groups = study.fusion.groups.size();
  return page.top == 0 ? groups : std::min(page.top, groups);
}

std::string name_of(const FusionGroup& group) {
  return group.what.empty() ? group.families : group.what;
}

// Only the name of a known chain: "rotary position embedding".
std::string short_name_of(const FusionGroup& group) {
  const std::string name = name_of(group);
  return group.chain == analysis::ChainKind::kPlain ? name : name.substr(0, name.find(':'));
}

std::vector<std::string> fusion_verdict(const KernelStudy& study) {
  const FusionPlan& plan = study.fusion;
  if (plan.groups.empty()) {
    return {"There is nothing to fuse: no two consecutive launches are free of matrix products."};
  }
  std::vector<std::string> sentences = {fmt::format(
      "{} in {} chains take {}; one kernel per chain, as slow as its slowest member, would save "
      "{}: {} of all {}.",
      launches_text(plan.rows), count_text(plan.runs.size()), duration_text(plan.latency_ns),
      duration_text(plan.saved_ns), percent_text(share_of_all(plan.saved_ns, study)),
      duration_text(study.totals.latency_ns))};
  const FusionGroup& first = plan.groups.front();
  sentences.push_back(fmt::format("First: {}, which would save {} ({} of all).",
                                  short_name_of(first), duration_text(first.saved_ns),
                                  percent_text(share_of_all(first.saved_ns, study))));
  return sentences;
}

Section chain_section(const KernelStudy& study, std::size_t shown) {
  Section section;
  section.key = "chains";
  section.title = "Chains worth one kernel";
  section.lead =
      "Consecutive launches without a matrix product. Saving: the sum of their times minus the "
      "slowest, an estimate for one pass over the largest of them.";
  section.table.columns = {{"number", "#", ColumnType::kNumber, 9},
                           {.key = "what",
                            .header = "chain",
                            .type = ColumnType::kText,
                            .importance = 10,
                            .least_width = 30},
                           {"kernels", "kernels", ColumnType::kCount, 6},
                           {"occurrences", "times", ColumnType::kCount, 6},
                           {"total_ns", "in all", ColumnType::kDuration, 7},
                           {"saved_ns", "saving", ColumnType::kDuration, 8},
                           {.key = "saved_share",
                            .header = "of all\ntime",
                            .type = ColumnType::kShare,
                            .importance = 8,
                            .share_of = "time of all launches"}};
  const auto& groups = study.fusion.groups;
  for (std::size_t i = 0; i < shown; ++i) {
    const FusionGroup& group = groups[i];
    section.table.rows.push_back(
        {{Text{std::to_string(i + 1)}, Text{short_name_of(group)}, Count{group.names.size()},
          Count{group.runs.size()}, Duration{group.latency_ns}, Duration{group.saved_ns},
          Share{share_of_all(group.saved_ns, study)}}});
  }
  std::int64_t rest_ns = 0;
  for (std::size_t i = shown; i < groups.size(); ++i) rest_ns += groups[i].saved_ns;
  section.table.rows_left_out = groups.size() - shown;
  if (shown < groups.size()) {
    section.table.left_out = fmt::format("{} more, saving {} together",
                                         count_text(groups.size() - shown), duration_text(rest_ns));
  }
  return section;
}

// The kernels of a chain, each over all its occurrences.
std::vector<KernelSums> sums_of(const FusionGroup& group, const KernelStudy& study) {
  std::vector<KernelSums> sums(group.names.size());
  for (const std::size_t index : group.runs) {
    const FusionRun& run = study.fusion.runs[index];
    for (std::size_t i = 0; i < sums.size() && i < run.rows; ++i) {
      sums[i].add(study.sample(run.first_row + i));
    }
  }
  return sums;
}

Section kernel_list(const KernelStudy& study, const FusionPage& page, std::size_t number) {
  const FusionGroup& group = study.fusion.groups[number];
  Section section;
  section.key = fmt::format("chain_{}", number + 1);
  section.title = fmt::format("{}. {}", number + 1, name_of(group));
  section.lead = group.why;
  section.is_remark = true;  // a CSV has only the chains
  section.table.columns = {{.key = "kernel",
                            .header = "kernel",
                            .type = ColumnType::kName,
                            .importance = 10,
                            .least_width = 28},
                           {.key = "family", .header = "family", .importance = 4, .least_width = 6},
                           {"mean_ns", "mean", ColumnType::kDuration, 8},
                           {"total_ns", "in all", ColumnType::kDuration, 7},
                           {"tensor_share", "Tensor", ColumnType::kShare, 5},
                           {"dram_share", "DRAM", ColumnType::kShare, 6}};
  const std::vector<KernelSums> sums = sums_of(group, study);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const analysis::KernelIdentity& identity = study.identities[group.names[i]];
    section.table.rows.push_back(
        {{Text{std::string(name_in(identity, page.names))},
          Text{std::string(word_of(identity.family))}, time_cell(sums[i].mean_ns()),
          Duration{sums[i].latency_ns}, percent_cell(sums[i].tensor_percent()),
          percent_cell(sums[i].dram_percent())}});
  }
  drop_empty_columns(section.table);
  section.notes.push_back(fmt::format(
      "{}, first at launch {}.",
      group.runs.size() == 1 ? "Once" : fmt::format("{} times", count_text(group.runs.size())),
      count_text(study.fusion.runs[group.runs.front()].first_row)));
  return section;
}

}  // namespace

Document fusion_document(const KernelStudy& study, const FusionPage& page) {
  Document document;
  document.schema = "strobe.kernels.fusion";
  document.title = fmt::format("strobe kernels fuse: {}",
                               std::filesystem::path(study.table->path).filename().string());
  document.verdict = fusion_verdict(study);
  document.facts = kernel_facts(study);
  const std::size_t shown = shown_groups(study, page);
  document.sections.push_back(chain_section(study, shown));
  if (shown == 0) document.sections.clear();
  for (std::size_t i = 0; i < shown; ++i) {
    document.sections.push_back(kernel_list(study, page, i));
  }
  return document;
}

std::string fusion_json(const KernelStudy& study, const FusionPage& page) {
  const FusionPlan& plan = study.fusion;
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object().member("schema", "strobe.kernels.fusion").member("version", 1);
  write_kernel_source(json, study);
  write_texts(json, "verdict", fusion_verdict(study));
  json.member("total_ns", study.totals.latency_ns)
      .member("runs", plan.runs.size())
      .member("rows", plan.rows)
      .member("latency_ns", plan.latency_ns)
      .member("saved_ns", plan.saved_ns);
  write_percent(json, "saved_share_pct", 100 * share_of_all(plan.saved_ns, study));
  json.key("chains").begin_array();
  for (std::size_t i = 0; i < shown_groups(study, page); ++i) {
    const FusionGroup& group = plan.groups[i];
    json.begin_object()
        .member("what", name_of(group))
        .member("why", group.why)
        .member("families", group.families)
        .member("occurrences", group.runs.size())
        .member("latency_ns", group.latency_ns)
        .member("saved_ns", group.saved_ns);
    write_percent(json, "saved_share_pct", 100 * share_of_all(group.saved_ns, study));
    json.key("first_rows").begin_array();
    for (const std::size_t run : group.runs) json.value(plan.runs[run].first_row);
    json.end_array();
    const std::vector<KernelSums> sums = sums_of(group, study);
    json.key("kernels").begin_array();
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const analysis::KernelIdentity& identity = study.identities[group.names[k]];
      std::string line;
      JsonWriter one(line);
      one.begin_object()
          .member("name", name_in(identity, page.names))
          .member("family", word_of(identity.family));
      write_sums(one, sums[k], study.totals);
      one.end_object();
      json.raw(line);
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  out += "\n";
  return out;
}

std::string fusion_csv(const KernelStudy& study, const FusionPage& page) {
  std::string out =
      "what,families,kernels,occurrences,latency_ns,saved_ns,saved_share_pct,first_row,names\n";
  CsvWriter csv(out);
  for (std::size_t i = 0; i < shown_groups(study, page); ++i) {
    const FusionGroup& group = study.fusion.groups[i];
    std::vector<std::string> names;
    for (const std::uint32_t name : group.names) {
      names.emplace_back(name_in(study.identities[name], page.names));
    }
    csv.field(name_of(group))
        .field(group.families)
        .field(group.names.size())
        .field(group.runs.size())
        .field(group.latency_ns)
        .field(group.saved_ns)
        .field(rounded(100 * share_of_all(group.saved_ns, study), 4))
        .field(study.fusion.runs[group.runs.front()].first_row)
        .field(fmt::format("{}", fmt::join(names, " | ")))
        .end_row();
  }
  return out;
}

std::string fusion_html(const KernelStudy& study, const FusionPage& page) {
  const FusionPlan& plan = study.fusion;
  Document document = fusion_document(study, page);
  document.headline =
      plan.groups.empty()
          ? "Nothing to fuse"
          : fmt::format("{} could be saved, {} of all", duration_text(plan.saved_ns),
                        percent_text(share_of_all(plan.saved_ns, study)));
  return document_html(document);
}

}  // namespace strobe::report
