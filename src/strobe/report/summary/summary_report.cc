#include "strobe/report/summary/summary_report.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "strobe/analysis/timeline/timeline.h"
#include "strobe/report/render/format.h"
#include "strobe/report/summary/run_doubt.h"
#include "strobe/report/summary/summary_sections.h"

namespace strobe::report {
namespace {

using analysis::Summary;
using analysis::View;

// "4 x H200 (132 multiprocessors, 140 GiB)"; one line per kind of device.
std::string device_text(const std::vector<RankInput>& ranks) {
  std::vector<std::pair<std::string, std::set<std::pair<std::size_t, std::int32_t>>>> kinds;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::set<std::int32_t> used;
    for (const auto& device : ranks[rank].summary->devices) used.insert(device.device);
    for (const DeviceProperties& device : ranks[rank].trace->metadata().devices) {
      if (device.name.empty() || (!used.empty() && used.count(device.id) == 0)) continue;
      std::string text = device.name;
      if (device.multiprocessors > 0 && device.memory_bytes > 0) {
        text += " (" + std::to_string(device.multiprocessors) + " multiprocessors, " +
                bytes_text(device.memory_bytes) + ")";
      }
      const auto known = std::find_if(kinds.begin(), kinds.end(),
                                      [&](const auto& kind) { return kind.first == text; });
      auto& kind = known == kinds.end()
                       ? kinds.emplace_back(text, decltype(kinds)::value_type::second_type{})
                       : *known;
      kind.second.insert({rank, device.id});
    }
  }
  std::string text;
  for (const auto& [name, devices] : kinds) {
    if (!text.empty()) text += ", ";
    if (devices.size() > 1) text += std::to_string(devices.size()) + " x ";
    text += name;
  }
  return text;
}

// "5 per rank, ", or "in 3 ranks, " where they differ; nothing for a single trace.
std::string per_rank_text(const std::vector<std::size_t>& steps_of_ranks) {
  if (steps_of_ranks.size() < 2) return "";
  const bool are_equal = std::ranges::count(steps_of_ranks, steps_of_ranks.front()) ==
                         static_cast<std::ptrdiff_t>(steps_of_ranks.size());
  return are_equal ? count_text(steps_of_ranks.front()) + " per rank, "
                   : "in " + count_text(steps_of_ranks.size()) + " ranks, ";
}

// The average, the shortest and the longest are of the steps after the warm-up.
Fact step_fact(const SummaryInput& input) {
  std::uint64_t all_steps = 0;
  std::uint64_t steps = 0;
  std::vector<std::size_t> steps_of_ranks;
  std::int64_t total_ns = 0;
  std::int64_t shortest_ns = 0;
  std::int64_t longest_ns = 0;
  for (const RankInput& rank : input.ranks) {
    if (!rank.summary->has_steps) continue;
    steps_of_ranks.push_back(rank.summary->steps.size());
    all_steps += rank.summary->steps.size();
    for (const auto& step : analysis::steady_steps(*rank.summary)) {
      const std::int64_t length_ns = step.interval.length_ns();
      shortest_ns = steps == 0 ? length_ns : std::min(shortest_ns, length_ns);
      longest_ns = std::max(longest_ns, length_ns);
      total_ns += length_ns;
      ++steps;
    }
  }
  Fact fact{"steps", input.step_word() + "s", Count{all_steps}, ""};
  if (steps == 0) {
    fact.remark = "none marked: shares are of the whole trace";
  } else if (steps == 1) {
    fact.remark = input.duration(total_ns);
  } else {
    fact.remark = per_rank_text(steps_of_ranks);
    fact.remark += input.duration(total_ns / static_cast<std::int64_t>(steps)) + " on average, " +
                   input.duration(shortest_ns) + " to " + input.duration(longest_ns);
  }
  return fact;
}

// "warm-up  2  the first steps of the trace, 481 ms in all: averages per step leave them out"
std::optional<Fact> warm_up_fact(const SummaryInput& input) {
  const WarmUpTime warm_up = warm_up_time(input);
  if (warm_up.steps == 0) return std::nullopt;
  const std::string step = input.step_word();
  const bool is_one = warm_up.steps == 1;
  const bool has_ranks = input.ranks.size() > 1;
  return Fact{"warm_up_steps", "warm-up", Count{warm_up.steps},
              "the first " + step + (is_one ? "" : "s") + (has_ranks ? " of the ranks, " : ", ") +
                  input.duration(warm_up.total_ns) + (is_one ? "" : " in all") + ": averages per " +
                  step + " leave " + (is_one ? "it" : "them") + " out"};
}

// "found by  a host range that recurs: decode", for cycles.
std::optional<Fact> cycle_fact(const SummaryInput& input) {
  if (!input.has_cycles()) return std::nullopt;
  const auto rank = std::ranges::find_if(
      input.ranks, [](const RankInput& one) { return one.summary->cycles.has_value(); });
  const analysis::FoundCycles& cycles = *rank->summary->cycles;
  const std::string marker = cycles.marker.empty() ? "" : ": " + cycles.marker;
  return Fact{"cycles_found_by", "found by", Text{cycles.method + marker},
              "the trace marks no steps; these cycles repeat"};
}

struct DevicesInUse {
  analysis::DeviceUse use;
  std::size_t devices = 0;
  std::size_t ranks = 0;  // that use a device
};

// "the span", or "the spans of all 8 ranks (5.05 s)": what the devices could have worked.
std::string busy_base_text(const SummaryInput& input, const DevicesInUse& all) {
  const bool has_ranks = input.ranks.size() > 1;
  std::string text = input.is_part() ? "the chosen " + span_word(input)
                                     : std::string(has_ranks ? "the spans" : "the span");
  if (has_ranks) {
    text += std::string(" of ") + (all.ranks == input.ranks.size() ? "all " : "") +
            counted(all.ranks, "rank");
  }
  if (all.devices > all.ranks) text += " on " + counted(all.devices, "device");
  if (all.devices > 1) text += " (" + input.duration(all.use.span_ns) + ")";
  return text;
}

// "94.0 % of the steps after the warm-up", for one device.
std::string steady_busy_text(const SummaryInput& input, const DevicesInUse& all) {
  if (warm_up_time(input).steps == 0 || all.devices != 1) return "";
  std::int64_t total_ns = 0;
  std::int64_t idle_ns = 0;
  for (const RankInput& rank : input.ranks) {
    for (const auto& step : analysis::steady_steps(*rank.summary)) {
      total_ns += step.interval.length_ns();
      idle_ns += idle_ns_of(step);
    }
  }
  if (total_ns == 0) return "";
  const double idle = static_cast<double>(idle_ns) / static_cast<double>(total_ns);
  return analysis::share_text(1 - idle) + " of the " + input.step_word() + "s after the warm-up";
}

Fact busy_fact(const SummaryInput& input) {
  DevicesInUse all;
  for (const RankInput& rank : input.ranks) {
    const analysis::DeviceUse use = analysis::device_use(*rank.summary);
    all.use.busy_ns += use.busy_ns;
    all.use.span_ns += use.span_ns;
    all.devices += rank.summary->devices.size();
    all.ranks += rank.summary->devices.empty() ? 0 : 1;
  }
  const std::string steady = steady_busy_text(input, all);
  return {"device_busy_share", input.device + " busy", share_of(all.use.busy_ns, all.use.span_ns),
          "of " + busy_base_text(input, all) + ": " + input.duration(all.use.busy_ns) +
              (steady.empty() ? " with kernels, copies or memsets running" : "; " + steady)};
}

// Of the longest rank; of a run of which only samples were recorded, the time of these.
Fact span_fact(const SummaryInput& input) {
  std::int64_t span_ns = 0;
  std::int64_t sampled_ns = 0;
  for (const RankInput& rank : input.ranks) {
    span_ns = std::max(span_ns, rank.summary->span_ns);
    if (rank.trace->extent().length_ns() > 0) continue;
    sampled_ns = std::max(sampled_ns, analysis::shown_time(*rank.trace).length_ns());
  }
  const bool has_only_samples = span_ns == 0 && sampled_ns > 0;
  std::string remark = "from the first slice to the last";
  if (input.is_part()) remark = "the time of the chosen " + span_word(input);
  if (has_only_samples) remark = "from the first sample to the last";
  if (input.ranks.size() > 1) remark += ", of the longest rank";
  return {"span_ns", "span", Duration{has_only_samples ? sampled_ns : span_ns}, remark};
}

std::vector<Fact> facts_of(const SummaryInput& input) {
  const std::vector<RankInput>& ranks = input.ranks;
  const RankInput& first = ranks.front();
  std::vector<const Trace*> traces;
  for (const RankInput& rank : ranks) traces.push_back(rank.trace);
  std::vector<Fact> facts;
  if (ranks.size() == 1) {
    facts.push_back({"file", "trace", Text{first.name}, ""});
  } else {
    const std::string doubt = run_doubt(traces);
    facts.push_back({"ranks", "ranks", Count{ranks.size()},
                     doubt.empty() ? "" : "they do not look like one run: " + doubt});
  }
  facts.push_back({"dialect", "written by", Text{writers_of(traces)}, ""});
  if (const std::string devices = device_text(ranks); !devices.empty()) {
    facts.push_back({"device", "device", Text{devices}, ""});
  }
  const Distributed& distributed = first.trace->metadata().distributed;
  if (ranks.size() == 1 && distributed.rank && distributed.world_size) {
    facts.push_back({"rank", "rank", Text{std::to_string(*distributed.rank)},
                     "of " + std::to_string(*distributed.world_size) +
                         (distributed.backend.empty() ? "" : ", over " + distributed.backend)});
  }
  std::uint64_t slices = 0;
  for (const RankInput& rank : ranks) slices += rank.summary->slices;
  facts.push_back(span_fact(input));
  facts.push_back({"slices", "slices", Count{slices},
                   input.is_part() ? "of the chosen " + span_word(input) : ""});
  if (slices > 0) facts.push_back(step_fact(input));
  if (const auto warm_up = warm_up_fact(input)) facts.push_back(*warm_up);
  if (const auto cycles = cycle_fact(input)) facts.push_back(*cycles);
  if (input.has_device) facts.push_back(busy_fact(input));
  return facts;
}

// A title has no room for folders.
std::string file_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

struct SectionOfView {
  View view;
  Section (*section)(const SummaryInput&);
  const char* if_nothing = nullptr;  // shown by the first section of a requested view
};

// In reading order: the whole first, then smaller and smaller parts.
constexpr SectionOfView kSections[] = {
    {View::kSteps, step_section, "Nothing with a duration was recorded here."},
    {View::kSteps, steps_section},
    {View::kIdle, idle_section, "No idle time of a device was found here."},
    {View::kDistributed, rank_section},
    {View::kDevice, device_section, "No work on a device was recorded here."},
    {View::kDistributed, communication_section, "No communication was recorded here."},
    {View::kModel, phase_section,
     "No phase of a model was recorded here: data loading, forward, backward or optimizer."},
    {View::kOperator, operator_section, "No operator was recorded here."},
    {View::kOperator, operator_work_section},
    {View::kKernel, kernel_section, "No kernel was recorded here."},
    {View::kRuntimeCalls, runtime_call_section, "No runtime call was recorded here."},
    {View::kStreams, stream_section, "No stream of a device was recorded here."},
    {View::kUserRanges, user_range_section, "No range of a user's script was recorded here."},
    {View::kMemoryManipulation, memory_range_section,
     "No copy or memset was recorded here as a range on the host."},
    {View::kMemory, memory_peak_section},
    {View::kMemory, memory_section,
     "No allocation was recorded here; profilers record memory only when asked to."},
    {View::kSamples, sample_section,
     "No samples of a device, a process or the host were recorded here."},
    {View::kOverview, thread_section},
    {View::kOverview, kind_section},
};

// Tools get every requested table, with or without rows; people only those with content.
void add_section(Document& document, const SectionOfView& entry, const SummaryInput& input) {
  Section section = entry.section(input);
  const bool is_empty = section.table.rows.empty() && section.table.rows_left_out == 0;
  if (is_empty && !input.shows_all_views() && entry.if_nothing != nullptr) {
    section.lead.clear();
    section.notes = {entry.if_nothing};
  } else if (is_empty) {
    section.for_tools = true;
  }
  document.sections.push_back(std::move(section));
}

}  // namespace

Document summary_document(const std::vector<RankInput>& ranks, const Summary& merged,
                          const std::vector<analysis::Finding>& findings,
                          const analysis::TableOptions& options, bool verbose,
                          analysis::Health health) {
  Document document;
  document.schema = "strobe.summary";
  document.version = 2;
  document.title = "strobe summary: where the time went";
  if (ranks.empty()) return document;
  document.subject =
      ranks.size() == 1 ? file_of(ranks.front().name) : counted(ranks.size(), "rank");
  const std::string device = ranks.front().trace->traits().device_label;
  const SummaryInput input{ranks, merged, options, device, !merged.devices.empty()};
  document.unit = input.unit();
  document.facts = facts_of(input);
  document.health = std::move(health);
  document.shows_health_notes = verbose;
  document.findings = findings;
  if (verbose) document.findings_on_page = findings.size();
  for (const SectionOfView& entry : kSections) {
    if (!options.views.has(entry.view)) continue;
    if (entry.section == operator_work_section && !options.operator_detail) continue;
    add_section(document, entry, input);
  }
  const bool is_clean = std::all_of(ranks.begin(), ranks.end(),
                                    [](const RankInput& rank) { return rank.import->is_clean(); });
  Section import = import_section(input.ranks, verbose);
  import.for_tools = is_clean && !verbose;
  document.sections.push_back(std::move(import));
  return document;
}

}  // namespace strobe::report
