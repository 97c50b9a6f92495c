#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include "strobe/analysis/tables/summary.h"
#include "strobe/paddle/summary_text.h"
#include "strobe/readers/trace_reader.h"

// From a file to its printed tables: every figure is the sum of durations in the file.
namespace strobe {
namespace {

using analysis::View;

struct Total {
  int calls = 0;
  std::int64_t total_ns = 0;
  void add(std::int64_t duration_ns) {
    ++calls;
    total_ns += duration_ns;
  }
  bool operator==(const Total&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Total& total) {
  return out << total.calls << " calls, " << total.total_ns << " ns";
}
using Totals = std::map<std::string, Total>;

// Operators side by side in one step, each with its own launches, in Paddle's order and rounding;
// some ids repeat, and some calls are outside every range.
class RandomFile {
 public:
  explicit RandomFile(unsigned seed) : random_(seed) {
    const int operator_count = number(1, 20);
    std::string body;
    std::int64_t now_ns = 0;
    for (int i = 0; i < operator_count; ++i) {
      const std::string name = "op" + std::to_string(number(0, 4)) + " dygraph";
      const std::int64_t duration_ns = number(1'000, 90'000);
      body += host(name, "Operator", "C++", now_ns, duration_ns, "");
      operators.insert({name, {}}).first->second.add(duration_ns);
      for (int calls = number(0, 3); calls > 0; --calls) {
        body += call(now_ns + number(0, 400), number(1, 500), &launched[name]);
      }
      now_ns += duration_ns + number(0, 2'000);
    }
    std::string front;
    if (number(0, 1) == 1) front = call(now_ns, 700, nullptr);
    const std::string step = host("ProfileStep#3", "ProfileStep", "Python", 0, now_ns, "");
    text_ = R"({"schemaVersion":"1.0.2","span_indx":"0","traceEvents":[)" + front + step + body +
            R"({}],"ExtraInfo":{}})";
  }

  const std::string& text() const { return text_; }

  Totals operators;
  Totals launched;  // device time by operator
  Totals kernels;

 private:
  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  static std::string micros(std::int64_t ns) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", static_cast<double>(ns) / 1000.0);
    return text;
  }

  std::string slice(const std::string& name, const std::string& category, const std::string& track,
                    std::int64_t start_ns, std::int64_t duration_ns, const std::string& args) {
    return R"({"name":")" + name + "[" + micros(duration_ns) + R"( us]",)" + track +
           R"(,"ph":"X","cat":")" + category + R"(","ts":)" +
           std::to_string(1'700'000'000'000'000 + start_ns / 1000) + R"(,"dur":)" +
           micros(duration_ns) + R"(,"args":{)" + args + R"("start_time":")" + micros(start_ns) +
           R"( us","end_time":")" + micros(start_ns + duration_ns) + " us\"}},\n";
  }
  std::string host(const std::string& name, const std::string& category, const std::string& side,
                   std::int64_t start_ns, std::int64_t duration_ns, const std::string& args) {
    return slice(name, category, R"("pid":9,"tid":"9()" + side + ")\"", start_ns, duration_ns,
                 args);
  }

  std::string call(std::int64_t start_ns, std::int64_t duration_ns, Total* owner) {
    if (number(0, 9) != 0) ++correlation_;
    const std::string id = R"("correlation id":)" + std::to_string(correlation_) + ",";
    std::string text = host("cudaLaunchKernel", "CudaRuntime", "C++", start_ns, duration_ns, id);
    for (int works = number(0, 2); works > 0; --works) {
      const bool is_kernel = number(0, 3) != 0;
      const std::string name = is_kernel ? "kernel" + std::to_string(number(0, 3)) : "MEMSET";
      const std::int64_t work_ns = number(1, 400'000);
      text += slice(name, is_kernel ? "Kernel" : "Memset", R"("pid":0,"tid":7)",
                    start_ns + number(0, 900'000), work_ns, id);
      if (is_kernel) kernels[name].add(work_ns);
      if (owner != nullptr) owner->add(work_ns);
    }
    return text;
  }

  std::mt19937 random_;
  int correlation_ = 0;
  std::string text_;
};

struct PrintedRow {
  int calls = 0;
  std::int64_t totals_ns[2] = {};  // of the first two groups of figures
};

// The rows of a table that begin with `prefix`: name, calls, then figures joined by " / ".
std::map<std::string, PrintedRow> printed_rows(const std::string& table,
                                               const std::string& prefix) {
  std::map<std::string, PrintedRow> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(prefix)) continue;
    const std::size_t name_end = line.find("  ");
    std::istringstream cells(line.substr(name_end));
    PrintedRow row;
    cells >> row.calls;
    for (std::int64_t& total_ns : row.totals_ns) {
      double number = 0;
      std::string word;
      if (!(cells >> number)) break;
      total_ns = static_cast<std::int64_t>(number);
      for (int i = 0; i < 8; ++i) cells >> word;  // the slashes and the other four figures
    }
    rows[line.substr(0, name_end)] = row;
  }
  return rows;
}

std::string printed_table(const RandomFile& file, View view) {
  const auto loaded = readers::read_trace_bytes(file.text(), "random");
  if (!loaded) return loaded.error().what;
  analysis::TableOptions options;
  options.views = analysis::ViewSet().with(view);
  options.unit = analysis::TimeUnit::kNanoseconds;
  analysis::SummaryOptions classic;
  classic.rules = analysis::TreeRules::kCompatible;
  return paddle::summary_text(loaded->trace, analysis::summarize(loaded->trace, classic), options);
}

class PrintedTotalsTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(PrintedTotalsTest, a_kernel_row_is_the_sum_of_its_kernels_wherever_they_were_launched) {
  const RandomFile file(GetParam());
  Totals printed;
  for (const auto& [name, row] : printed_rows(printed_table(file, View::kKernel), "kernel")) {
    printed[name] = {row.calls, row.totals_ns[0]};
  }
  EXPECT_EQ(printed, file.kernels);
}

TEST_P(PrintedTotalsTest, an_operator_row_is_the_sum_of_its_calls_and_of_what_they_launched) {
  const RandomFile file(GetParam());
  const auto rows = printed_rows(printed_table(file, View::kOperator), "op");
  ASSERT_EQ(rows.size(), file.operators.size());
  for (const auto& [name, total] : file.operators) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(rows.contains(name));
    const PrintedRow& row = rows.at(name);
    EXPECT_EQ((Total{row.calls, row.totals_ns[0]}), total);
    const auto launched = file.launched.find(name);
    EXPECT_EQ(row.totals_ns[1], launched == file.launched.end() ? 0 : launched->second.total_ns);
  }
}

INSTANTIATE_TEST_SUITE_P(RandomFiles, PrintedTotalsTest, ::testing::Range(0u, 60u));

}  // namespace
}  // namespace strobe
