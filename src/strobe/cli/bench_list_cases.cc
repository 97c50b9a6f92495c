#include "strobe/cli/bench_list_cases.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/bench/cases/case_info.h"

namespace strobe::cli {
namespace {

using bench::CaseInfo;

// Where rows and columns are long the ceiling is a number of its own.
constexpr std::int64_t kLong = 65536;

// A row that does not stay on the chip is read again for every sum of it. It is a loss where no
// operator by itself needs its row twice: else the unfused side reads more as well.
bool loses_by_streaming(const CaseInfo& info, const bench::CaseCosts& costs) {
  const auto needs_row_twice = [](const bench::Operator& op) {
    return op.expression.has_reduction() &&
           std::ranges::any_of(op.expression.outputs, [](const bench::Output& output) {
             return output.tensor.extent == bench::Extent::kElements;
           });
  };
  return costs.streamed_bytes > costs.min_bytes &&
         std::ranges::none_of(info.operators, needs_row_twice);
}

std::string ceiling_text(const CaseInfo& info) {
  if (info.kind != bench::CaseKind::kRows) return "-";
  const auto costs = bench::costs_of(info, bench::Shape{{kLong, kLong}}, bench::DType::kF32);
  if (!loses_by_streaming(info, costs)) return fmt::format("{:.2f}x", costs.ceiling());
  return fmt::format("{:.2f} / {:.2f}x", costs.ceiling(),
                     costs.unfused_bytes / costs.streamed_bytes);
}

}  // namespace

std::string bench_case_lines() {
  std::string text =
      "Cases (what fusion alone can win at large shapes / if rows do not stay on the chip; kernels "
      "without it)\n";
  for (const CaseInfo& info : bench::cases()) {
    text += fmt::format("  {:<34} {:>12} {:>3}  {}\n", info.id, ceiling_text(info),
                        info.eager_kernels, info.definition);
  }
  return text;
}

}  // namespace strobe::cli
