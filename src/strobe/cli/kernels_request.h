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

// The request of an action of `strobe kernels`; a flag that the action lacks keeps its default.
struct KernelsRequest {
  std::vector<std::string> files;  // one; for diff two
  Format format = Format::kText;
  analysis::StudyOptions study;
  std::optional<analysis::KernelGrouping> grouping;
  std::optional<analysis::KernelNameForm> names;
  std::optional<analysis::KernelOrder> typed_order;
  analysis::KernelOrder order = analysis::KernelOrder::kTime;
  std::optional<std::size_t> typed_top;
  std::size_t top = 0;                    // rows per table, 0: all
  std::optional<double> slower_fails_at;  // for diff: a share, 0.05 is 5 %
  std::string output;                     // "": stdout

  analysis::KernelNameForm name_form() const {
    return names.value_or(analysis::KernelNameForm::kDetail);
  }
};

// The flags of an action, and its completion.
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

// "slower", "slower:5%": the share by which a kernel may get slower.
Result<double> read_slower_gate(std::string_view flag, std::string_view typed);

// A file of kernels and its study, which points into the table.
struct LoadedKernels {
  std::unique_ptr<const KernelTable> table;
  analysis::KernelStudy study;
};

// Shows progress; warns about a --chip that strobe does not know.
Result<LoadedKernels> load_kernels(const std::string& path, const analysis::StudyOptions& options,
                                   const Terminal& terminal);

Command kernels_record_action();
Command kernels_metrics_action();

}  // namespace strobe::cli
