#include "strobe/cli/bench_paddle_lines.h"

#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

using bench::BenchRun;
using bench::CellRecord;
using bench::CellStatus;
using bench::TimeMode;

CellRecord timed(const char* provider, double us) {
  CellRecord record;
  record.cell = {"softmax", bench::Shape{{128, 128}}, bench::DType::kF32, provider};
  record.status = CellStatus::kOk;
  record.bytes.min = 131072;
  record.times[TimeMode::kDevice].p50 = us;
  record.times[TimeMode::kDevice].ci95 = {us * 0.99, us * 1.01};
  return record;
}

TEST(BenchPaddleLines, every_cell_has_two_and_attention_has_those_of_paddle) {
  BenchRun run;
  CellRecord attention = timed("cudnn", 77800);
  attention.cell.case_id = "attention";
  attention.cell.shape = bench::Shape{{16, 1024, 8, 32}};
  attention.times[TimeMode::kCall].p50 = 116100;
  attention.accuracy = bench::Accuracy{};
  attention.accuracy->checked = 4;
  CellRecord small = attention;
  small.cell.shape = bench::Shape{{1, 128, 8, 64}};
  small.cell.provider = "torch-eager";
  CellRecord softmax = timed("cpu", 3);
  softmax.accuracy = bench::Accuracy{};
  softmax.accuracy->checked = 4;
  softmax.accuracy->mismatches = 1;
  run.cells = {softmax, attention, small};
  EXPECT_EQ(bench_paddle_lines(run),
            "Equality ratio: 75.00%\n"
            "softmax | cpu | f32 | 128x128 |  Time costs: 0.003 ms / time\n"
            "Equality ratio: 100.00%\n"
            "FlashAttention | 16 | 32 | 1024 |  Time costs: 116.100 ms / time\n"
            "Equality ratio: 100.00%\n"
            "Attention |  1 | 64 |  128 |  Time costs: 116.100 ms / time\n");
}

}  // namespace
}  // namespace strobe::cli
