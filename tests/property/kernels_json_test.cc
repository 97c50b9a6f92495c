#include <gtest/gtest.h>
#include <simdjson.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "strobe/analysis/headroom/kernel_study.h"
#include "strobe/readers/counters/kernel_reader.h"
#include "strobe/report/kernels/kernel_json.h"
#include "strobe/report/kernels/kernel_launches.h"
#include "tests/property/shared_files.h"

// The classic kernel table of a 24-layer model: every sum computed by hand, and every byte. strobe
// reads back what it writes.
namespace strobe {
namespace {

namespace fs = std::filesystem;
using simdjson::dom::element;

const fs::path kExamples = STROBE_SOURCE_DIR "/examples";

std::string json_of(const KernelTable& table) {
  return report::kernel_json(analysis::study_kernels(table), {});
}

// Everything in `expected` is in `actual` under the same key; `actual` may have more.
void expect_inside(element expected, element actual, const std::string& path) {
  if (expected.is_object()) {
    for (const auto [key, value] : expected.get_object()) {
      const std::string below = path + "/" + std::string(key);
      element found;
      ASSERT_EQ(actual[key].get(found), simdjson::SUCCESS) << below << " is missing";
      expect_inside(value, found, below);
    }
  } else if (expected.is_array()) {
    ASSERT_EQ(expected.get_array().size(), actual.get_array().size()) << path;
    std::size_t i = 0;
    for (const element value : expected.get_array()) {
      expect_inside(value, actual.at(i), path + "/" + std::to_string(i));
      ++i;
    }
  } else if (expected.is_string()) {
    EXPECT_EQ(std::string_view(expected), std::string_view(actual)) << path;
  } else {
    EXPECT_EQ(double(expected), double(actual)) << path;
  }
}

TEST(KernelsJsonTest, every_sum_of_the_classic_table_is_the_expected_one) {
  const fs::path file = kShared / "data/kernels_a100_gpt.txt";
  STROBE_NEEDS_SHARED();
  simdjson::dom::parser expected_parser;
  simdjson::dom::parser actual_parser;
  const std::string expected_text = file_text(kShared / "data/kernels_a100_gpt.expected.json");
  const std::string actual_text = json_of(readers::read_kernels(file).value());
  const element expected = expected_parser.parse(expected_text);
  const element actual = actual_parser.parse(actual_text);
  for (const char* part : {"totals", "families", "names", "structure", "layer_positions", "classes",
                           "short_kernels"}) {
    expect_inside(expected[part], actual[part], part);
  }
  for (const auto [key, value] : expected["fusion_runs"].get_object()) {
    if (key == "rule") continue;  // a sentence
    expect_inside(value, actual["fusion_runs"][key], "fusion_runs/" + std::string(key));
  }
}

TEST(KernelsJsonTest, the_classic_table_is_written_as_it_was_read) {
  const fs::path file = kShared / "data/kernels_a100_gpt.txt";
  STROBE_NEEDS_SHARED();
  const KernelTable table = readers::read_kernels(file).value();
  EXPECT_EQ(report::kernel_classic_table(analysis::study_kernels(table)), file_text(file));
}

void expect_same_table(const KernelTable& a, const KernelTable& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a.durations_ns, b.durations_ns);
  EXPECT_EQ(a.ids, b.ids);
  EXPECT_EQ(a.grids, b.grids);
  EXPECT_EQ(a.blocks, b.blocks);
  EXPECT_EQ(a.streams, b.streams);
  EXPECT_EQ(a.contexts, b.contexts);
  EXPECT_EQ(a.device_indices, b.device_indices);
  EXPECT_EQ(a.devices, b.devices);
  EXPECT_EQ(a.clock_policy, b.clock_policy);
  for (std::size_t row = 0; row < a.size(); ++row) {
    ASSERT_EQ(a.name(row), b.name(row)) << row;
    for (std::size_t i = 0; i < kKernelMetrics; ++i) {
      const auto metric = static_cast<KernelMetric>(i);
      ASSERT_EQ(a.value(metric, row), b.value(metric, row)) << row << " " << word_of(metric);
    }
  }
}

class RoundTripTest : public ::testing::TestWithParam<fs::path> {};

TEST_P(RoundTripTest, what_is_written_as_json_reads_back_the_same) {
  STROBE_NEEDS_SHARED();
  const KernelTable table = readers::read_kernels(GetParam()).value();
  const std::string json = json_of(table);
  const KernelTable again = readers::read_kernels_bytes(json, "again.json").value();
  expect_same_table(table, again);
}

TEST_P(RoundTripTest, the_classic_table_of_it_keeps_times_and_what_is_missing) {
  STROBE_NEEDS_SHARED();
  const KernelTable table = readers::read_kernels(GetParam()).value();
  const std::string seed = report::kernel_classic_table(analysis::study_kernels(table));
  const KernelTable again = readers::read_kernels_bytes(seed, "again.txt").value();
  ASSERT_EQ(table.size(), again.size());
  EXPECT_EQ(table.durations_ns, again.durations_ns);
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (const KernelMetric metric : {KernelMetric::kTensorPercent, KernelMetric::kDramPercent}) {
      const auto before = table.value(metric, row);
      const auto after = again.value(metric, row);
      ASSERT_EQ(before.has_value(), after.has_value()) << row << " " << word_of(metric);
      ASSERT_NEAR(before.value_or(0), after.value_or(0), 0.5001) << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RoundTripTest,
                         ::testing::Values(kExamples / "gpt_kernels_h200.csv.gz",
                                           kExamples / "gpt_inference_compiled.json.gz",
                                           kShared / "data/kernels_a100_gpt.txt",
                                           kShared / "data/h200_probe.ncu-rep",
                                           kShared / "data/ncu_details_rows.csv",
                                           kShared / "data/ncu_metric_rows.csv",
                                           kShared / "traces/h200_gpt_ncu_raw.csv.gz"),
                         [](const auto& file) {
                           std::string name = file.param.filename().string();
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace strobe
