#include "strobe/cli/bench_paddle_lines.h"

#include <fmt/format.h>

#include "strobe/bench/reference/reference.h"

namespace strobe::cli {

using bench::CellRecord;
using bench::CellStatus;
using bench::TimeMode;
using bench::TimeSummary;

std::string bench_paddle_lines(const bench::BenchRun& run) {
  std::string text;
  for (const CellRecord& record : run.cells) {
    const bool has_run = record.status == CellStatus::kOk || record.status == CellStatus::kWrong;
    if (record.cell.case_id != "attention" || !has_run || record.headline() == nullptr) continue;
    if (record.accuracy) text += bench::equality_line(*record.accuracy) + "\n";
    // Wall time, as that benchmark takes it, where it was measured.
    const TimeSummary* const call = record.time(TimeMode::kCall);
    const double us = (call != nullptr ? call : record.headline())->p50;
    const std::string& provider = record.cell.provider;
    const bool is_plain = provider.find("eager") != std::string::npos ||
                          provider.find("math") != std::string::npos ||
                          provider.find("unfused") != std::string::npos;
    const bench::Shape& shape = record.cell.shape;
    text += fmt::format("{} | {:2} | {:2} | {:4} |  Time costs: {:.3f} ms / time\n",
                        is_plain ? "Attention" : "FlashAttention", shape[0], shape[3], shape[1],
                        us / 1e3);
  }
  return text;
}

}  // namespace strobe::cli
