#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/provider.h"

// The cases that are made of matrix products, in f64: some rows of their outputs.
namespace strobe::bench {

std::vector<double> matmul_rows(const CaseInfo& info, const PrepareRequest& request,
                                std::span<const std::int64_t> rows);
std::vector<double> convolution_rows(const CaseInfo& info, const PrepareRequest& request,
                                     std::span<const std::int64_t> rows);
std::vector<double> attention_rows(const CaseInfo& info, const PrepareRequest& request,
                                   std::span<const std::int64_t> rows);

}  // namespace strobe::bench
