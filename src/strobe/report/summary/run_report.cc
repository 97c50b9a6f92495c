#include "strobe/report/summary/run_report.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/health/health.h"
#include "strobe/report/summary/summary_report.h"

namespace strobe::report {
namespace {

using analysis::Finding;
using analysis::Summary;

struct Worst {
  Finding finding;
  std::string rank;
  std::size_t ranks = 1;  // that have a finding of this kind
};

auto importance(const Finding& finding) { return std::tuple(finding.weight, finding.share); }

// Who keeps the others waiting: by the collectives themselves, else by the ranks' own time.
std::vector<Finding> waited_for(const std::vector<RankInput>& ranks,
                                const analysis::Lateness& lateness) {
  std::vector<analysis::RankSummary> summaries;
  for (const RankInput& rank : ranks) {
    if (rank.summary != nullptr) summaries.push_back({rank.name, rank.summary, &rank.findings});
  }
  if (lateness.ranks.size() == summaries.size()) {
    std::vector<Finding> late = analysis::find_late_ranks(summaries, lateness);
    if (!late.empty()) return late;
  }
  std::vector<Finding> findings;
  if (auto straggler = analysis::find_straggler(summaries)) {
    findings.push_back(std::move(*straggler));
  }
  return findings;
}

std::vector<std::string> names_of_late(const std::vector<RankInput>& ranks,
                                       const analysis::Lateness& lateness) {
  std::vector<std::string> names;
  if (lateness.ranks.size() != ranks.size()) return names;
  for (const std::size_t late : analysis::late_ranks(lateness)) names.push_back(ranks[late].name);
  return names;
}

bool is_communication(const Finding& finding) { return finding.code == "exposed_communication"; }

// A kernel that waits for a late rank communicates longer than its bytes need.
void doubt_communication(std::vector<std::string> late, std::vector<Worst>& worst) {
  const auto communication =
      std::ranges::find_if(worst, [](const Worst& one) { return is_communication(one.finding); });
  if (communication == worst.end()) return;
  std::erase(late, communication->rank);
  if (late.empty()) return;
  const std::string_view come = late.size() == 1 ? "comes" : "come";
  Finding& finding = communication->finding;
  finding.against.push_back(
      fmt::format("part of it is waiting for {}, which {} late", fmt::join(late, ", "), come));
  finding.advice =
      fmt::format("first see why {} {} late; {}", fmt::join(late, ", "), come, finding.advice);
}

// ", the worst of 8 ranks with this finding". Who communicates most is not to blame for it.
std::string among_text(const Worst& one) {
  if (one.ranks < 2) return "";
  return fmt::format(", the {} of {} ranks with this finding",
                     is_communication(one.finding) ? "most" : "worst", one.ranks);
}

analysis::Lateness lateness_of(const std::vector<RunTrace>& run) {
  if (run.size() < 2) return {};
  std::vector<const Trace*> traces;
  for (const RunTrace& one : run) traces.push_back(one.trace);
  return analysis::find_lateness(traces);
}

analysis::FindingContext context_of(const RunTrace& one) {
  return {.is_cut_off = one.import->is_cut_off()};
}

analysis::Health health_of(const std::vector<RunTrace>& run,
                           const std::vector<std::string>& names) {
  std::vector<analysis::RankHealthInput> ranks;
  for (std::size_t i = 0; i < run.size(); ++i) {
    ranks.push_back({names[i], run[i].trace, run[i].import});
  }
  return analysis::judge_health(ranks);
}

std::string file_name(const RunTrace& one) {
  return std::filesystem::path(one.path).filename().string();
}

std::vector<std::string> short_paths(const std::vector<RunTrace>& run) {
  std::string_view shared = run[0].path;
  for (const RunTrace& one : run) {
    const auto [end, other] = std::ranges::mismatch(shared, one.path);
    shared = shared.substr(0, static_cast<std::size_t>(end - shared.begin()));
  }
  const std::size_t folders = shared.rfind('/') + 1;  // 0 without any
  std::vector<std::string> names;
  for (const RunTrace& one : run) names.push_back(one.path.substr(folders));
  return names;
}

}  // namespace

std::vector<Finding> findings_of_run(const std::vector<RankInput>& ranks,
                                     const analysis::Lateness& lateness) {
  std::vector<Worst> worst;
  for (const RankInput& rank : ranks) {
    for (const Finding& finding : rank.findings) {
      const auto same = std::ranges::find_if(
          worst, [&](const Worst& known) { return known.finding.code == finding.code; });
      if (same == worst.end()) {
        worst.push_back({finding, rank.name});
        continue;
      }
      ++same->ranks;
      if (importance(finding) > importance(same->finding)) {
        same->finding = finding;
        same->rank = rank.name;
      }
    }
  }
  doubt_communication(names_of_late(ranks, lateness), worst);
  std::vector<Finding> findings;
  for (Worst& one : worst) {
    one.finding.headline = fmt::format("{}{}: {}", one.rank, among_text(one), one.finding.headline);
    findings.push_back(std::move(one.finding));
  }
  std::ranges::stable_sort(
      findings, [](const Finding& a, const Finding& b) { return importance(a) > importance(b); });
  // Communication of the other ranks may be waiting for these, so the cause comes first.
  std::vector<Finding> causes = waited_for(ranks, lateness);
  for (auto cause = causes.rbegin(); cause != causes.rend(); ++cause) {
    const auto place = std::ranges::find_if(
        findings, [&](const Finding& finding) { return finding.weight <= cause->weight; });
    findings.insert(place, std::move(*cause));
  }
  return findings;
}

void sort_by_rank(std::vector<RunTrace>& run) {
  const auto has_rank = [](const RunTrace& one) { return one.rank().has_value(); };
  if (!std::ranges::all_of(run, has_rank)) return;
  std::ranges::stable_sort(run, {}, [](const RunTrace& one) { return *one.rank(); });
}

std::vector<std::string> names_of(const std::vector<RunTrace>& run) {
  if (run.size() == 1) return {run[0].path == "/dev/stdin" ? "stdin" : run[0].path};
  const auto rank_name = [](const RunTrace& one) {
    return one.rank() ? fmt::format("rank {}", *one.rank()) : file_name(one);
  };
  for (const auto& name_of : {std::function(rank_name), std::function(file_name)}) {
    std::vector<std::string> names;
    std::ranges::transform(run, std::back_inserter(names), name_of);
    if (std::set(names.begin(), names.end()).size() == names.size()) return names;
  }
  return short_paths(run);
}

Result<void> expect_slices(const std::vector<RunTrace>& run) {
  for (const RunTrace& one : run) {
    // A recorded run of a program that never used a device has samples of the machine.
    const bool has_samples = one.trace->counters().size() > 0;
    const bool is_recorded = one.trace->traits().dialect == kRecordingDialect;
    if (one.trace->slice_count() > 0 || (is_recorded && has_samples)) return {};
  }
  const RunTrace& first = run[0];
  Error error{.code = ErrorCode::kTooLittleData, .what = "", .where = first.path, .hint = ""};
  if (first.import->lost_something()) {
    error.what = "none of its events can be read";
  } else if (first.import->event_count == 0) {
    error.what = "it contains no events";
    error.hint = "was the profiler stopped before the first step ended?";
  } else {
    error.what = "none of its events has a duration";
    error.hint = "a summary accounts for time; record slices besides counters and instants";
  }
  return error;
}

Document run_document(const std::vector<RunTrace>& run, const std::vector<Summary>& summaries,
                      const analysis::TableOptions& tables, bool verbose) {
  std::vector<RankInput> ranks;
  const std::vector<std::string> names = names_of(run);
  const analysis::Lateness lateness = lateness_of(run);
  for (std::size_t i = 0; i < run.size(); ++i) {
    ranks.push_back({.name = names[i],
                     .trace = run[i].trace,
                     .summary = &summaries[i],
                     .import = run[i].import,
                     .findings = analysis::find_in(*run[i].trace, summaries[i], context_of(run[i])),
                     .lateness = {}});
    if (i < lateness.ranks.size() && !lateness.clocks_differ) {
      ranks.back().lateness = lateness.ranks[i];
    }
  }
  analysis::Health health = health_of(run, names);
  if (ranks.size() == 1) {
    return summary_document(ranks, summaries[0], ranks[0].findings, tables, verbose,
                            std::move(health));
  }
  return summary_document(ranks, analysis::merge_ranks(summaries), findings_of_run(ranks, lateness),
                          tables, verbose, std::move(health));
}

}  // namespace strobe::report
