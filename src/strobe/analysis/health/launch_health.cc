#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "strobe/analysis/health/health_rules.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

std::string times_on(const HealthEvidence& e) { return "times on the " + e.device; }
constexpr const char* kWhoLaunched = "what launched the work";

// Work that started before anything of its stream whose launch is known: it was in the queue when
// the recording began.
struct Orphans {
  JudgedPart first;
  JudgedPart later;
};

Orphans sort_orphans(const HealthEvidence& e) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> first_linked_ns(e.trace.tracks().size(), kNone);
  std::int64_t first_of_all_ns = kNone;
  const auto& tracks = e.trace.slices().tracks;
  for (const JudgedWork& work : e.works) {
    if (!work.is_linked) continue;
    std::int64_t& first_ns = first_linked_ns[tracks[work.slice.index()].index()];
    first_ns = std::min(first_ns, e.trace.start_ns(work.slice));
    first_of_all_ns = std::min(first_of_all_ns, first_ns);
  }
  Orphans orphans;
  for (const JudgedWork& work : e.works) {
    if (work.is_linked) continue;
    const std::int64_t own_ns = first_linked_ns[tracks[work.slice.index()].index()];
    const std::int64_t limit_ns = own_ns == kNone ? first_of_all_ns : own_ns;
    (e.trace.start_ns(work.slice) < limit_ns ? orphans.first : orphans.later)
        .add(e.trace, work.slice);
  }
  return orphans;
}

// Many short kernels of which nobody knows who launched them matter for how often something was
// launched, but only time decides whether the larger part is missing.
HealthVerdict verdict_of_work(const HealthEvidence& e, const JudgedPart& part) {
  const double by_count = static_cast<double>(part.count) / static_cast<double>(e.works.size());
  const double by_time =
      e.device_ns == 0 ? by_count
                       : static_cast<double>(part.device_ns) / static_cast<double>(e.device_ns);
  if (by_time >= kMostlyMissing) return HealthVerdict::kNotFor;
  return std::max(by_count, by_time) >= kMatteringShare ? HealthVerdict::kUsable
                                                        : HealthVerdict::kComplete;
}

HealthVerdict verdict_of_share(double share) {
  if (share >= kMostlyMissing) return HealthVerdict::kNotFor;
  return share >= kMatteringShare ? HealthVerdict::kUsable : HealthVerdict::kComplete;
}

HealthRemark with_not_for(HealthRemark remark, std::string question) {
  if (remark.verdict == HealthVerdict::kNotFor) remark.not_for = std::move(question);
  return remark;
}

std::string counts_for_no_operator(const HealthEvidence& e, const JudgedPart& part) {
  const std::string time = device_time_text(e, part.device_ns);
  return e.has_operators
             ? fmt::format(
                   "their {} counts for kernels and devices, but for no operator: operator "
                   "times on the {} are too low by up to that much",
                   time, e.device)
             : fmt::format(
                   "for their {}, launch delays and the code that launched it are not known", time);
}

MaybeRemark launched_before_recording(const HealthEvidence& e) {
  if (e.linked == 0) return {};
  const JudgedPart part = sort_orphans(e).first;
  if (part.count == 0) return {};
  return with_not_for(
      {.code = "launched_before_recording",
       .verdict = verdict_of_work(e, part),
       .seen = fmt::format("{}, in the first {}, {} launched before the calls of the host were "
                           "recorded: the profiler was attached while they waited",
                           part_of_text(part.count, e.works.size(), kWorkWords),
                           duration_text(e.since_start_ns(part.end_ns)),
                           plural(part.count, "was", "were")),
       .consequence = counts_for_no_operator(e, part),
       .advice = "synchronise with the device before the recording starts, or record one step more",
       .count = part.count,
       .of = e.works.size()},
      kWhoLaunched);
}

MaybeRemark orphan_device_work(const HealthEvidence& e) {
  if (e.linked == 0) return {};
  const JudgedPart part = sort_orphans(e).later;
  if (part.count == 0) return {};
  return with_not_for(
      {.code = "orphan_device_work",
       .verdict = verdict_of_work(e, part),
       .seen = fmt::format("{} {} no recorded launch, though work before {} has: calls of the host "
                           "were lost, or are not recorded by this writer",
                           part_of_text(part.count, e.works.size(), kWorkWords),
                           plural(part.count, "has", "have"), plural(part.count, "it", "them")),
       .consequence = counts_for_no_operator(e, part),
       .advice = "record fewer activities or a shorter time, so that the profiler keeps up",
       .count = part.count,
       .of = e.works.size()},
      kWhoLaunched);
}

// A recording of the device alone is complete as such. Where the framework was recorded as well,
// its operators lack their device time.
MaybeRemark launches_not_recorded(const HealthEvidence& e) {
  if (e.works.empty() || e.linked > 0) return {};
  HealthRemark remark{
      .code = "launches_not_recorded",
      .verdict = e.has_operators ? HealthVerdict::kNotFor : HealthVerdict::kComplete,
      .seen = e.launch_calls == 0
                  ? fmt::format("no launch of its {} ({}) was recorded", kWorkWords,
                                count_text(e.works.size()))
                  : fmt::format("none of its {} ({}) can be joined with one of {}", kWorkWords,
                                count_text(e.works.size()), counted(e.launch_calls, "launch call")),
      .consequence = fmt::format("they count for kernels and devices; operator times on the {}, "
                                 "launch delays and why the {} was idle are not known",
                                 e.device, e.device),
      .advice = "record runtime calls too",
      .count = e.works.size(),
      .of = e.works.size()};
  return with_not_for(std::move(remark), kWhoLaunched);
}

MaybeRemark launched_work_not_recorded(const HealthEvidence& e) {
  if (!e.works.empty() || e.launch_calls == 0) return {};
  return HealthRemark{
      .code = "launched_work_not_recorded",
      .verdict = HealthVerdict::kNotFor,
      .seen = fmt::format("none of the work of {} was recorded",
                          counted(e.launch_calls, "launch call")),
      .consequence = fmt::format(
          "these tables show the host only: how busy the {} was is not known", e.device),
      .advice =
          "record device activities too; if they were asked for, read the profiler's messages: "
          "it may lack the permission or the library, or another tool holds the device",
      .not_for = times_on(e),
      .count = e.launch_calls,
      .of = e.launch_calls};
}

// Calls whose work should be in the file.
std::vector<const JudgedLaunch*> expected_launches(const HealthEvidence& e, bool of_graphs) {
  std::vector<const JudgedLaunch*> launches;
  for (const JudgedLaunch& launch : e.launches) {
    if (launch.is_graph == of_graphs && !launch.is_captured && !launch.is_around) {
      launches.push_back(&launch);
    }
  }
  return launches;
}

// "all of them in the first 1.2 ms", in terms of the calls that have work.
struct Missing {
  std::uint64_t count = 0;
  std::uint64_t before = 0;  // before the first call with work
  std::uint64_t after = 0;   // after the last one
  Interval before_until;     // from the start of the trace
  Interval after_from;       // to the end of the trace
};

Missing find_missing(const HealthEvidence& e, const std::vector<const JudgedLaunch*>& launches) {
  Missing missing;
  std::uint64_t since_last = 0;
  bool has_work = false;
  for (const JudgedLaunch* launch : launches) {
    const std::int64_t start_ns = e.trace.start_ns(launch->slice);
    if (launch->works > 0) {
      if (!has_work) {
        missing.before = missing.count;
        missing.before_until = {e.trace.extent().start_ns, start_ns};
      }
      has_work = true;
      since_last = 0;
      missing.after_from = {start_ns, e.trace.extent().end_ns};
      continue;
    }
    ++missing.count;
    ++since_last;
  }
  missing.after = has_work ? since_last : 0;
  return missing;
}

// Nearly all at one end.
bool is_nearly_all(std::uint64_t part, std::uint64_t all) { return 20 * part >= 19 * all; }

// A few calls say where something is missing, but not why.
std::string reason_text(const Missing& missing, std::string_view reason) {
  constexpr std::uint64_t kEnoughCalls = 10;
  return missing.count < kEnoughCalls ? "" : fmt::format(": {}", reason);
}

std::string where_text(const Missing& missing) {
  const bool is_all = missing.before == missing.count || missing.after == missing.count;
  const std::string_view how_many = is_all ? "all" : "nearly all";
  if (is_nearly_all(missing.before, missing.count)) {
    return fmt::format("{} of them in the first {}{}", how_many,
                       duration_text(missing.before_until.length_ns()),
                       reason_text(missing, "the device was recorded later than the host"));
  }
  if (is_nearly_all(missing.after, missing.count)) {
    return fmt::format("{} of them in the last {}{}", how_many,
                       duration_text(missing.after_from.length_ns()),
                       reason_text(missing, "the recording ended before it ran"));
  }
  return "spread over the recording" + reason_text(missing, "records of the device were dropped");
}

// Calls without a correlation are not expected to have work; where none has any, the writer links
// in another way, or nothing was recorded, which another rule tells.
MaybeRemark launches_without_work(const HealthEvidence& e) {
  const std::vector<const JudgedLaunch*> launches = expected_launches(e, false);
  const Missing missing = find_missing(e, launches);
  if (missing.count == 0 || missing.count == launches.size()) return {};
  const double share = static_cast<double>(missing.count) / static_cast<double>(launches.size());
  return with_not_for(
      {.code = "launches_without_work",
       .verdict = verdict_of_share(share),
       .seen = fmt::format("the work of {} is missing, {}",
                           part_of_text(missing.count, launches.size(), "launch calls"),
                           where_text(missing)),
       .consequence =
           fmt::format("the {} was busy for longer than these tables say: times of "
                       "kernels and of operators on the {} are too low, and idle time is "
                       "too high, there",
                       e.device, e.device),
       .advice = "record again, for a shorter time, and let the device finish before the profiler "
                 "stops",
       .count = missing.count,
       .of = launches.size()},
      times_on(e));
}

MaybeRemark graphs_without_work(const HealthEvidence& e) {
  const std::vector<const JudgedLaunch*> launches = expected_launches(e, true);
  const Missing missing = find_missing(e, launches);
  if (missing.count == 0 || e.works.empty()) return {};
  const double share = static_cast<double>(missing.count) / static_cast<double>(launches.size());
  return with_not_for(
      {.code = "graphs_without_work",
       .verdict = verdict_of_share(share),
       .seen = fmt::format("the work of {} is missing",
                           part_of_text(missing.count, launches.size(), "launches of graphs")),
       .consequence = fmt::format("while they ran, the {} seems to be idle: kernel times are too "
                                  "low, and idle time is too high",
                                  e.device),
       .advice = "record the kernels inside graphs, with a newer profiler or without graphs",
       .count = missing.count,
       .of = launches.size()},
      times_on(e));
}

// A graph that stands in the file as one block.
JudgedPart find_blocks(const HealthEvidence& e) {
  const auto& categories = e.trace.categories();
  std::vector<bool> is_block(categories.size());
  for (std::size_t i = 0; i < categories.size(); ++i) {
    is_block[i] = e.trace.strings()[categories[i].name] == "graph";
  }
  JudgedPart blocks;
  for (const JudgedWork& work : e.works) {
    const CategoryId category = e.trace.slices().categories[work.slice.index()];
    if (category.valid() && is_block[category.index()]) blocks.add(e.trace, work.slice);
  }
  return blocks;
}

MaybeRemark whole_graphs(const HealthEvidence& e) {
  const JudgedPart blocks = find_blocks(e);
  const std::uint64_t count = std::max(blocks.count, e.import[ImportIssue::kWholeGraphs].count);
  if (count == 0) return {};
  const double share =
      e.device_ns == 0 ? 0
                       : static_cast<double>(blocks.device_ns) / static_cast<double>(e.device_ns);
  return with_not_for(
      {.code = "whole_graphs",
       .verdict = blocks.count == 0 ? HealthVerdict::kUsable : verdict_of_share(share),
       .seen = fmt::format("{} {} recorded as one block each{}",
                           counted(count, "launch of a graph", "launches of graphs"),
                           plural(count, "was", "were"),
                           blocks.count == 0 ? "" : ": " + device_time_text(e, blocks.device_ns)),
       .consequence =
           "the kernels inside, their names, their gaps and their operators are not known",
       .advice = "record the kernels inside graphs; that slows their launches down",
       .count = count,
       .of = e.works.size()},
      "kernels");
}

constexpr std::array<HealthRule, 7> kLaunchRules = {launched_work_not_recorded,
                                                    launches_not_recorded,
                                                    launched_before_recording,
                                                    orphan_device_work,
                                                    launches_without_work,
                                                    graphs_without_work,
                                                    whole_graphs};

}  // namespace

std::span<const HealthRule> launch_health_rules() { return kLaunchRules; }

}  // namespace strobe::analysis
