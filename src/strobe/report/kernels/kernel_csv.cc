#include "strobe/report/kernels/kernel_csv.h"

#include <fmt/format.h>

#include "strobe/report/kernels/kernel_numbers.h"
#include "strobe/report/render/render_csv.h"

namespace strobe::report {
namespace {

using analysis::KernelStudy;

std::string headroom_field(const analysis::KernelSample& sample) {
  const std::optional<double> ns = analysis::headroom_ns(sample);
  return ns ? fmt::format("{}", rounded(*ns, 3)) : std::string();
}

std::string shape_field(const LaunchShape& shape) {
  return shape.is_known() ? fmt::format("{}x{}x{}", shape.x, shape.y, shape.z) : std::string();
}

template <class Number>
std::string entry(const std::vector<Number>& column, std::size_t row) {
  return row < column.size() ? fmt::format("{}", column[row]) : std::string();
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

std::string kernel_launch_csv(const KernelStudy& study, const KernelPage& page) {
  const KernelTable& table = *study.table;
  const std::vector<KernelMetric> metrics = counted_metrics(table);
  std::string out =
      "row,id,name,family,duration_ns,tensor_percent,dram_percent,bound,headroom_ns,is_short,grid,"
      "block,stream,context,device";
  for (const KernelMetric metric : metrics) out += fmt::format(",{}", word_of(metric));
  out += "\n";
  for (std::size_t row = 0; row < table.size(); ++row) {
    const analysis::KernelSample sample = study.sample(row);
    const analysis::KernelIdentity& identity = study.identity(row);
    const analysis::StudiedLaunch& launch = study.launches[row];
    const bool is_counted = launch.bound != analysis::KernelBound::kUnknown;
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", row, entry(table.ids, row),
        csv_field(std::string(name_in(identity, page.names))), word_of(identity.family),
        sample.latency_ns, number_field(sample.tensor_percent), number_field(sample.dram_percent),
        is_counted ? word_of(launch.bound) : "", headroom_field(sample), launch.is_short ? 1 : 0,
        row < table.grids.size() ? shape_field(table.grids[row]) : "",
        row < table.blocks.size() ? shape_field(table.blocks[row]) : "", entry(table.streams, row),
        entry(table.contexts, row), entry(table.device_indices, row));
    for (const KernelMetric metric : metrics) out += "," + number_field(table.value(metric, row));
    out += "\n";
  }
  return out;
}

std::string kernel_group_csv(const KernelStudy& study, const KernelPage& page) {
  Document document;
  document.sections.push_back(kernel_group_section(study, page));
  return render_csv(document);
}

}  // namespace strobe::report
