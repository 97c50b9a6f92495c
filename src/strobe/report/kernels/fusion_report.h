#pragma once

#include <cstddef>
#include <string>

#include "strobe/report/kernels/kernel_report.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

struct FusionPage {
  analysis::KernelNameForm names = analysis::KernelNameForm::kDetail;
  std::size_t top = 0;  // chains, 0: all
};

// What could be fused: the chains by their savings, each with its kernels.
Document fusion_document(const analysis::KernelStudy& study, const FusionPage& page);

std::string fusion_json(const analysis::KernelStudy& study, const FusionPage& page);
std::string fusion_csv(const analysis::KernelStudy& study, const FusionPage& page);
std::string fusion_html(const analysis::KernelStudy& study, const FusionPage& page);

}  // namespace strobe::report
