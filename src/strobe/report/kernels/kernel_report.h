#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strobe/analysis/headroom/kernel_groups.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

// How a study of kernels is shown.
struct KernelPage {
  analysis::KernelGrouping grouping = analysis::KernelGrouping::kName;
  analysis::KernelNameForm names = analysis::KernelNameForm::kDetail;
  analysis::KernelOrder order = analysis::KernelOrder::kTime;
  std::size_t top = 0;  // rows per table, 0: all
};

// A study for people: the verdict first, then the groups, families, bounds, structure, short
// kernels and advice.
Document kernel_document(const analysis::KernelStudy& study, const KernelPage& page);

// The same as one HTML file, with a roofline picture.
std::string kernel_html(const analysis::KernelStudy& study, const KernelPage& page);

// The conclusion: how long, what limits it, what could be gained, and the first thing to do.
std::vector<std::string> kernel_verdict(const analysis::KernelStudy& study);

// The sections of the document; empty ones are not shown.
Section kernel_group_section(const analysis::KernelStudy& study, const KernelPage& page);
Section kernel_family_section(const analysis::KernelStudy& study);
Section kernel_bound_section(const analysis::KernelStudy& study);
Section kernel_structure_section(const analysis::KernelStudy& study);
Section kernel_short_section(const analysis::KernelStudy& study);
Section kernel_work_section(const analysis::KernelStudy& study, const KernelPage& page);

// "h200.csv", "NVIDIA H200, 132 SMs": what was read, and from which chip.
std::vector<Fact> kernel_facts(const analysis::KernelStudy& study);

// Remarks on the file and the measurement; one section, or an empty one.
Section kernel_warning_section(const analysis::KernelStudy& study);
// Advice, the most time at stake first.
Section kernel_finding_section(const analysis::KernelStudy& study, std::size_t most);

}  // namespace strobe::report
