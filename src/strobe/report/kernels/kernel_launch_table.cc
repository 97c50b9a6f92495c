#include "strobe/report/kernels/kernel_launch_table.h"

#include <filesystem>

#include <fmt/format.h>

#include "strobe/report/kernels/kernel_numbers.h"

namespace strobe::report {

Document kernel_launch_document(const analysis::KernelStudy& study, const KernelPage& page) {
  Document document;
  document.schema = "strobe.kernels";
  document.title = fmt::format("strobe kernels: {}",
                               std::filesystem::path(study.table->path).filename().string());
  document.facts = kernel_facts(study);
  Section section;
  section.key = "launches";
  section.title = "Launches";
  section.table.columns = {
      {.key = "row", .header = "row", .type = ColumnType::kNumber},
      {.key = "kernel", .header = "kernel", .type = ColumnType::kName, .importance = 10},
      {.key = "duration_ns", .header = "latency", .type = ColumnType::kDuration, .importance = 9},
      {.key = "tensor_share", .header = "Tensor", .type = ColumnType::kShare, .importance = 8},
      {.key = "dram_share", .header = "DRAM", .type = ColumnType::kShare, .importance = 8},
      {.key = "bound", .header = "bound", .importance = 7}};
  for (std::size_t row = 0; row < study.launches.size(); ++row) {
    const analysis::KernelSample sample = study.sample(row);
    const analysis::KernelBound bound = study.launches[row].bound;
    section.table.rows.push_back(
        {{Text{std::to_string(row)}, Text{std::string(name_in(study.identity(row), page.names))},
          Duration{sample.latency_ns}, percent_cell(sample.tensor_percent),
          percent_cell(sample.dram_percent),
          bound == analysis::KernelBound::kUnknown ? Cell{Absent{}}
                                                   : Cell{Text{std::string(word_of(bound))}}}});
  }
  drop_empty_columns(section.table);
  document.sections.push_back(std::move(section));
  return document;
}

}  // namespace strobe::report
