#include "strobe/cli/bench_paddle_lines.h"

#include <fmt/format.h>

#include "strobe/bench/reference/reference.h"

namespace strobe::cli {

using bench::CellRecord;
using bench::CellStatus;
using bench::TimeMode;
using bench::TimeSummary;

namespace {

// What stands before the time.
std::string head_of(const bench::Cell& cell) {
  if (cell.case_id != "attention") {
    return fmt::format("{} | {} | {} | {}", cell.case_id, cell.provider,
                       bench::dtype_name(cell.dtype), bench::shape_text(cell.shape));
  }
  const bool is_plain = cell.provider.find("eager") != std::string::npos ||
                        cell.provider.find("math") != std::string::npos ||
                        cell.provider.find("unfused") != std::string::npos;
  return fmt::format("{} | {:2} | {:2} | {:4}", is_plain ? "Attention" : "FlashAttention",
                     cell.shape[0], cell.shape[3], cell.shape[1]);
}

}  // namespace

std::string bench_paddle_lines(const bench::BenchRun& run) {
  std::string text;
  for (const CellRecord& record : run.cells) {
    const bool has_run = record.status == CellStatus::kOk || record.status == CellStatus::kWrong;
    if (!has_run || record.headline() == nullptr) continue;
    if (record.accuracy) text += bench::equality_line(*record.accuracy) + "\n";
    // Wall time, as that benchmark takes it, where it was measured.
    const TimeSummary* const call = record.time(TimeMode::kCall);
    const double us = (call != nullptr ? call : record.headline())->p50;
    text += fmt::format("{} |  Time costs: {:.3f} ms / time\n", head_of(record.cell), us / 1e3);
  }
  return text;
}

}  // namespace strobe::cli
