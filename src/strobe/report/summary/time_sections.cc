#include <algorithm>

#include "strobe/report/render/format.h"
#include "strobe/report/summary/step_label_text.h"
#include "strobe/report/summary/summary_sections.h"

namespace strobe::report {
namespace {

using analysis::kStepLabels;
using analysis::StepLabel;
using analysis::StepRow;
using analysis::Summary;

std::string label_text(StepLabel label, const SummaryInput& input) {
  return step_label_text(label, input.has_device ? std::string_view(input.device) : "");
}

std::string phase_text(SliceKind kind, const Summary& summary) {
  if (kind == SliceKind::kStep) return summary.has_steps ? "all steps" : "whole trace";
  return std::string(word_of(kind));
}

}  // namespace

Section step_section(const SummaryInput& input) {
  std::int64_t label_ns[kStepLabels] = {};
  std::int64_t steps_ns = 0;
  std::uint64_t steps = 0;
  for (const RankInput& rank : input.ranks) {
    for (const StepRow& step : rank.summary->steps) {
      for (int i = 0; i < kStepLabels; ++i) label_ns[i] += step.label_ns[i];
      steps_ns += step.interval.length_ns();
      ++steps;
    }
  }
  Section section;
  section.key = "step_breakdown";
  const bool has_steps = input.merged.has_steps;
  const std::string whole = has_steps ? "step" : input.ranks.size() > 1 ? "traces" : "trace";
  section.title =
      has_steps ? "Where the average step went" : "Where the time of the " + whole + " went";
  section.lead = input.has_device ? "Each nanosecond counts once: what the " + input.device +
                                        " did or, while it was idle, what the host did."
                                  : "Each nanosecond counts once.";
  section.table.columns = {
      {"label", "in the " + whole},
      tool_column("word", ColumnType::kText),
      {.key = "per_step_ns",
       .header = "per step",
       .type = ColumnType::kDuration,
       .for_tools = !has_steps},
      {.key = "total_ns",
       .header = has_steps ? "all steps" : "time",
       .type = ColumnType::kDuration,
       .for_tools = has_steps},
      {.key = "share",
       .header = "share of " + whole,
       .type = ColumnType::kShare,
       .share_of = has_steps ? "time of the steps" : std::string(kSpanWords),
       .balanced = true},
      {.key = "bar", .header = "", .type = ColumnType::kBar, .importance = 0, .balanced = true}};
  if (steps == 0) return section;
  const auto add = [&](std::string text, std::string word, std::int64_t total_ns, RowStyle style) {
    const Cell share = share_of(total_ns, steps_ns);
    section.table.rows.push_back(
        {{Text{std::move(text)}, Text{std::move(word)},
          has_steps ? Cell{Duration{total_ns / static_cast<std::int64_t>(steps)}} : Cell{Absent{}},
          Duration{total_ns}, share, style == RowStyle::kTotal ? Cell{Absent{}} : share},
         style});
  };
  for (int i = 0; i < kStepLabels; ++i) {
    const auto label = static_cast<StepLabel>(i);
    if (label_ns[i] == 0) continue;
    add(label_text(label, input), std::string(analysis::word_of(label)), label_ns[i],
        RowStyle::kPlain);
  }
  section.for_tools =
      !has_steps && !input.has_device && section.table.rows.size() < 2 && input.shows_all_views();
  add(whole, "all", steps_ns, RowStyle::kTotal);
  return section;
}

Section steps_section(const SummaryInput& input) {
  Section section;
  section.key = "steps";
  section.title = "Every step";
  section.for_tools = true;
  auto& columns = section.table.columns;
  columns = {{"rank", "rank", ColumnType::kName},
             {"step", "step", ColumnType::kName},
             {"start_ns", "start", ColumnType::kDuration},
             {"duration_ns", "time", ColumnType::kDuration}};
  for (int i = 0; i < kStepLabels; ++i) {
    const auto label = static_cast<StepLabel>(i);
    columns.push_back({std::string(analysis::word_of(label)) + "_ns", label_text(label, input),
                       ColumnType::kDuration});
  }
  columns.push_back({"launched_kernel_ns", "launched", ColumnType::kDuration});
  columns.push_back({"launched_device_ns", "launched", ColumnType::kDuration});
  for (const RankInput& rank : input.ranks) {
    if (!rank.summary->has_steps) continue;
    for (const StepRow& step : rank.summary->steps) {
      Row row{{Text{rank.name}, Text{step.name}, Duration{step.interval.start_ns},
               Duration{step.interval.length_ns()}},
              RowStyle::kPlain};
      for (const std::int64_t label_ns : step.label_ns) row.cells.push_back(Duration{label_ns});
      row.cells.push_back(Duration{step.kernel_ns});
      row.cells.push_back(Duration{step.device_ns});
      section.table.rows.push_back(std::move(row));
    }
  }
  return section;
}

Section device_section(const SummaryInput& input) {
  const bool has_ranks = input.ranks.size() > 1;
  std::size_t devices = 0;
  Section section;
  section.key = "devices";
  section.title = input.device + " use";
  section.lead = "Busy is the time with at least one kernel, copy or memset running on any stream.";
  section.table.columns = {
      {.key = "rank",
       .header = "rank",
       .type = ColumnType::kName,
       .importance = 3,
       .for_tools = !has_ranks},
      {"device", "device", ColumnType::kText, 3},
      tool_column("device_id", ColumnType::kCount),
      {"device_name", "name", ColumnType::kName, 1},
      {"kernels", "kernels", ColumnType::kCount},
      {"kernel_busy_ns", "in kernels", ColumnType::kDuration, 2},
      {"busy_ns", "busy", ColumnType::kDuration, 3},
      {.key = "busy_share",
       .header = "busy share\nof trace span",
       .type = ColumnType::kShare,
       .importance = 3,
       .share_of = "span of the trace"},
      {.key = "bar", .header = "", .type = ColumnType::kBar, .importance = 0, .balanced = true}};
  for (const RankInput& rank : input.ranks) {
    const auto& known = rank.trace->metadata().devices;
    devices = std::max(devices, rank.summary->devices.size());
    for (const analysis::DeviceRow& device : rank.summary->devices) {
      const auto properties =
          std::find_if(known.begin(), known.end(),
                       [&](const DeviceProperties& p) { return p.id == device.device; });
      const Cell share = share_of(device.busy_ns, rank.summary->extent.length_ns());
      section.table.rows.push_back(
          {{Text{rank.name}, Text{input.device + " " + std::to_string(device.device)},
            Count{static_cast<std::uint64_t>(device.device)},
            properties == known.end() || properties->name.empty() ? Cell{Absent{}}
                                                                  : Cell{Text{properties->name}},
            Count{device.kernels}, Duration{device.kernel_busy_ns}, Duration{device.busy_ns}, share,
            share},
           RowStyle::kPlain});
    }
  }
  // The table of ranks already shows it.
  section.for_tools = has_ranks && devices < 2 && input.shows_all_views();
  return section;
}

Section thread_section(const SummaryInput& input) {
  Section section;
  section.key = "threads";
  section.title = "Host threads";
  section.lead =
      "Busy is the time in at least one range or runtime call; on an asynchronous track, ranges "
      "overlap and may only be waiting.";
  section.for_tools = input.has_device;
  bool has_names = false;
  for (const RankInput& rank : input.ranks) {
    for (const auto& thread : rank.summary->threads) has_names = has_names || !thread.name.empty();
  }
  section.table.columns = {
      {.key = "rank",
       .header = "rank",
       .type = ColumnType::kName,
       .importance = 3,
       .for_tools = input.ranks.size() < 2},
      {.key = "name",
       .header = "name",
       .type = ColumnType::kName,
       .importance = 6,
       .for_tools = !has_names},
      {"process", "process", ColumnType::kName},
      {"thread", "thread", ColumnType::kName, 4},
      {"track", "track"},
      {"ranges", "ranges", ColumnType::kCount},
      {"busy_ns", "busy", ColumnType::kDuration, 5},
      {.key = "busy_share",
       .header = "share\nof span",
       .type = ColumnType::kShare,
       .importance = 5,
       .share_of = "span of the trace"},
      {.key = "bar", .header = "", .type = ColumnType::kBar, .importance = 0, .balanced = true}};
  for (const RankInput& rank : input.ranks) {
    std::vector<const analysis::HostThreadRow*> threads;
    for (const auto& thread : rank.summary->threads) threads.push_back(&thread);
    std::stable_sort(threads.begin(), threads.end(),
                     [](const auto* a, const auto* b) { return a->busy_ns > b->busy_ns; });
    const std::size_t top = input.options.top == 0 ? threads.size() : input.options.top;
    for (std::size_t i = 0; i < std::min(top, threads.size()); ++i) {
      const analysis::HostThreadRow& thread = *threads[i];
      const Cell share = share_of(thread.busy_ns, rank.summary->extent.length_ns());
      section.table.rows.push_back(
          {{Text{rank.name}, thread.name.empty() ? Cell{Absent{}} : Cell{Text{thread.name}},
            Text{thread.process}, Text{thread.thread}, Text{thread.is_async ? "async" : "thread"},
            Count{thread.ranges}, Duration{thread.busy_ns}, share, share},
           RowStyle::kPlain});
    }
    section.table.rows_left_out += threads.size() - std::min(top, threads.size());
  }
  if (section.table.rows_left_out > 0) {
    section.table.left_out = count_text(section.table.rows_left_out) + " more";
  }
  return section;
}

Section phase_section(const SummaryInput& input) {
  const Summary& summary = input.merged;
  const std::string of = total_words(summary);
  Section section;
  section.key = "phases";
  section.title = "Model phases";
  section.lead = "Host time inside each phase" +
                 (input.has_device ? ", and the " + input.device +
                                         " time of the work it launched, whenever that ran."
                                   : std::string("."));
  section.table.columns = {{"phase", "phase", ColumnType::kText, 3},
                           {"calls", "calls", ColumnType::kCount, 2},
                           {"host_total_ns", "host\ntotal", ColumnType::kDuration, 3},
                           {"host_per_call_ns", "host\nper call", ColumnType::kDuration, 2},
                           {.key = "host_share",
                            .header = "host share\nof " + of,
                            .type = ColumnType::kShare,
                            .importance = 3,
                            .share_of = "host time of " + of},
                           {.key = "device_total_ns",
                            .header = input.device + "\ntotal",
                            .type = ColumnType::kDuration,
                            .importance = 3,
                            .for_tools = !input.has_device},
                           {.key = "device_per_call_ns",
                            .header = input.device + "\nper call",
                            .type = ColumnType::kDuration,
                            .for_tools = !input.has_device},
                           {.key = "device_share",
                            .header = input.device + " share\nof " + of,
                            .type = ColumnType::kShare,
                            .importance = 2,
                            .share_of = input.device + " time launched in " + of,
                            .for_tools = !input.has_device},
                           {.key = "kernel_total_ns",
                            .header = "kernels",
                            .type = ColumnType::kDuration,
                            .for_tools = true}};
  if (!summary.has_model) return section;
  std::int64_t device_ns = 0;
  std::int64_t phases_ns = 0;
  for (const auto& phase : summary.phases) {
    if (phase.kind == SliceKind::kStep) device_ns = phase.device.total_ns;
  }
  for (const auto& phase : summary.phases) {
    if (phase.kind == SliceKind::kStep) continue;
    phases_ns += phase.host.total_ns;
    section.table.rows.push_back(
        {{Text{phase_text(phase.kind, summary)}, Count{phase.host.calls},
          Duration{phase.host.total_ns}, average_of(phase.host),
          share_of(phase.host.total_ns, summary.total_ns), Duration{phase.device.total_ns},
          average_of(phase.device), share_of(phase.device.total_ns, device_ns),
          Duration{phase.kernels.total_ns}},
         RowStyle::kPlain});
  }
  if (phases_ns < summary.total_ns) {
    const std::int64_t rest_ns = summary.total_ns - phases_ns;
    section.table.rows.push_back(
        {{Text{"outside these phases"}, Absent{}, Duration{rest_ns}, Absent{},
          share_of(rest_ns, summary.total_ns), Absent{}, Absent{}, Absent{}, Absent{}},
         RowStyle::kDetail});
  }
  if (phases_ns > summary.total_ns) {
    section.notes.push_back("Phases on several threads overlap: their host times add up to " +
                            input.duration(phases_ns) + " in " + input.duration(summary.total_ns) +
                            " of " + of + ".");
  }
  return section;
}

Section kind_section(const SummaryInput& input) {
  const Summary& summary = input.merged;
  Section section;
  section.key = "kinds";
  section.title = "Time by kind of slice";
  section.lead =
      "Time in which at least one slice of the kind was open; kinds contain each other, so the "
      "shares do not add up to 100 %.";
  section.table.columns = {{"side", "where", ColumnType::kText, 2},
                           {"kind", "kind", ColumnType::kText, 3},
                           {"slices", "slices", ColumnType::kCount},
                           {"busy_ns", "time", ColumnType::kDuration, 3},
                           {.key = "share",
                            .header = "share of span",
                            .type = ColumnType::kShare,
                            .importance = 2,
                            .share_of = kSpanWords}};
  const std::int64_t span_ns = spans_ns(input.ranks);
  const auto add = [&](const std::string& side, const std::vector<analysis::TypeRow>& types) {
    std::vector<const analysis::TypeRow*> sorted;
    for (const auto& type : types) sorted.push_back(&type);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto* a, const auto* b) { return a->busy_ns > b->busy_ns; });
    for (const auto* type : sorted) {
      const bool is_foreign = type->kind == SliceKind::kOther && !type->label.empty();
      section.table.rows.push_back(
          {{Text{side}, Text{is_foreign ? type->label : std::string(word_of(type->kind))},
            Count{type->calls}, Duration{type->busy_ns}, share_of(type->busy_ns, span_ns)},
           RowStyle::kPlain});
    }
  };
  add("host", summary.host_types);
  add(input.device, summary.device_types);
  // A single kind is no breakdown, and the threads already show its time.
  section.for_tools =
      section.table.rows.size() < 2 && input.shows_all_views() &&
      std::any_of(input.ranks.begin(), input.ranks.end(),
                  [](const RankInput& rank) { return !rank.summary->threads.empty(); });
  return section;
}

}  // namespace strobe::report
