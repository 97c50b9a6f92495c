#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "strobe/analysis/headroom/kernel_study.h"
#include "strobe/base/result.h"
#include "strobe/cli/output.h"
#include "strobe/cli/terminal.h"
#include "strobe/report/render/document.h"
#include "strobe/trace/kernel_table.h"

namespace strobe::cli {

// A file of kernels and what it says; the study looks into the table.
struct LoadedKernels {
  std::unique_ptr<const KernelTable> table;
  analysis::KernelStudy study;
};

// With progress; what was typed for a chip that nobody knows is warned about.
Result<LoadedKernels> load_kernels(const std::filesystem::path& path,
                                   const analysis::StudyOptions& options, const Terminal& terminal);

// A document as this terminal shows it.
std::string kernel_text(const report::Document& document, const Terminal& terminal);

// Writes an answer whole.
Result<void> give(Output& output, std::string_view text);

}  // namespace strobe::cli
