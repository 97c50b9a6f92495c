#include "strobe/report/compare/compare_formats.h"

#include <vector>

#include "strobe/base/csv.h"
#include "strobe/report/compare/compare_verdict.h"

namespace strobe::report {
namespace {

using compare::Comparison;
using compare::FunctionRow;
using compare::TripletRow;

void append_function(CsvWriter& line, const FunctionRow& row, const std::string& metric,
                     std::string_view unit) {
  line.field(row.key.name)
      .field(metric)
      .field(row.key.device)
      .field(unit)
      .field(row.rank)
      .field(word_of(row.type))
      .field(word_of(row.key.kind))
      .field(word_of(row.verdict));
}

void append_beta(CsvWriter& line, const FunctionRow& row) {
  const compare::Change& beta = row.beta;
  line.field(beta.normal.n)
      .field(beta.abnormal.n)
      .field(beta.normal.mean)
      .field(beta.abnormal.mean)
      .field(beta.difference())
      .field(beta.z)
      .field(beta.z_floored)
      .field(beta.welch.p)
      .field(beta.rank.p)
      .field(beta.q)
      .field(beta.cliffs_delta)
      .field(row.ms.normal.mean)
      .field(row.ms.abnormal.mean)
      .field(row.ms.shift.shift)
      .field(row.ms.shift.low)
      .field(row.ms.shift.high)
      .field(row.mean_calls_normal)
      .field(row.mean_calls_abnormal);
}

// The scores rest on the means of the cycles; tests count a sample that cycles share once.
void append_mu(CsvWriter& line, const TripletRow& row) {
  const compare::Change& mu = row.mu;
  const compare::Change& tested = change_of(row);
  line.field(row.suspicion)
      .field(row.robust)
      .field(tested.normal.n)
      .field(tested.abnormal.n)
      .field(mu.normal.mean)
      .field(mu.abnormal.mean)
      .field(mu.difference())
      .field(mu.z)
      .field(row.log_mu.z)
      .field(tested.welch.p)
      .field(tested.rank.p)
      .field(tested.q)
      .field(tested.cliffs_delta)
      .field(row.sigma_normal)
      .field(row.sigma_abnormal)
      .field(row.coverage_normal)
      .field(row.coverage_abnormal);
}

// As the tables for people have them.
void append_shown(CsvWriter& line, const FunctionRow& row) {
  line.field(verdict_text(row)).field(row.ms.normal_median).field(row.ms.abnormal_median);
}

constexpr std::string_view kHeader =
    "function,metric,device,unit,rank,cycle_type,kind,verdict,"
    "n_beta_normal,n_beta_abnormal,beta_normal,beta_abnormal,dbeta,z_beta,z_floor_beta,p_beta,"
    "u_beta,q_beta,cliffs_delta_beta,ms_normal,ms_abnormal,ms_shift,ms_shift_low,ms_shift_high,"
    "calls_normal,calls_abnormal,"
    "suspicion,robust,n_normal,n_abnormal,mu_normal,mu_abnormal,dmu,z_mu,z_log_mu,p_mu,u_mu,q_mu,"
    "cliffs_delta_mu,sigma_normal,sigma_abnormal,coverage_normal,coverage_abnormal,"
    "verdict_text,ms_median_normal,ms_median_abnormal\n";
constexpr std::size_t kMuFields = 17;

}  // namespace

std::string compare_csv(const Comparison& comparison) {
  std::string out(kHeader);
  CsvWriter line(out);
  std::vector<bool> has_metrics(comparison.functions.size());
  for (const TripletRow& row : comparison.triplets) {
    has_metrics[row.function] = true;
    const FunctionRow& function = comparison.functions[row.function];
    append_function(line, function, row.metric, row.info.unit);
    append_beta(line, function);
    append_mu(line, row);
    append_shown(line, function);
    line.end_row();
  }
  for (std::size_t i = 0; i < comparison.functions.size(); ++i) {
    if (has_metrics[i]) continue;
    const FunctionRow& function = comparison.functions[i];
    append_function(line, function, "", "");
    append_beta(line, function);
    line.field(function.suspicion).field(function.robust);
    for (std::size_t empty = 2; empty < kMuFields; ++empty) line.empty();
    append_shown(line, function);
    line.end_row();
  }
  return out;
}

}  // namespace strobe::report
