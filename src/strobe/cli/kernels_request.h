#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/headroom/kernel_groups.h"
#include "strobe/analysis/headroom/kernel_study.h"
#include "strobe/cli/command.h"
#include "strobe/trace/kernel_table.h"

namespace strobe::cli {

// What an action of `strobe kernels` was asked for; an action without a flag has its default.
struct KernelsRequest {
  std::vector<std::string> files;  // one, of diff two
  Format format = Format::kText;
  analysis::StudyOptions study;
  std::optional<analysis::KernelGrouping> grouping;
  std::optional<analysis::KernelNameForm> names;
  std::optional<analysis::KernelOrder> typed_order;
  analysis::KernelOrder order = analysis::KernelOrder::kTime;
  std::optional<std::size_t> typed_top;
  std::size_t top = 0;                    // rows a table, 0: all
  std::optional<double> slower_fails_at;  // of diff: a share, 0.05 is 5 %
  std::string output;                     // "": stdout

  analysis::KernelNameForm name_form() const {
    return names.value_or(analysis::KernelNameForm::kDetail);
  }
};

// An action's flags, and what it needs besides.
std::vector<Flag> kernels_show_flags(KernelsRequest& request);
std::vector<Flag> kernels_roofline_flags(KernelsRequest& request);
std::vector<Flag> kernels_fuse_flags(KernelsRequest& request);
std::vector<Flag> kernels_diff_flags(KernelsRequest& request);
std::vector<Flag> kernels_convert_flags(KernelsRequest& request);
Result<void> complete_kernels_show(KernelsRequest& request, const Arguments& arguments);
Result<void> complete_kernels_roofline(KernelsRequest& request, const Arguments& arguments);
Result<void> complete_kernels_fuse(KernelsRequest& request, const Arguments& arguments);
Result<void> complete_kernels_diff(KernelsRequest& request, const Arguments& arguments);
Result<void> complete_kernels_convert(KernelsRequest& request, const Arguments& arguments);

// "slower", "slower:5%": the share by which the whole may get slower.
Result<double> read_slower_gate(std::string_view flag, std::string_view typed);

// A file of kernels and what it says; the study looks into the table.
struct LoadedKernels {
  std::unique_ptr<const KernelTable> table;
  analysis::KernelStudy study;
};

// With progress; a --chip that strobe does not know is warned about.
Result<LoadedKernels> load_kernels(const std::string& path, const analysis::StudyOptions& options,
                                   const Terminal& terminal);

Command kernels_record_action();
Command kernels_metrics_action();

}  // namespace strobe::cli
