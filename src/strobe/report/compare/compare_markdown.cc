#include "strobe/report/compare/compare_formats.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "strobe/report/compare/compare_report.h"
#include "strobe/report/compare/compat_report.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/render.h"

namespace strobe::report {
namespace {

using compare::Comparison;
using compare::CompatRow;
using compare::FunctionRow;
using compare::SideFacts;
using compare::TripletRow;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<double> cycles_us(const SideFacts& side) {
  std::vector<double> lengths;
  for (const analysis::Cycle& cycle : side.ranks.front().cycles.cycles) {
    lengths.push_back(static_cast<double>(cycle.interval.length_ns()) / 1000);
  }
  return lengths;
}

CompatRow row_of(const FunctionRow& function) {
  CompatRow row;
  row.function = function.key.name;
  row.metric = "-";
  row.device = function.key.device;
  row.suspicion = function.suspicion;
  row.beta_normal = function.beta.normal.mean;
  row.beta_abnormal = function.beta.abnormal.mean;
  row.dbeta = function.beta.difference();
  row.z_beta = function.beta.z;
  row.p_beta = function.beta.welch.p;
  row.u_beta = function.beta.rank.p;
  row.mu_normal = row.mu_abnormal = row.dmu = row.z_mu = row.z_log_mu = row.p_mu = row.u_mu = kNone;
  return row;
}

CompatRow row_of(const FunctionRow& function, const TripletRow& triplet) {
  CompatRow row = row_of(function);
  row.metric = triplet.metric;
  row.suspicion = triplet.suspicion;
  row.mu_normal = triplet.mu.normal.mean;
  row.mu_abnormal = triplet.mu.abnormal.mean;
  row.dmu = triplet.mu.difference();
  row.z_mu = triplet.mu.z;
  row.z_log_mu = triplet.log_mu.z;
  const compare::Change& tested = triplet.tested();
  if (triplet.mu_by_sample && tested.too_few) return row;  // too few samples for a test
  row.p_mu = tested.welch.p;
  row.u_mu = tested.rank.p;
  return row;
}

// In the order of the comparison; functions without samples come last.
std::vector<CompatRow> rows_of(const Comparison& comparison) {
  std::vector<CompatRow> rows;
  std::vector<bool> has_metrics(comparison.functions.size());
  for (const TripletRow& triplet : comparison.triplets) {
    has_metrics[triplet.function] = true;
    rows.push_back(row_of(comparison.functions[triplet.function], triplet));
  }
  for (std::size_t i = 0; i < comparison.functions.size(); ++i) {
    if (!has_metrics[i]) rows.push_back(row_of(comparison.functions[i]));
  }
  return rows;
}

std::string known_tables(const Comparison& comparison, std::size_t top) {
  const std::vector<double> normal = cycles_us(comparison.normal);
  const std::vector<double> abnormal = cycles_us(comparison.abnormal);
  std::string out = "\n## High-Level Performance Summary\n\n" + summary_table(normal, abnormal);
  out += "\n\n## Cycle Duration Distribution Comparison\n\n";
  out += cycles_table(normal, abnormal, MissingTimes::kStayNumbers);
  std::vector<CompatRow> rows = rows_of(comparison);
  const std::size_t count = rows.size();
  if (top != 0 && count > top) rows.resize(top);
  out += "\n\n## Detailed comparison table\n\n" + rows_table(rows, "-") + "\n";
  if (rows.size() < count) out += "\n… " + count_text(count - rows.size()) + " more\n";
  return out;
}

}  // namespace

std::string compare_markdown(const Comparison& comparison, std::size_t top) {
  Document document = compare_document(comparison, top);
  const Section remarks = std::move(document.sections.back());  // about the data: they come last
  document.sections.pop_back();
  return render_markdown(document) + known_tables(comparison, top) + markdown_section(remarks);
}

}  // namespace strobe::report
