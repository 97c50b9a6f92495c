#pragma once

#include <cstddef>
#include <string>

#include "strobe/compare/kernel_diff.h"
#include "strobe/report/kernels/kernel_report.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

// The comparison of two tables of kernels.
struct KernelDiffPage {
  std::string before;  // their names for people: their files
  std::string after;
  std::size_t top = 0;  // rows per table, 0: all
};

// The verdict first, then every kernel by the time it changed.
Document kernel_diff_document(const compare::KernelDiff& diff, const KernelDiffPage& page);

std::string kernel_diff_json(const compare::KernelDiff& diff, const KernelDiffPage& page);
std::string kernel_diff_csv(const compare::KernelDiff& diff, const KernelDiffPage& page);
std::string kernel_diff_html(const compare::KernelDiff& diff, const KernelDiffPage& page);

}  // namespace strobe::report
