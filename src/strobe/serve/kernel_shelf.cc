#include "strobe/serve/kernel_shelf.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "strobe/analysis/headroom/kernel_groups.h"
#include "strobe/analysis/headroom/kernel_study.h"
#include "strobe/readers/counters/kernel_reader.h"
#include "strobe/report/render/render.h"
#include "strobe/serve/json_members.h"
#include "strobe/serve/open_trace.h"
#include "strobe/serve/run_folder.h"

namespace strobe::serve {
namespace {

using analysis::KernelGroup;
using analysis::KernelGrouping;
using analysis::KernelStudy;
using analysis::KernelSums;

constexpr std::size_t kMostKernelGroups = 5000;
constexpr std::size_t kMostFusions = 100;
constexpr std::size_t kMostNames = 64;

// The API uses shares from 0 to 1.
std::optional<double> as_share(std::optional<double> percent) {
  if (!percent) return {};
  return *percent / 100;
}

std::string_view word_of_source(analysis::RoofSource source) {
  switch (source) {
    case analysis::RoofSource::kDataSheet:
      return "data sheet";
    case analysis::RoofSource::kMeasured:
      return "measured";
    case analysis::RoofSource::kFile:
      return "as the file says";
  }
  return "";
}

void write_sums(JsonWriter& json, const KernelSums& sums, const KernelSums& whole) {
  json.member("launches", sums.launches)
      .member("latency_ns", sums.latency_ns)
      .member("share", sums.share_of(whole))
      .member("mean_ns", sums.mean_ns())
      .member("least_ns", sums.least_ns)
      .member("most_ns", sums.most_ns);
  member_or_null(json, "tensor_share", as_share(sums.tensor_percent()));
  member_or_null(json, "dram_share", as_share(sums.dram_percent()));
  member_or_null(json, "headroom_ns", sums.headroom_ns());
  member_or_null(json, "achievable_headroom_ns", sums.achievable_headroom_ns());
}

void write_source(JsonWriter& json, std::string_view name, const KernelTable& table) {
  json.key("source").begin_object().member("name", name).member("kind", word_of(table.source));
  const bool is_known = table.clock_policy != ClockPolicy::kUnknown;
  text_or_null(json, "clock", is_known ? word_of(table.clock_policy) : "");
  json.end_object();
  json.key("device");
  const KernelDevice* device = table.size() > 0 ? table.device_of(0) : nullptr;
  if (device == nullptr) {
    json.null();
    return;
  }
  json.begin_object();
  text_or_null(json, "name", device->name);
  text_or_null(json, "capability", device->capability);
  json.key("sm_count");
  device->sm_count > 0 ? json.value(device->sm_count) : json.null();
  json.end_object();
}

void write_chip(JsonWriter& json, const KernelStudy& study) {
  json.key("chip");
  if (study.chip) {
    json.begin_object()
        .member("name", study.chip->name)
        .member("source", study.chip->source)
        .end_object();
  } else {
    json.null();
  }
  json.key("chips").begin_array();
  for (const device::ChipPeaks& chip : device::known_chips()) json.value(chip.name);
  json.end_array();
  json.key("achievable")
      .begin_object()
      .member("tensor", study.options.roofs.tensor)
      .member("dram", study.options.roofs.dram)
      .end_object();
}

void write_groups_by(JsonWriter& json, std::string_view key, const KernelStudy& study,
                     KernelGrouping grouping) {
  json.key(key).begin_array();
  for (const KernelGroup& group : group_kernels(study, grouping)) {
    json.begin_object().member("name", group.name);
    write_sums(json, group.sums, study.totals);
    json.end_object();
  }
  json.end_array();
}

// The index of a kernel's name in `kernels`.
using KernelIndices = std::map<std::string_view, std::size_t>;

void write_kernel_groups(JsonWriter& json, const KernelStudy& study,
                         std::vector<KernelGroup>& groups) {
  const std::size_t left_out = groups.size() - std::min(groups.size(), kMostKernelGroups);
  groups.resize(groups.size() - left_out);
  json.key("kernels").begin_array();
  for (const KernelGroup& group : groups) {
    json.begin_object()
        .member("name", group.name)
        .member("full_name", study.identity(group.first_row).full)
        .member("family", group.family)
        .member("bound", word_of(group.bound));
    write_sums(json, group.sums, study.totals);
    json.end_object();
  }
  json.end_array().member("kernels_left_out", left_out);
}

void write_roofs(JsonWriter& json, std::string_view key, const std::vector<analysis::Roof>& roofs) {
  json.key(key).begin_array();
  for (const analysis::Roof& roof : roofs) {
    json.begin_object()
        .member("name", roof.name())
        .member("value", roof.value)
        .member("source", word_of_source(roof.source))
        .end_object();
  }
  json.end_array();
}

void write_point(JsonWriter& json, std::size_t kernel, const analysis::RooflinePoint& point) {
  json.begin_object()
      .member("kernel", kernel)
      .member("launches", point.launches)
      .member("latency_ns", point.latency_ns);
  member_or_null(json, "tensor_share", as_share(point.tensor_percent));
  member_or_null(json, "dram_share", as_share(point.dram_percent));
  member_or_null(json, "flop_per_s", point.flop_per_s);
  member_or_null(json, "flop_per_byte", point.flop_per_byte);
  member_or_null(json, "dram_bytes_per_s", point.dram_bytes_per_s);
  member_or_null(json, "l2_bytes_per_s", point.l2_bytes_per_s);
  member_or_null(json, "attainable_flop_per_s", point.attainable_flop_per_s);
  json.member("flops_are_estimated", point.flops_are_estimated)
      .member("bytes_are_estimated", point.bytes_are_estimated)
      .end_object();
}

void write_roofline(JsonWriter& json, const KernelStudy& study, const KernelIndices& indices) {
  const analysis::Roofline& roofline = study.roofline;
  json.key("roofline").begin_object();
  write_roofs(json, "compute", roofline.compute);
  write_roofs(json, "memory", roofline.memory);
  member_or_null(json, "ridge_flop_per_byte", roofline.ridge_flop_per_byte);
  json.key("points").begin_array();
  for (const analysis::RooflinePoint& point : roofline.points) {
    const auto kernel = indices.find(study.identities[point.identity].detail);
    if (kernel != indices.end()) write_point(json, kernel->second, point);
  }
  json.end_array().end_object();
}

void write_layers(JsonWriter& json, const std::optional<analysis::KernelLayers>& layers) {
  json.key("layers");
  if (!layers) {
    json.null();
    return;
  }
  json.begin_object()
      .member("prologue_launches", layers->prologue_rows)
      .member("layers", layers->layers)
      .member("launches_per_layer", layers->rows_per_layer)
      .member("epilogue_launches", layers->epilogue_rows)
      .member("prologue_ns", layers->prologue.latency_ns)
      .member("inside_ns", layers->inside.latency_ns)
      .member("epilogue_ns", layers->epilogue.latency_ns);
  json.key("layer_ns").begin_array();
  for (const std::int64_t ns : layers->layer_ns) json.value(ns);
  json.end_array().key("odd_layers").begin_array();
  for (const std::size_t layer : layers->odd_layers) json.value(layer);
  json.end_array().end_object();
}

void write_fusion_group(JsonWriter& json, const KernelStudy& study,
                        const analysis::FusionGroup& group) {
  const auto whole = static_cast<double>(std::max<std::int64_t>(study.totals.latency_ns, 1));
  json.begin_object()
      .member("what", group.what)
      .member("why", group.why)
      .member("families", group.families)
      .member("runs", group.runs.size())
      .member("launches_per_run", group.names.size())
      .member("first_launch", study.fusion.runs[group.runs.front()].first_row)
      .member("latency_ns", group.latency_ns)
      .member("saved_ns", group.saved_ns)
      .member("saved_share", static_cast<double>(group.saved_ns) / whole);
  const std::size_t named = std::min(group.names.size(), kMostNames);
  json.key("names").begin_array();
  for (std::size_t i = 0; i < named; ++i) json.value(study.identities[group.names[i]].detail);
  json.end_array().member("names_left_out", group.names.size() - named).end_object();
}

void write_fusion(JsonWriter& json, const KernelStudy& study) {
  const analysis::FusionPlan& plan = study.fusion;
  const std::size_t listed = std::min(plan.groups.size(), kMostFusions);
  json.key("fusion")
      .begin_object()
      .member("runs", plan.runs.size())
      .member("launches", plan.rows)
      .member("latency_ns", plan.latency_ns)
      .member("saved_ns", plan.saved_ns);
  json.key("groups").begin_array();
  for (std::size_t i = 0; i < listed; ++i) write_fusion_group(json, study, plan.groups[i]);
  json.end_array().member("groups_left_out", plan.groups.size() - listed).end_object();
}

void write_findings(JsonWriter& json, const std::vector<analysis::Finding>& findings) {
  json.key("findings").begin_array();
  for (const analysis::Finding& finding : findings) {
    json.begin_object()
        .member("code", finding.code)
        .member("weight", report::weight_word(finding.weight))
        .member("share", finding.share)
        .member("headline", finding.headline)
        .member("advice", finding.advice)
        .end_object();
  }
  json.end_array();
}

constexpr double kFastest = 1e21;  // of any roof, in FLOP/s or bytes/s

struct KernelQuestion {
  std::string name;
  std::optional<FoundKernels> file;  // nothing: a trace
  FileStamp stamp;
  analysis::StudyOptions options;
};

Error no_source(std::string_view parameter, const std::string& name) {
  return {.code = ErrorCode::kNotFound,
          .what = fmt::format("no {} is called '{}'",
                              parameter == "file" ? "list of kernels" : "trace", name),
          .where = std::string(parameter),
          .hint = "see /api/v1/runs"};
}

Result<void> find_source(const Query& query, const ShelfView& view, KernelQuestion& question) {
  if (const auto file = query.optional_text("file")) {
    const auto found = std::ranges::find(view.kernel_files, *file, &FoundKernels::name);
    if (found == view.kernel_files.end()) return no_source("file", *file);
    question.name = *file;
    question.file = *found;
    question.stamp = found->stamp;
    return {};
  }
  const auto trace = query.optional_text("trace");
  if (!trace) {
    return Error{ErrorCode::kInvalidArgument, "the parameter 'file' or 'trace' is missing", "file",
                 "see docs/api.md"};
  }
  const auto found = std::ranges::find(view.traces, *trace,
                                       [](const ShelvedTrace& one) { return one.found.name; });
  if (found == view.traces.end()) return no_source("trace", *trace);
  question.name = *trace;
  question.stamp = found->found.stamp;
  return {};
}

Result<void> read_options(const Query& query, analysis::StudyOptions& options) {
  options.chip = query.optional_text("chip").value_or("");
  if (!options.chip.empty() && !device::chip_peaks(options.chip)) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = fmt::format("the peaks of the chip '{}' are not known",
                                     options.chip.substr(0, 100)),
                 .where = "chip",
                 .hint = "leave it out; `chips` of the answer lists the known ones"};
  }
  STROBE_TRY(const auto tensor, query.number("tensor_roof", 0, 1));
  STROBE_TRY(const auto dram, query.number("dram_roof", 0, 1));
  options.roofs.tensor = tensor.value_or(options.roofs.tensor);
  options.roofs.dram = dram.value_or(options.roofs.dram);
  STROBE_TRY(options.flops, query.number("flop_per_s", 0, kFastest));
  STROBE_TRY(options.dram_bytes_per_s, query.number("dram_bytes_per_s", 0, kFastest));
  STROBE_TRY(options.l2_bytes_per_s, query.number("l2_bytes_per_s", 0, kFastest));
  return {};
}

Result<KernelQuestion> read_kernel_question(const Query& query, const ShelfView& view) {
  KernelQuestion question;
  STROBE_TRY_VOID(find_source(query, view, question));
  STROBE_TRY_VOID(read_options(query, question.options));
  return question;
}

std::string question_key(const KernelQuestion& question) {
  const analysis::StudyOptions& options = question.options;
  return fmt::format("{}\n{}\n{}\n{} {} {} {} {}", question.name, stamp_text(question.stamp),
                     options.chip, options.roofs.tensor, options.roofs.dram,
                     options.flops.value_or(0), options.dram_bytes_per_s.value_or(0),
                     options.l2_bytes_per_s.value_or(0));
}

Result<KernelShelf::Body> studied(const KernelQuestion& question, const KernelTable& table) {
  if (table.size() == 0) {
    return Error{ErrorCode::kTooLittleData, "there are no kernels in the file", question.name,
                 "record it with the device's activity switched on"};
  }
  const analysis::KernelStudy study = analysis::study_kernels(table, question.options);
  return std::make_shared<const std::string>(kernel_answer(question.name, study));
}

Result<KernelShelf::Body> read_and_studied(const KernelQuestion& question) {
  const auto table = readers::read_kernels(question.file->path);
  if (!table) return renamed(table.error(), question.file->path, question.name);
  return studied(question, *table);
}

}  // namespace

std::string kernel_answer(std::string_view name, const KernelStudy& study) {
  std::vector<KernelGroup> groups = group_kernels(study, KernelGrouping::kName);
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_source(json, name, *study.table);
  write_chip(json, study);
  json.key("totals").begin_object();
  write_sums(json, study.totals, study.totals);
  json.end_object();
  write_kernel_groups(json, study, groups);
  write_groups_by(json, "families", study, KernelGrouping::kFamily);
  write_groups_by(json, "bounds", study, KernelGrouping::kBound);
  KernelIndices indices;
  for (std::size_t i = 0; i < groups.size(); ++i) indices.emplace(groups[i].name, i);
  write_roofline(json, study, indices);
  write_layers(json, study.layers);
  write_fusion(json, study);
  write_texts(json, "warnings", study.warnings);
  write_texts(json, "remarks", study.table->remarks);
  write_findings(json, study.findings);
  json.end_object();
  return out;
}

Result<KernelShelf::Body> KernelShelf::answer(const Query& query, const ShelfView& view,
                                              const TraceLookup& traces) {
  STROBE_TRY(const KernelQuestion question, read_kernel_question(query, view));
  const auto kept = kept_.place_of(question_key(question));
  if (const Result<Body>* known = kept->peek()) return *known;
  if (question.file) return kept->get([&] { return read_and_studied(question); });
  STROBE_TRY(const auto open, traces(question.name));
  return kept->get(
      [&] { return studied(question, readers::kernels_of(open->trace(), question.name)); });
}

}  // namespace strobe::serve
