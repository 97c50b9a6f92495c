#include <gtest/gtest.h>
#include <simdjson.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "strobe/report/compare/compat_report.h"
#include "strobe/report/render/aligned_table.h"

// Compares cells and tables with those of the programs that print the older report.
namespace strobe::report {
namespace {

using simdjson::dom::element;

double number_of(element value) {
  if (value.is_string()) return std::numeric_limits<double>::quiet_NaN();
  return double(value);
}

std::string string_of(element value) { return std::string(std::string_view(value)); }

std::string id_of(element json) { return string_of(json["id"]); }

void check_twice(element json) {
  const auto decimals = static_cast<int>(std::int64_t(json["input"]["decimals"]));
  EXPECT_EQ(rounded_twice(number_of(json["input"]["value"]), decimals),
            string_of(json["expect"]["cell"]))
      << id_of(json);
}

void check_thousands(element json) {
  EXPECT_EQ(with_thousands(number_of(json["input"]["value"])), string_of(json["expect"]["cell"]))
      << id_of(json);
}

void check_percent(element json) {
  EXPECT_EQ(signed_percent(number_of(json["input"]["value"])), string_of(json["expect"]["cell"]))
      << id_of(json);
}

std::string cell_of(element value, const std::string& type, bool is_grouped) {
  if (type == "int") return std::to_string(std::int64_t(value));
  if (type == "text") return value.is_string() ? string_of(value) : shortest(double(value));
  constexpr int kAllDecimals = 12;
  return is_grouped ? with_thousands(number_of(value))
                    : rounded_twice(number_of(value), kAllDecimals);
}

void check_table(element json) {
  const element input = json["input"];
  const bool is_grouped = input["floatfmt"].error() == simdjson::SUCCESS;
  const std::map<std::string, CellAlignment> alignments = {{"text", CellAlignment::kText},
                                                           {"int", CellAlignment::kWhole},
                                                           {"float", CellAlignment::kDecimal}};
  std::vector<AlignedColumn> columns;
  for (std::size_t i = 0; i < input["columns"].get_array().size(); ++i) {
    const std::string type = string_of(input["types"].at(i));
    AlignedColumn column{string_of(input["columns"].at(i)), alignments.at(type), {}};
    for (const element row : input["rows"].get_array()) {
      column.cells.push_back(cell_of(row.at(i), type, is_grouped));
    }
    columns.push_back(column);
  }
  EXPECT_EQ(aligned_table(columns), string_of(json["expect"]["markdown"])) << id_of(json);
}

TEST(CompatOracleTest, every_cell_and_table_is_written_alike) {
  const std::filesystem::path path = STROBE_SOURCE_DIR "/../shared/data/stats_oracle.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the oracle is not on this machine";
  const std::map<std::string, std::function<void(element)>> checks = {
      {"cell_g", check_twice},
      {"cell_thousands", check_thousands},
      {"cell_signed_percent", check_percent},
      {"md_table", check_table}};
  simdjson::dom::parser parser;
  const element oracle = parser.load(path.string());
  std::map<std::string, int> seen;
  for (const element json : oracle["cases"].get_array()) {
    const auto check = checks.find(string_of(json["kind"]));
    if (check == checks.end()) continue;
    ++seen[check->first];
    check->second(json);
  }
  const std::map<std::string, int> expected = {
      {"cell_g", 38}, {"cell_thousands", 9}, {"cell_signed_percent", 6}, {"md_table", 4}};
  EXPECT_EQ(seen, expected);
}

}  // namespace
}  // namespace strobe::report
