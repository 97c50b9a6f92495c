#include "strobe/report/summary_report.h"

#include <algorithm>
#include <set>

#include "strobe/report/format.h"
#include "strobe/report/summary_sections.h"

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

Fact step_fact(const std::vector<RankInput>& ranks) {
  std::uint64_t steps = 0;
  std::int64_t total_ns = 0;
  std::int64_t shortest_ns = 0;
  std::int64_t longest_ns = 0;
  for (const RankInput& rank : ranks) {
    for (const auto& step : rank.summary->steps) {
      const std::int64_t length_ns = step.interval.length_ns();
      shortest_ns = steps == 0 ? length_ns : std::min(shortest_ns, length_ns);
      longest_ns = std::max(longest_ns, length_ns);
      total_ns += length_ns;
      ++steps;
    }
  }
  Fact fact{"steps", "steps", Count{steps}, ""};
  if (steps == 0) {
    fact.remark = "none marked: shares are of the host's span";
  } else if (steps == 1) {
    fact.remark = duration_text(total_ns);
  } else {
    fact.remark = duration_text(total_ns / static_cast<std::int64_t>(steps)) + " on average, " +
                  duration_text(shortest_ns) + " to " + duration_text(longest_ns);
  }
  return fact;
}

Fact busy_fact(const std::vector<RankInput>& ranks, const std::string& device) {
  std::int64_t busy_ns = 0;
  std::int64_t span_ns = 0;
  for (const RankInput& rank : ranks) {
    for (const auto& row : rank.summary->devices) {
      busy_ns += row.busy_ns;
      span_ns += rank.summary->extent.length_ns();
    }
  }
  return {"device_busy_share", device + " busy", share_of(busy_ns, span_ns),
          "of the span: " + duration_text(busy_ns) + " with kernels, copies or memsets running"};
}

std::vector<Fact> facts_of(const std::vector<RankInput>& ranks, const std::string& device) {
  const RankInput& first = ranks.front();
  std::vector<Fact> facts;
  if (ranks.size() == 1) {
    facts.push_back({"file", "trace", Text{first.name}, ""});
  } else {
    facts.push_back({"ranks", "ranks", Count{ranks.size()}, ""});
  }
  facts.push_back({"dialect", "written by", Text{first.trace->traits().dialect}, ""});
  if (const std::string devices = device_text(ranks); !devices.empty()) {
    facts.push_back({"device", "device", Text{devices}, ""});
  }
  const Distributed& distributed = first.trace->metadata().distributed;
  if (ranks.size() == 1 && distributed.rank && distributed.world_size) {
    facts.push_back({"rank", "rank", Text{std::to_string(*distributed.rank)},
                     "of " + std::to_string(*distributed.world_size) +
                         (distributed.backend.empty() ? "" : ", over " + distributed.backend)});
  }
  std::int64_t span_ns = 0;
  std::uint64_t slices = 0;
  std::size_t devices = 0;
  for (const RankInput& rank : ranks) {
    span_ns = std::max(span_ns, rank.summary->extent.length_ns());
    slices += rank.trace->slice_count();
    devices += rank.summary->devices.size();
  }
  facts.push_back({"span_ns", "span", Duration{span_ns},
                   ranks.size() == 1 ? "from the first slice to the last" : "the longest rank"});
  facts.push_back({"slices", "slices", Count{slices}, ""});
  facts.push_back(step_fact(ranks));
  if (devices > 0) facts.push_back(busy_fact(ranks, device));
  return facts;
}

struct SectionOfView {
  View view;
  Section (*section)(const SummaryInput&);
};

// In reading order: the whole first, then ever smaller parts.
constexpr SectionOfView kSections[] = {
    {View::kSteps, step_section},
    {View::kSteps, steps_section},
    {View::kDevice, device_section},
    {View::kDistributed, rank_section},
    {View::kDistributed, communication_section},
    {View::kModel, phase_section},
    {View::kOperator, operator_section},
    {View::kOperator, operator_work_section},
    {View::kKernel, kernel_section},
    {View::kUserRanges, user_range_section},
    {View::kMemoryManipulation, memory_range_section},
    {View::kMemory, memory_peak_section},
    {View::kMemory, memory_section},
    {View::kOverview, kind_section},
};

}  // namespace

Document summary_document(const std::vector<RankInput>& ranks, const Summary& merged,
                          const std::vector<analysis::Finding>& findings,
                          const analysis::TableOptions& options, bool verbose) {
  Document document;
  document.schema = "strobe.summary";
  document.title = "strobe summary: where the time went";
  if (ranks.empty()) return document;
  const std::string device = ranks.front().trace->traits().device_label;
  const SummaryInput input{ranks, merged, options, device};
  document.facts = facts_of(ranks, device);
  document.findings = findings;
  if (verbose) document.findings_on_page = findings.size();
  for (const SectionOfView& entry : kSections) {
    if (!options.views.has(entry.view)) continue;
    Section section = entry.section(input);
    const bool all_hidden = section.table.rows.empty() && section.table.rows_left_out > 0;
    if (section.table.rows.empty() && !all_hidden) continue;
    document.sections.push_back(std::move(section));
  }
  const bool is_clean = std::all_of(ranks.begin(), ranks.end(),
                                    [](const RankInput& rank) { return rank.import->is_clean(); });
  if (!is_clean || verbose) document.sections.push_back(import_section(input, verbose));
  return document;
}

}  // namespace strobe::report
