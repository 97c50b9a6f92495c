#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "strobe/analysis/memory/allocator_study.h"
#include "strobe/report/render/document.h"
#include "strobe/trace/allocator_snapshot.h"
#include "strobe/trace/import_report.h"

namespace strobe::report {

struct AllocatorPage {
  std::string path;
  std::size_t top = 10;  // rows per table, 0 = all
  bool verbose = false;
  std::uint32_t columns = 0;  // of the curves for tools, 0 = none; the study must have curves then
};

// Who holds the memory of an allocator now and at the peak, what grew, and what is reserved in
// vain.
Document allocator_document(const AllocatorSnapshot& snapshot,
                            const analysis::AllocatorStudy& study, const ImportReport& import,
                            const AllocatorPage& page);

}  // namespace strobe::report
