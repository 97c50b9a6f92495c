#include <algorithm>

#include "strobe/report/render/format.h"
#include "strobe/report/summary/summary_sections.h"

namespace strobe::report {

using analysis::Summary;

Section device_section(const SummaryInput& input) {
  const bool has_ranks = input.ranks.size() > 1;
  std::size_t devices = 0;
  Section section;
  section.key = "devices";
  section.title = input.device + " use";
  section.lead = "Busy is the time with at least one kernel, copy or memset running on any stream.";
  section.table.columns = {{.key = "rank",
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
                            .header = "busy share\nof " + span_word(input),
                            .type = ColumnType::kShare,
                            .importance = 3,
                            .share_of = rank_span_words(input)},
                           whole_bar_column()};
  for (const RankInput& rank : input.ranks) {
    const auto& known = rank.trace->metadata().devices;
    devices = std::max(devices, rank.summary->devices.size());
    for (const analysis::DeviceRow& device : rank.summary->devices) {
      const auto properties =
          std::find_if(known.begin(), known.end(),
                       [&](const DeviceProperties& p) { return p.id == device.device; });
      const Cell share = share_of(device.busy_ns, rank.summary->span_ns);
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
  section.table.columns = {{.key = "rank",
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
                            .header = "share\nof " + span_word(input),
                            .type = ColumnType::kShare,
                            .importance = 5,
                            .share_of = rank_span_words(input)},
                           whole_bar_column()};
  for (const RankInput& rank : input.ranks) {
    std::vector<const analysis::HostThreadRow*> threads;
    for (const auto& thread : rank.summary->threads) threads.push_back(&thread);
    std::stable_sort(threads.begin(), threads.end(),
                     [](const auto* a, const auto* b) { return a->busy_ns > b->busy_ns; });
    const std::size_t top = input.options.top == 0 ? threads.size() : input.options.top;
    for (std::size_t i = 0; i < std::min(top, threads.size()); ++i) {
      const analysis::HostThreadRow& thread = *threads[i];
      const Cell share = share_of(thread.busy_ns, rank.summary->span_ns);
      section.table.rows.push_back(
          {{Text{rank.name}, thread.name.empty() ? Cell{Absent{}} : Cell{Text{thread.name}},
            Text{thread.process}, Text{thread.thread}, Text{thread.is_async ? "async" : "thread"},
            Count{thread.ranges}, Duration{thread.busy_ns}, share, share},
           RowStyle::kPlain});
    }
    section.table.rows_left_out += threads.size() - std::min(top, threads.size());
  }
  if (section.table.rows_left_out > 0) {
    section.table.left_out =
        count_text(section.table.rows_left_out) + " more" + how_to_see(section.table.rows_left_out);
  }
  return section;
}

namespace {

// What the steps launched or, without any, what has a known launch.
std::int64_t launched_ns(const Summary& summary) {
  for (const auto& phase : summary.phases) {
    if (phase.kind == SliceKind::kStep) return phase.device.total_ns;
  }
  return 0;
}

std::string phase_base_words(const SummaryInput& input) {
  return input.merged.has_steps ? "time of the " + input.step_word() + "s"
                                : "time from the host's first slice to its last";
}

std::string phase_device_words(const SummaryInput& input) {
  return input.device + " time " +
         (input.merged.has_steps ? "launched in the " + input.step_word() + "s"
                                 : "whose launch is known");
}

std::string phase_lead(const SummaryInput& input) {
  const Summary& summary = input.merged;
  std::string lead = "Host time inside each phase, overlap removed";
  if (input.has_device) {
    lead += ", and the " + input.device + " time of the work it launched" +
            (summary.has_steps ? " in the " + input.step_word() + "s" : "") + ", whenever that ran";
  }
  lead += ". The shares are of the " + phase_base_words(input) + ", " +
          input.duration(summary.total_ns);
  if (input.has_device) {
    lead +=
        ", and of the " + phase_device_words(input) + ", " + input.duration(launched_ns(summary));
  }
  return lead + (input.ranks.size() > 1 ? ", ranks added up." : ".");
}

const analysis::TimeStat* steady_phase(const SummaryInput& input, SliceKind kind) {
  if (!input.has_start_up()) return nullptr;
  const auto& phases = input.merged.steady->phases;
  const auto found = std::ranges::find(phases, kind, &analysis::PhaseTotals::kind);
  return found == phases.end() ? nullptr : &found->host;
}

bool has_spoilt_phase(const analysis::Summary& summary) {
  return std::ranges::any_of(summary.phases, [](const auto& phase) {
    return phase.kind != SliceKind::kStep && is_spoilt_by_longest(phase.host);
  });
}

bool has_phase_changed_by_start_up(const SummaryInput& input) {
  return std::ranges::any_of(input.merged.phases, [&](const auto& phase) {
    return phase.kind != SliceKind::kStep &&
           is_changed_by_start_up(phase.host, steady_phase(input, phase.kind));
  });
}

}  // namespace

Section phase_section(const SummaryInput& input) {
  const Summary& summary = input.merged;
  const std::string steps = input.step_word() + "s";
  Section section;
  section.key = "phases";
  section.title = "Model phases";
  const bool has_steady = has_phase_changed_by_start_up(input);
  section.lead = phase_lead(input) + steady_words(has_steady);
  section.table.columns = {
      {"phase", "phase", ColumnType::kText, 3},
      {"calls", "calls", ColumnType::kCount, 2},
      {"host_total_ns", "host\ntotal", ColumnType::kDuration, 3},
      {"host_per_call_ns", "host\nper call", ColumnType::kDuration, 2},
      without_longest_column(!has_steady && has_spoilt_phase(summary)),
      steady_column(has_steady),
      {.key = "host_share",
       .header = summary.has_steps ? "share of\n" + steps : "share of the\nhost's span",
       .type = ColumnType::kShare,
       .importance = 3,
       .share_of = phase_base_words(input)},
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
       .header = "share of " + input.device + " time\nlaunched" +
                 (summary.has_steps ? " in " + steps : ""),
       .type = ColumnType::kShare,
       .importance = 2,
       .share_of = phase_device_words(input),
       .for_tools = !input.has_device},
      {.key = "kernel_total_ns",
       .header = "kernels",
       .type = ColumnType::kDuration,
       .for_tools = true}};
  if (!summary.has_model) return section;
  const std::int64_t device_ns = launched_ns(summary);
  std::int64_t phases_ns = 0;
  for (const auto& phase : summary.phases) {
    if (phase.kind == SliceKind::kStep) continue;
    phases_ns += phase.host.total_ns;
    section.table.rows.push_back(
        {{Text{std::string(word_of(phase.kind))}, Count{phase.host.calls},
          Duration{phase.host.total_ns}, average_of(phase.host),
          average_without_longest(phase.host), steady_average(steady_phase(input, phase.kind)),
          share_of(phase.host.total_ns, summary.total_ns), Duration{phase.device.total_ns},
          average_of(phase.device), share_of(phase.device.total_ns, device_ns),
          Duration{phase.kernels.total_ns}},
         RowStyle::kPlain});
  }
  const std::int64_t rest_ns = summary.outside_phases_ns;
  if (rest_ns > 0) {
    section.table.rows.push_back(
        {{Text{"outside these phases"}, Absent{}, Duration{rest_ns}, Absent{}, Absent{}, Absent{},
          share_of(rest_ns, summary.total_ns), Absent{}, Absent{}, Absent{}, Absent{}},
         RowStyle::kDetail});
  }
  if (phases_ns + rest_ns > summary.total_ns) {
    section.notes.push_back("Phases overlap: with the time outside, their host times add up to " +
                            input.duration(phases_ns + rest_ns) + " in " +
                            input.duration(summary.total_ns) + " of " +
                            (summary.has_steps ? steps : "the host's span") + ".");
  }
  return section;
}

Section kind_section(const SummaryInput& input) {
  const Summary& summary = input.merged;
  Section section;
  section.key = "kinds";
  section.title = "Time by kind of slice";
  section.lead =
      "Each slice is in one row. Time is that in which at least one slice of the kind was open; "
      "slices of different kinds nest, so the shares can add up to more than 100 %.";
  section.table.columns = {{"side", "where", ColumnType::kText, 2},
                           {"kind", "kind", ColumnType::kText, 3},
                           {"slices", "slices", ColumnType::kCount},
                           {"busy_ns", "time", ColumnType::kDuration, 3},
                           {.key = "share",
                            .header = "share of " + span_word(input),
                            .type = ColumnType::kShare,
                            .importance = 2,
                            .share_of = span_words(input)}};
  const std::int64_t span_ns = spans_ns(input);
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
