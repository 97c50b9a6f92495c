#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/query/asked.h"
#include "tests/unit/query/needs_duckdb.h"

namespace strobe::query {
namespace {

// A run without a trace.
std::string csv_without_trace(const KernelTable* counters, const bench::BenchRun* cells,
                              std::string_view sql) {
  const Trace trace;
  const ImportReport import;
  auto engine = Engine::open({{.run = "run",
                               .rank = 0,
                               .path = "file",
                               .trace = &trace,
                               .import = &import,
                               .counters = counters,
                               .bench = cells}});
  return engine ? csv_of(*engine, sql) : engine.error().what;
}

TEST(CounterTablesTest, a_launch_has_its_shape_and_its_counters) {
  STROBE_NEEDS_DUCKDB();
  KernelTable kernels;
  for (const char* name : {"gemm", "add"}) {
    kernels.names.push_back(kernels.strings.intern(name));
    kernels.durations_ns.push_back(1'500);
    kernels.ids.push_back(static_cast<std::uint32_t>(kernels.ids.size() + 4));
    kernels.grids.push_back({8, 2, 1});
    kernels.blocks.push_back({});
  }
  kernels.set(KernelMetric::kDramPercent, 1, 62.5);
  EXPECT_EQ(csv_without_trace(&kernels, nullptr,
                              "select launch, id, name, dur, device, grid_x, grid_y, block_x, "
                              "dram_percent, tensor_percent from kernel_counters order by launch"),
            "launch,id,name,dur,device,grid_x,grid_y,block_x,dram_percent,tensor_percent\n"
            "0,4,gemm,1500,,8,2,,,\n"
            "1,5,add,1500,,8,2,,62.5,\n");
}

TEST(CounterTablesTest, a_cell_has_its_headline_and_its_rates) {
  STROBE_NEEDS_DUCKDB();
  bench::BenchRun run;
  run.header.device = "a device";
  bench::CellRecord timed;
  timed.cell = {"softmax", {{64, 128}}, bench::DType::kF16, "cuda-fused"};
  timed.status = bench::CellStatus::kOk;
  timed.times[bench::TimeMode::kCall] = {.p50 = 9, .n = 3};
  timed.times[bench::TimeMode::kDevice] = {.p50 = 2, .min = 1.5, .n = 21, .ci95 = {1.9, 2.1}};
  timed.bytes.min = 4'000;
  bench::CellRecord failed;
  failed.cell = {"softmax", {{64, 256}}, bench::DType::kF16, "cuda-fused"};
  failed.status = bench::CellStatus::kOom;
  failed.reason = "needs 3 GB";
  run.cells = {timed, failed};
  EXPECT_EQ(
      csv_without_trace(
          nullptr, &run,
          "select case_name, shape, dtype, provider, status, reason, mode, samples, median, "
          "low, high, least, gb_per_s, tflop_per_s, device from bench_cells"),
      "case_name,shape,dtype,provider,status,reason,mode,samples,median,low,high,least,gb_per_s,"
      "tflop_per_s,device\n"
      "softmax,64x128,f16,cuda-fused,ok,,device,21,2,1.9,2.1,1.5,2,,a device\n"
      "softmax,64x256,f16,cuda-fused,oom,needs 3 GB,,,,,,,,,a device\n");
}

}  // namespace
}  // namespace strobe::query
