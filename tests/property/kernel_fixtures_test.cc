#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "strobe/base/byte_stream.h"
#include "strobe/readers/counters/kernel_reader.h"
#include "tests/property/shared_files.h"

// Compares real lists of kernels with a parser independent of the readers: one character at a time,
// every number by its digits.
namespace strobe::readers {
namespace {

namespace fs = std::filesystem;

KernelTable kernels_in(const fs::path& path) {
  Result<KernelTable> table = read_kernels(path);
  EXPECT_TRUE(table) << (table ? "" : table.error().what);
  return table ? std::move(table).value() : KernelTable{};
}

using Row = std::map<std::string, std::string>;

std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool is_inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && is_inside && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[i++];
    } else if (line[i] == '"') {
      is_inside = !is_inside;
    } else if (line[i] == ',' && !is_inside) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

// The rows below the header, by column. No name in these files holds a line end.
std::vector<Row> csv_rows(const std::string& text) {
  std::istringstream lines(text);
  std::vector<std::string> header;
  std::vector<Row> rows;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("\"ID\"", 0) == 0) {
      header = csv_fields(line);
    } else if (!header.empty() && !line.empty()) {
      const std::vector<std::string> fields = csv_fields(line);
      Row& row = rows.emplace_back();
      for (std::size_t i = 0; i < fields.size() && i < header.size(); ++i) {
        row[header[i]] = fields[i];
      }
    }
  }
  return rows;
}

double number_in(std::string text) {
  std::erase(text, ',');
  return std::stod(text);
}

// Hundredths as a whole number: "27.3" is 2730.
std::int64_t hundredths_of(const std::string& text) { return std::llround(number_in(text) * 100); }

TEST(KernelFixtures, every_launch_of_the_raw_page_is_read_as_it_is_written) {
  const fs::path path = kShared / "traces" / "h200_gpt_ncu_raw.csv.gz";
  STROBE_NEEDS_SHARED();
  const KernelTable table = kernels_in(path);
  std::vector<Row> rows = csv_rows(file_text(path));
  ASSERT_FALSE(rows.empty());
  Row units = rows.front();
  rows.erase(rows.begin());
  ASSERT_EQ(units["gpu__time_duration.sum"], "ns");
  ASSERT_EQ(units["dram__bytes_read.sum"], "byte");
  ASSERT_EQ(table.size(), 606u);
  ASSERT_EQ(rows.size(), table.size());

  std::int64_t total_ns = 0, tensor = 0, dram = 0;  // the sums in hundredths of a percent
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    EXPECT_EQ(std::to_string(table.ids[i]), row["ID"]);
    EXPECT_EQ(table.name(i), row["Kernel Name"]);
    const auto duration_ns = static_cast<std::int64_t>(number_in(row["gpu__time_duration.sum"]));
    EXPECT_EQ(table.durations_ns[i], duration_ns);
    const auto expect = [&](KernelMetric metric, const std::string& column) {
      EXPECT_EQ(table.value(metric, i), number_in(row[column])) << column << " of row " << i;
    };
    const std::string tensor_column =
        "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed";
    const std::string dram_column = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
    expect(KernelMetric::kTensorPercent, tensor_column);
    expect(KernelMetric::kDramPercent, dram_column);
    expect(KernelMetric::kSmPercent, "sm__throughput.avg.pct_of_peak_sustained_elapsed");
    expect(KernelMetric::kOccupancyPercent, "sm__warps_active.avg.pct_of_peak_sustained_active");
    expect(KernelMetric::kDramReadBytes, "dram__bytes_read.sum");
    expect(KernelMetric::kDramWriteBytes, "dram__bytes_write.sum");
    expect(KernelMetric::kRegistersPerThread, "launch__registers_per_thread");
    const auto shape = [](const LaunchShape& one) {
      return "(" + std::to_string(one.x) + ", " + std::to_string(one.y) + ", " +
             std::to_string(one.z) + ")";
    };
    EXPECT_EQ(shape(table.grids[i]), row["Grid Size"]);
    EXPECT_EQ(shape(table.blocks[i]), row["Block Size"]);
    total_ns += duration_ns;
    tensor += duration_ns * hundredths_of(row[tensor_column]);
    dram += duration_ns * hundredths_of(row[dram_column]);
  }
  EXPECT_EQ(total_ns, 6'657'984);
  const auto percent = [&](std::int64_t sum) {
    return std::llround(double(sum) / double(total_ns));
  };
  EXPECT_EQ(percent(tensor), 1386) << "13.86 %";
  EXPECT_EQ(percent(dram), 2732) << "27.32 %";
  ASSERT_EQ(table.devices.size(), 1u);
  EXPECT_EQ(table.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(table.devices[0].sm_count, 132);
  EXPECT_EQ(table.clock_policy, ClockPolicy::kFree);
  EXPECT_TRUE(table.remarks.empty());
}

TEST(KernelFixtures, a_fraction_of_the_text_table_is_a_whole_percent) {
  const fs::path path = kShared / "data" / "kernels_a100_gpt.txt";
  STROBE_NEEDS_SHARED();
  const KernelTable table = kernels_in(path);
  std::istringstream lines(file_text(path));
  std::string line;
  std::getline(lines, line);
  std::size_t row = 0;
  std::int64_t total_ns = 0;
  for (; std::getline(lines, line); ++row) {
    ASSERT_LT(row, table.size());
    // Columns of fixed width: 50 for the name, a bar, 11, 7 and 7.
    std::string name = line.substr(0, 50);
    name.erase(name.find_last_not_of(' ') + 1);
    EXPECT_EQ(table.name(row), name);
    EXPECT_EQ(table.durations_ns[row], std::stoll(line.substr(51, 11)));
    const auto whole_percent = [&](std::size_t at) {
      std::string digits = line.substr(at, 7);
      std::erase(digits, '.');
      return static_cast<double>(std::stoll(digits));
    };
    EXPECT_EQ(table.value(KernelMetric::kTensorPercent, row), whole_percent(62)) << line;
    EXPECT_EQ(table.value(KernelMetric::kDramPercent, row), whole_percent(69)) << line;
    total_ns += table.durations_ns[row];
  }
  EXPECT_EQ(row, 971u);
  EXPECT_EQ(table.size(), row);
  EXPECT_EQ(total_ns, 32'061'824);
  EXPECT_TRUE(table.remarks.empty());
}

// One launch of a file with a row per metric.
using Metrics = std::map<std::string, std::string>;

TEST(KernelFixtures, every_metric_row_finds_its_launch) {
  const std::vector<std::pair<std::string, std::map<std::string, KernelMetric>>> files = {
      {"ncu_metric_rows.csv",
       {{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", KernelMetric::kDramPercent},
        {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
         KernelMetric::kTensorPercent}}},
      {"ncu_details_rows.csv",
       {{"DRAM Throughput", KernelMetric::kDramPercent},
        {"Memory Throughput", KernelMetric::kMemoryPercent},
        {"Compute (SM) Throughput", KernelMetric::kSmPercent},
        {"L1/TEX Cache Throughput", KernelMetric::kL1Percent},
        {"L2 Cache Throughput", KernelMetric::kL2Percent},
        {"SM Frequency", KernelMetric::kClockHz},
        {"DRAM Frequency", KernelMetric::kDramClockHz},
        {"Elapsed Cycles", KernelMetric::kElapsedCycles},
        {"SM Active Cycles", KernelMetric::kActiveCycles}}}};
  for (const auto& [name, known] : files) {
    const fs::path path = kShared / "data" / name;
    STROBE_NEEDS_SHARED();
    const KernelTable table = kernels_in(path);
    std::map<std::size_t, Row> launches;  // by number
    std::map<std::size_t, Metrics> metrics;
    for (Row& row : csv_rows(file_text(path))) {
      const std::size_t id = std::stoul(row["ID"]);
      launches[id] = row;
      if (!row["Metric Name"].empty()) metrics[id][row["Metric Name"]] = row["Metric Value"];
    }
    ASSERT_EQ(table.size(), launches.size()) << name;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const std::size_t id = table.ids[i];
      EXPECT_EQ(table.name(i), launches[id]["Kernel Name"]);
      Metrics& of_launch = metrics[id];
      const std::string duration =
          of_launch.contains("Duration") ? "Duration" : "gpu__time_duration.sum";
      EXPECT_EQ(double(table.durations_ns[i]), number_in(of_launch[duration]));
      for (const auto& [label, metric] : known) {
        EXPECT_EQ(table.value(metric, i), number_in(of_launch[label])) << label;
      }
    }
    EXPECT_TRUE(table.remarks.empty()) << name;
  }
}

TEST(KernelFixtures, the_binary_report_equals_its_decoding_to_the_last_bit) {
  const fs::path path = kShared / "data" / "h200_probe.ncu-rep";
  STROBE_NEEDS_SHARED();
  const KernelTable table = kernels_in(path);
  simdjson::dom::parser parser;
  const simdjson::dom::element expected = parser.load(path.string() + ".expected.json");
  std::size_t row = 0;
  for (const simdjson::dom::element result : expected["results"].get_array()) {
    ASSERT_LT(row, table.size());
    EXPECT_EQ(table.name(row), std::string_view(result["demangled"]));
    EXPECT_EQ(table.strings[table.mangled_names[row]], std::string_view(result["mangled"]));
    const auto shape = [&](const char* key) {
      const auto size = [&](std::size_t i) {
        return static_cast<std::uint32_t>(std::uint64_t(result[key].at(i)));
      };
      return LaunchShape{size(0), size(1), size(2)};
    };
    EXPECT_EQ(table.grids[row], shape("grid"));
    EXPECT_EQ(table.blocks[row], shape("block"));
    EXPECT_EQ(table.contexts[row], std::uint64_t(result["context"]));
    EXPECT_EQ(table.streams[row], std::uint64_t(result["stream"]));
    const simdjson::dom::element metrics = result["metrics"];
    EXPECT_EQ(double(table.durations_ns[row]), double(metrics["gpu__time_duration.sum"]));
    EXPECT_EQ(table.value(KernelMetric::kDramPercent, row),
              double(metrics["gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"]));
    EXPECT_EQ(table.value(KernelMetric::kSmPercent, row),
              double(metrics["sm__throughput.avg.pct_of_peak_sustained_elapsed"]));
    EXPECT_EQ(table.value(KernelMetric::kRegistersPerThread, row),
              double(metrics["launch__registers_per_thread"]));
    EXPECT_EQ(table.device_of(row)->name,
              std::string_view(metrics["device__attribute_display_name"]));
    ++row;
  }
  EXPECT_EQ(row, table.size());
  EXPECT_EQ(table.clock_policy, ClockPolicy::kFree);
  EXPECT_TRUE(table.remarks.empty());
}

TEST(KernelFixtures, a_file_cut_anywhere_is_read_or_refused_and_never_grows) {
  const std::vector<fs::path> paths = {kShared / "data" / "h200_probe.ncu-rep",
                                       kShared / "data" / "ncu_details_rows.csv",
                                       kShared / "data" / "ncu_metric_rows.csv"};
  for (const fs::path& path : paths) {
    STROBE_NEEDS_SHARED();
    const std::string bytes = file_text(path);
    const std::size_t launches = kernels_in(path).size();
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / 900);
    std::size_t before = 0;
    for (std::size_t cut = 0; cut < bytes.size(); cut += step) {
      const Result<KernelTable> table =
          read_kernels_bytes(std::string_view(bytes).substr(0, cut), path.string());
      if (!table) {
        EXPECT_EQ(before, 0u) << path << " cut at " << cut << ": " << table.error().what;
        EXPECT_FALSE(table.error().what.empty());
        continue;
      }
      EXPECT_GE(table->size(), before) << path << " cut at " << cut;
      EXPECT_LE(table->size(), launches) << path << " cut at " << cut;
      before = table->size();
    }
  }
}

}  // namespace
}  // namespace strobe::readers
