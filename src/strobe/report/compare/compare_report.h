#pragma once

#include <cstddef>
#include <vector>

#include "strobe/compare/comparison.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

// A comparison for people: the verdict first, then its evidence. `top` rows per table, 0: all.
Document compare_document(const compare::Comparison& comparison, std::size_t top);

// Its sections, in this order; empty ones are not shown.
Section cycle_section(const compare::Comparison& comparison);
Section cause_section(const compare::Comparison& comparison);
Section finding_section(const compare::Comparison& comparison);
Section function_section(const compare::Comparison& comparison, std::size_t top);
Section appearance_section(const compare::Comparison& comparison,
                           std::size_t top);  // new, vanished
Section device_section(const compare::Comparison& comparison);
Section idle_section(const compare::Comparison& comparison, std::size_t top);
Section launch_section(const compare::Comparison& comparison);
Section metric_section(const compare::Comparison& comparison, std::size_t top);
Section untested_metric_section(const compare::Comparison& comparison, std::size_t top);
Section quality_section(const compare::Comparison& comparison);

// The sections of an HTML page, with pictures.
std::vector<Section> compare_page_sections(const compare::Comparison& comparison, std::size_t top);

}  // namespace strobe::report
