#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "strobe/report/kernels/kernel_report.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

struct RooflinePage {
  analysis::KernelNameForm names = analysis::KernelNameForm::kDetail;
  std::size_t top = 0;        // points with a letter and a row, 0: all
  std::size_t columns = 100;  // room for the picture
};

// The picture, its points and its roofs. Kernels without operations and bytes are in a second one,
// by their shares of the two resources.
Document roofline_document(const analysis::KernelStudy& study, const RooflinePage& page);

// For tools; keys as in docs/kernels.md.
std::string roofline_json(const analysis::KernelStudy& study, const RooflinePage& page);
std::string roofline_csv(const analysis::KernelStudy& study, const RooflinePage& page);

std::string_view word_of(analysis::RoofSource source);  // "data_sheet", "measured", "file"

}  // namespace strobe::report
