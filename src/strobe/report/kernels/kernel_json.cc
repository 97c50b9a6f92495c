#include "strobe/report/kernels/kernel_json.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "strobe/report/kernels/kernel_numbers.h"
#include "strobe/report/render/json_rows.h"
#include "strobe/report/render/render.h"

namespace strobe::report {
namespace {

using analysis::FusionGroup;
using analysis::FusionPlan;
using analysis::KernelGroup;
using analysis::KernelGrouping;
using analysis::KernelLayers;
using analysis::KernelStudy;
using analysis::KernelSums;

constexpr int kPercentDecimals = 4;
constexpr int kNsDecimals = 3;

// A sum of whole numbers as a whole number; null if nothing was counted.
void write_exact(JsonWriter& json, std::string_view key, std::optional<double> counted,
                 double sum) {
  constexpr double kWholeNumbers = 9007199254740992.0;  // 2^53
  json.key(key);
  if (!counted) {
    json.null();
  } else if (sum == std::floor(sum) && std::abs(sum) < kWholeNumbers) {
    json.value(static_cast<std::int64_t>(sum));
  } else {
    json.value(sum);
  }
}

void write_shape(JsonWriter& json, std::string_view key, const std::vector<LaunchShape>& shapes,
                 std::size_t row) {
  if (row >= shapes.size() || !shapes[row].is_known()) return;
  json.key(key).begin_array().value(shapes[row].x).value(shapes[row].y).value(shapes[row].z);
  json.end_array();
}

template <class Number>
void write_entry(JsonWriter& json, std::string_view key, const std::vector<Number>& column,
                 std::size_t row) {
  if (row < column.size()) json.member(key, column[row]);
}

void write_metrics(JsonWriter& json, const KernelTable& table, std::size_t row) {
  json.key("metrics").begin_object();
  for (std::size_t i = 0; i < kKernelMetrics; ++i) {
    const auto metric = static_cast<KernelMetric>(i);
    if (const auto value = table.value(metric, row)) json.member(word_of(metric), *value);
  }
  json.end_object();
}

void write_launch(JsonWriter& json, const KernelStudy& study, std::size_t row) {
  const KernelTable& table = *study.table;
  const analysis::StudiedLaunch& launch = study.launches[row];
  json.begin_object();
  write_entry(json, "id", table.ids, row);
  json.member("name", table.name(row));
  if (row < table.mangled_names.size() && !table.strings[table.mangled_names[row]].empty()) {
    json.member("mangled", table.strings[table.mangled_names[row]]);
  }
  json.member("duration_ns", table.durations_ns[row]);
  write_shape(json, "grid", table.grids, row);
  write_shape(json, "block", table.blocks, row);
  write_entry(json, "stream", table.streams, row);
  write_entry(json, "context", table.contexts, row);
  write_entry(json, "device", table.device_indices, row);
  write_metrics(json, table, row);
  json.member("family", word_of(study.identity(row).family))
      .member("bound", word_of(launch.bound))
      .member("short", launch.is_short)
      .member("clock_low", launch.is_clock_low);
  json.end_object();
}

// One line per object, so that grep and diff work on rows.
template <class Write>
void write_line(JsonWriter& json, std::string_view key, Write write) {
  std::string line;
  JsonWriter one(line);
  one.begin_object();
  write(one);
  one.end_object();
  json.key(key).raw(line);
}

void write_groups(JsonWriter& json, std::string_view key, const std::vector<KernelGroup>& groups,
                  const KernelSums& whole) {
  json.key(key).begin_object();
  for (const KernelGroup& group : groups) {
    write_line(json, group.name, [&](JsonWriter& one) {
      write_sums(one, group.sums, whole);
      if (key != "classes") one.member("bound", word_of(group.bound));
      if (key == "names") one.member("family", group.family);
    });
  }
  json.end_object();
}

void write_structure(JsonWriter& json, const KernelStudy& study) {
  json.key("structure");
  if (!study.layers) {
    json.null();
    return;
  }
  const KernelLayers& layers = *study.layers;
  const auto [least, most] = std::ranges::minmax_element(layers.layer_ns);
  json.begin_object()
      .member("prologue_rows", layers.prologue_rows)
      .member("layers", layers.layers)
      .member("rows_per_layer", layers.rows_per_layer)
      .member("epilogue_rows", layers.epilogue_rows)
      .member("prologue_ns", layers.prologue.latency_ns)
      .member("layers_ns", layers.inside.latency_ns)
      .member("epilogue_ns", layers.epilogue.latency_ns)
      .member("layer_ns_min", *least)
      .member("layer_ns_max", *most)
      .member("layer_ns_mean", rounded(static_cast<double>(layers.inside.latency_ns) /
                                           static_cast<double>(layers.layers),
                                       3));
  std::string line;
  JsonWriter one(line);
  one.begin_array();
  for (const std::int64_t ns : layers.layer_ns) one.value(ns);
  one.end_array();
  json.key("layer_ns").raw(line);
  json.key("odd_layers").begin_array();
  for (const std::size_t layer : layers.odd_layers) json.value(layer);
  json.end_array().end_object();
}

void write_positions(JsonWriter& json, const KernelStudy& study, const KernelPage& page) {
  json.key("layer_positions").begin_array();
  if (study.layers) {
    for (std::size_t i = 0; i < study.layers->positions.size(); ++i) {
      const auto& identity = study.identity(study.layers->first_row_of(0) + i);
      std::string line;
      JsonWriter one(line);
      one.begin_object()
          .member("position", i)
          .member("name", name_in(identity, page.names))
          .member("family", word_of(identity.family));
      write_sums(one, study.layers->positions[i], study.totals);
      one.end_object();
      json.raw(line);
    }
  }
  json.end_array();
}

void write_fusions(JsonWriter& json, const KernelStudy& study, const KernelPage& page) {
  const FusionPlan& plan = study.fusion;
  const auto whole = static_cast<double>(std::max<std::int64_t>(study.totals.latency_ns, 1));
  json.key("fusion_runs")
      .begin_object()
      .member("runs", plan.runs.size())
      .member("rows", plan.rows)
      .member("latency_ns", plan.latency_ns)
      .member("saved_ns_if_fused", plan.saved_ns);
  write_percent(json, "saved_share_pct", 100 * static_cast<double>(plan.saved_ns) / whole);
  std::vector<FusionGroup> groups = plan.groups;  // in the order of first launch
  std::ranges::sort(groups, {}, [](const FusionGroup& group) { return group.runs.front(); });
  write_rows(json, "groups", groups, [&](JsonWriter& one, const FusionGroup& group) {
    one.member("length", group.names.size())
        .member("families", group.families)
        .member("occurrences", group.runs.size())
        .member("latency_ns", group.latency_ns)
        .member("saved_ns_if_fused", group.saved_ns)
        .member("first_row", plan.runs[group.runs.front()].first_row)
        .member("what", group.what)
        .member("why", group.why);
    one.key("names").begin_array();
    for (const std::uint32_t name : group.names) {
      one.value(name_in(study.identities[name], page.names));
    }
    one.end_array();
  });
  json.end_object();
}

void write_options(JsonWriter& json, const KernelStudy& study) {
  const auto& options = study.options;
  json.key("options")
      .begin_object()
      .member("chip", options.chip)
      .member("tensor_roof", options.roofs.tensor)
      .member("dram_roof", options.roofs.dram);
  write_optional(json, "peak_flops", options.flops);
  write_optional(json, "dram_bytes_per_s", options.dram_bytes_per_s);
  write_optional(json, "l2_bytes_per_s", options.l2_bytes_per_s);
  json.end_object();
}

void write_findings(JsonWriter& json, const KernelStudy& study) {
  json.key("findings").begin_array();
  for (std::size_t i = 0; i < study.findings.size(); ++i) {
    const analysis::Finding& finding = study.findings[i];
    std::string line;
    JsonWriter one(line);
    one.begin_object()
        .member("code", finding.code)
        .member("weight", weight_word(finding.weight))
        .member("share", finding.share)
        .member("headline", finding.headline)
        .member("advice", finding.advice);
    if (i < study.bases.size()) {
      const analysis::FindingBasis& basis = study.bases[i];
      one.member("time_ns", basis.time_ns)
          .member("saved_ns", basis.saved_ns)
          .member("launches", basis.launches)
          .member("confidence", basis.confidence);
      one.key("rows").begin_array();
      for (const std::size_t row : basis.rows) one.value(row);
      one.end_array();
    }
    one.end_object();
    json.raw(line);
  }
  json.end_array();
}

void write_work(JsonWriter& json, const KernelStudy& study, const KernelPage& page) {
  write_rows(json, "work_units", study.work_units,
             [&](JsonWriter& one, const analysis::WorkUnit& unit) {
               one.member("name", name_in(study.identities[unit.identity], page.names))
                   .member("launches", unit.launches)
                   .member("ns_x100_per_launch", unit.per_launch)
                   .member("relative", unit.relative);
             });
}

// "kernels": one line per launch, in execution order.
void write_kernel_launches(JsonWriter& json, const KernelStudy& study) {
  json.key("kernels").begin_array();
  for (std::size_t row = 0; row < study.launches.size(); ++row) {
    std::string line;
    JsonWriter one(line);
    write_launch(one, study, row);
    json.raw(line);
  }
  json.end_array();
}

}  // namespace

void write_optional(JsonWriter& json, std::string_view key, std::optional<double> value) {
  json.key(key);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

void write_percent(JsonWriter& json, std::string_view key, std::optional<double> percent) {
  write_optional(json, key,
                 percent ? std::optional(rounded(*percent, kPercentDecimals)) : std::nullopt);
}

void write_sums(JsonWriter& json, const analysis::KernelSums& sums,
                const analysis::KernelSums& whole) {
  const std::optional<double> headroom = sums.headroom_share_of(whole);
  json.member("launches", sums.launches).member("latency_ns", sums.latency_ns);
  write_percent(json, "share_pct", 100 * sums.share_of(whole));
  write_percent(json, "tensor_weighted_pct", sums.tensor_percent());
  write_percent(json, "dram_weighted_pct", sums.dram_percent());
  write_exact(json, "tensor_ns_x100", sums.tensor_percent(), sums.tensor_ns_percent);
  write_exact(json, "dram_ns_x100", sums.dram_percent(), sums.dram_ns_percent);
  write_exact(json, "headroom_ns_x100", sums.headroom_ns(), sums.headroom_ns_percent);
  write_percent(json, "headroom_share_pct",
                headroom ? std::optional(100 * *headroom) : std::nullopt);
  const std::optional<double> achievable = sums.achievable_headroom_ns();
  write_optional(json, "achievable_headroom_ns",
                 achievable ? std::optional(rounded(*achievable, kNsDecimals)) : std::nullopt);
  json.member("min_ns", sums.least_ns).member("max_ns", sums.most_ns);
  json.member("mean_ns", rounded(sums.mean_ns(), kNsDecimals));
}

void write_kernel_source(JsonWriter& json, const KernelStudy& study) {
  const KernelTable& table = *study.table;
  json.member("path", table.path)
      .member("source", word_of(table.source))
      .member("clock_policy", word_of(table.clock_policy));
  json.key("chip");
  if (study.chip) {
    json.value(study.chip->name);
  } else {
    json.null();
  }
  json.key("devices").begin_array();
  for (const KernelDevice& device : table.devices) {
    std::string line;
    JsonWriter one(line);
    one.begin_object()
        .member("index", device.index)
        .member("name", device.name)
        .member("capability", device.capability)
        .member("sm_count", device.sm_count)
        .member("most_clock_hz", device.most_clock_hz)
        .member("dram_bytes_per_s", device.dram_bytes_per_s)
        .end_object();
    json.raw(line);
  }
  json.end_array();
}

std::string kernel_json(const KernelStudy& study, const KernelPage& page) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object().member("schema", "strobe.kernels").member("version", 1);
  write_kernel_source(json, study);
  write_options(json, study);
  write_texts(json, "verdict", kernel_verdict(study));
  write_texts(json, "warnings", study.warnings);
  write_texts(json, "remarks", study.table->remarks);
  write_line(json, "totals", [&](JsonWriter& one) { write_sums(one, study.totals, study.totals); });
  write_groups(json, "families", group_kernels(study, KernelGrouping::kFamily), study.totals);
  write_groups(json, "names", group_kernels(study, KernelGrouping::kName, page.names, page.order),
               study.totals);
  write_structure(json, study);
  write_positions(json, study, page);
  write_groups(json, "classes", group_kernels(study, KernelGrouping::kBound), study.totals);
  json.key("short_kernels").begin_object();
  write_line(json, "under_10us",
             [&](JsonWriter& one) { write_sums(one, study.under_10us, study.totals); });
  write_line(json, "under_20us",
             [&](JsonWriter& one) { write_sums(one, study.under_20us, study.totals); });
  json.end_object();
  write_fusions(json, study, page);
  write_work(json, study, page);
  write_findings(json, study);
  write_kernel_launches(json, study);
  json.end_object();
  out += "\n";
  return out;
}

}  // namespace strobe::report
