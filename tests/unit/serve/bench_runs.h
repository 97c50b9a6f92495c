#pragma once

#include <string>

#include "strobe/bench/results/cell_record.h"

// Small benchmark runs to ask about.
namespace strobe::test {

inline bench::CellRecord bench_cell(std::string provider, bench::Shape shape, double us,
                                    std::string case_id = "pointwise_chain") {
  bench::CellRecord record;
  record.cell = {std::move(case_id), std::move(shape), bench::DType::kF32, std::move(provider)};
  record.status = bench::CellStatus::kOk;
  record.times[bench::TimeMode::kDevice] = {.p50 = us,
                                            .p20 = us * 0.9,
                                            .p80 = us * 1.1,
                                            .min = us * 0.8,
                                            .mad = us * 0.01,
                                            .n = 50,
                                            .ci95 = {us * 0.99, us * 1.01}};
  record.bytes.min = 8000;
  record.bytes.unfused = 44000;
  record.flops = 3000;
  return record;
}

inline bench::CellRecord failed_cell(std::string provider, bench::Shape shape,
                                     bench::CellStatus status, std::string reason = "") {
  bench::CellRecord record = bench_cell(std::move(provider), std::move(shape), 1);
  record.status = status;
  record.times.clear();
  record.reason = std::move(reason);
  return record;
}

}  // namespace strobe::test
