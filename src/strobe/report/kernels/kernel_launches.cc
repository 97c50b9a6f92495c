#include "strobe/report/kernels/kernel_launches.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "strobe/base/csv.h"
#include "strobe/device/kernel_name.h"
#include "strobe/report/kernels/kernel_numbers.h"
#include "strobe/report/render/display_text.h"
#include "strobe/report/render/render.h"

namespace strobe::report {
namespace {

using analysis::KernelStudy;

std::string name_field(std::string_view name) {
  std::string text = device::table_name(printable(name));
  const std::size_t columns = std::min(device::kTableNameLength, columns_of(text));
  text.append(device::kTableNameLength - columns, ' ');
  return text;
}

std::string fraction_field(std::optional<double> percent) {
  return percent ? fmt::format("{:7.2f}", *percent / 100) : fmt::format("{:>7}", "-");
}

std::optional<double> headroom_field(const analysis::KernelSample& sample) {
  const std::optional<double> ns = analysis::headroom_ns(sample);
  return ns ? std::optional(rounded(*ns, 3)) : std::nullopt;
}

std::string shape_field(const LaunchShape& shape) {
  return shape.is_known() ? fmt::format("{}x{}x{}", shape.x, shape.y, shape.z) : std::string();
}

template <class Number>
std::optional<Number> entry(const std::vector<Number>& column, std::size_t row) {
  return row < column.size() ? std::optional(column[row]) : std::nullopt;
}

std::vector<KernelMetric> counted_metrics(const KernelTable& table) {
  std::vector<KernelMetric> metrics;
  for (std::size_t i = 0; i < kKernelMetrics; ++i) {
    const auto metric = static_cast<KernelMetric>(i);
    const bool has_own_column =
        metric == KernelMetric::kTensorPercent || metric == KernelMetric::kDramPercent;
    if (table.has(metric) && !has_own_column) metrics.push_back(metric);
  }
  return metrics;
}

}  // namespace

Document kernel_launch_document(const analysis::KernelStudy& study, const KernelPage& page) {
  Document document;
  document.schema = "strobe.kernels";
  document.title = fmt::format("strobe kernels: {}",
                               std::filesystem::path(study.table->path).filename().string());
  document.facts = kernel_facts(study);
  Section section;
  section.key = "launches";
  section.title = "Launches";
  section.table.columns = {{"row", "row", ColumnType::kNumber},
                           {"kernel", "kernel", ColumnType::kName, 10},
                           {"duration_ns", "latency", ColumnType::kDuration, 9},
                           {"tensor_share", "Tensor", ColumnType::kShare, 8},
                           {"dram_share", "DRAM", ColumnType::kShare, 8},
                           {"bound", "bound", ColumnType::kText, 7}};
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

std::string kernel_classic_table(const analysis::KernelStudy& study,
                                 analysis::KernelNameForm form) {
  std::string out = fmt::format("{:<50} {:>11}{:>7}{:>7}\n", "Kernel", "Latency", "Tensor", "DRAM");
  for (std::size_t row = 0; row < study.launches.size(); ++row) {
    const analysis::KernelSample sample = study.sample(row);
    out += fmt::format("{}|{:11}{}{}\n", name_field(name_in(study.identity(row), form)),
                       sample.latency_ns, fraction_field(sample.tensor_percent),
                       fraction_field(sample.dram_percent));
  }
  return out;
}

std::string kernel_launch_csv(const KernelStudy& study, const KernelPage& page) {
  const KernelTable& table = *study.table;
  const std::vector<KernelMetric> metrics = counted_metrics(table);
  std::string out =
      "row,id,name,family,duration_ns,tensor_percent,dram_percent,bound,headroom_ns,is_short,grid,"
      "block,stream,context,device";
  for (const KernelMetric metric : metrics) out += fmt::format(",{}", word_of(metric));
  out += "\n";
  CsvWriter csv(out);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const analysis::KernelSample sample = study.sample(row);
    const analysis::KernelIdentity& identity = study.identity(row);
    const analysis::StudiedLaunch& launch = study.launches[row];
    const bool is_counted = launch.bound != analysis::KernelBound::kUnknown;
    csv.field(row)
        .field(entry(table.ids, row))
        .field(name_in(identity, page.names))
        .field(word_of(identity.family))
        .field(sample.latency_ns)
        .field(sample.tensor_percent)
        .field(sample.dram_percent)
        .field(is_counted ? word_of(launch.bound) : "")
        .field(headroom_field(sample))
        .field(launch.is_short)
        .field(row < table.grids.size() ? shape_field(table.grids[row]) : "")
        .field(row < table.blocks.size() ? shape_field(table.blocks[row]) : "")
        .field(entry(table.streams, row))
        .field(entry(table.contexts, row))
        .field(entry(table.device_indices, row));
    for (const KernelMetric metric : metrics) csv.field(table.value(metric, row));
    csv.end_row();
  }
  return out;
}

std::string kernel_group_csv(const KernelStudy& study, const KernelPage& page) {
  Document document;
  document.sections.push_back(kernel_group_section(study, page));
  return render_csv(document);
}

}  // namespace strobe::report
