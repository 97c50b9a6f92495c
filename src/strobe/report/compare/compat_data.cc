#include "strobe/report/compare/compat_data.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "strobe/base/json_write.h"

namespace strobe::report {
namespace {

using compare::CompatRow;

// f(key, value) for every number of a row, in the order of the columns.
template <class Function>
void for_each_number(const CompatRow& row, Function&& f) {
  f("suspicion", row.suspicion);
  f("beta_normal", row.beta_normal);
  f("beta_abnormal", row.beta_abnormal);
  f("dbeta", row.dbeta);
  f("z_beta", row.z_beta);
  f("p_beta", row.p_beta);
  f("u_beta", row.u_beta);
  f("mu_normal", row.mu_normal);
  f("mu_abnormal", row.mu_abnormal);
  f("dmu", row.dmu);
  f("z_mu", row.z_mu);
  f("z_log_mu", row.z_log_mu);
  f("p_mu", row.p_mu);
  f("u_mu", row.u_mu);
}

void write_number(JsonWriter& json, double number) {
  std::isnan(number) ? json.value("nan") : json.value(number);
}

// One line each, so that grep and diff work on rows.
std::string row_line(const CompatRow& row) {
  std::string line;
  JsonWriter json(line);
  json.begin_object()
      .member("function", row.function)
      .member("metric", row.metric)
      .member("device", row.device)
      .member("n_normal", row.n_normal)
      .member("n_abnormal", row.n_abnormal);
  for_each_number(row, [&](std::string_view key, double number) {
    json.key(key);
    write_number(json, number);
  });
  json.end_object();
  return line;
}

std::string csv_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string compat_json(const compare::CompatComparison& comparison) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object().key("cycles").begin_object();
  for (const auto& [key, side] :
       {std::pair("normal", &comparison.normal), std::pair("abnormal", &comparison.abnormal)}) {
    json.key(key).begin_array();
    for (const double us : side->cycles_us) json.value(us);
    json.end_array();
  }
  json.end_object().key("rows").begin_array();
  for (const CompatRow& row : comparison.rows) json.raw(row_line(row));
  json.end_array().end_object();
  return out + "\n";
}

std::string compat_csv(const compare::CompatComparison& comparison) {
  std::string out = "function,metric,device,n_normal,n_abnormal";
  for_each_number({}, [&](std::string_view key, double) {
    fmt::format_to(std::back_inserter(out), ",{}", key);
  });
  out += "\n";
  for (const CompatRow& row : comparison.rows) {
    out += fmt::format("{},{},{},{},{}", csv_text(row.function), csv_text(row.metric),
                       csv_text(row.device), row.n_normal, row.n_abnormal);
    for_each_number(row, [&](std::string_view, double number) {
      out += std::isnan(number) ? ",nan" : fmt::format(",{}", number);
    });
    out += "\n";
  }
  return out;
}

}  // namespace strobe::report
