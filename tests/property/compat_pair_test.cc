#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "strobe/compare/compat/compat.h"
#include "strobe/readers/run_reader.h"
#include "strobe/report/compare/compat_report.h"
#include "tests/property/shared_files.h"

// Compares the older report of a pair of runs, byte by byte and digit by digit.
namespace strobe {
namespace {

namespace fs = std::filesystem;
using simdjson::dom::element;

double json_number(element value) {
  return value.is_string() ? std::numeric_limits<double>::quiet_NaN() : double(value);
}

class CompatPairTest : public ::testing::Test {
 protected:
  void SetUp() override {
    STROBE_NEEDS_SHARED();
    const strobe::Run normal = readers::read_run(kPair / "normal", {}, {}).value();
    const strobe::Run abnormal = readers::read_run(kPair / "abnormal", {}, {}).value();
    comparison_ = compare::compare_compat(normal, abnormal).value();
  }

  compare::CompatComparison comparison_;
};

TEST_F(CompatPairTest, the_report_is_the_same_in_every_byte) {
  const std::string expected = file_text(kPair / "expected_report.md");
  const std::string report = report::compat_markdown(comparison_);
  ASSERT_FALSE(expected.empty());
  if (report == expected) return;
  const auto [ours, theirs] =
      std::mismatch(report.begin(), report.end(), expected.begin(), expected.end());
  FAIL() << "differs in line " << 1 + std::count(report.begin(), ours, '\n') << "\n"
         << std::string(ours, ours + std::min<std::ptrdiff_t>(80, report.end() - ours)) << "\n"
         << std::string(theirs, theirs + std::min<std::ptrdiff_t>(80, expected.end() - theirs));
}

TEST_F(CompatPairTest, all_numbers_are_the_same_at_full_precision) {
  simdjson::dom::parser expected_parser;
  simdjson::dom::parser parser;
  const element expected = expected_parser.load((kPair / "expected_compat.json").string());
  const std::string text = report::compat_json(comparison_);
  const element ours = parser.parse(text);

  for (const char* side : {"normal", "abnormal"}) {
    const auto wanted = expected["cycles"][side].get_array();
    const auto got = ours["cycles"][side].get_array();
    ASSERT_EQ(got.size(), wanted.size()) << side;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(double(got.at(i)), double(wanted.at(i))) << side << " " << i;
    }
  }
  const auto wanted = expected["rows"].get_array();
  const auto got = ours["rows"].get_array();
  ASSERT_EQ(got.size(), 264u);
  ASSERT_EQ(wanted.size(), 264u);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const simdjson::dom::object row = got.at(i);
    ASSERT_EQ(row.size(), wanted.at(i).get_object().size());
    for (const auto& [key, value] : wanted.at(i).get_object()) {
      const element mine = row[key];
      if (key == "function" || key == "metric" || key == "device") {
        EXPECT_EQ(std::string_view(mine), std::string_view(value)) << i << " " << key;
        continue;
      }
      const double number = json_number(value);
      if (std::isnan(number)) {
        EXPECT_TRUE(std::isnan(json_number(mine))) << i << " " << key;
      } else {
        EXPECT_NEAR(json_number(mine), number, 1e-9 * std::abs(number)) << i << " " << key;
      }
    }
  }
}

}  // namespace
}  // namespace strobe
