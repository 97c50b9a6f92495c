#include "strobe/compare/comparison_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "strobe/base/text.h"
#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

using analysis::CycleList;

// The worse, the earlier.
enum class RemarkWeight : std::uint8_t { kForbids, kDistorts, kLimits, kInforms };

std::string cut_by(const CycleList& cycles) {
  std::string text(word_of(cycles.method));
  constexpr std::size_t kLongest = 60;  // a kernel's name can be a page
  if (cycles.marker.size() > kLongest) {
    text += fmt::format(" '{}...'", prefix_of(cycles.marker, kLongest));
  } else if (!cycles.marker.empty()) {
    text += fmt::format(" '{}'", cycles.marker);
  }
  return text;
}

// How many cycles have a mean, and from how many samples: "16 and 16 from 2 and 3 samples".
struct ValueCounts {
  std::size_t normal_cycles = 0;
  std::size_t abnormal_cycles = 0;
  std::size_t normal_samples = 0;  // as many as cycles if none of them share one
  std::size_t abnormal_samples = 0;
  bool too_few_samples = false;

  auto operator<=>(const ValueCounts&) const = default;
};

ValueCounts counts_of(const MetricRow& row) {
  const Change& tested = row.tested(MetricTime::kCycle);
  return {row.all.normal.n, row.all.abnormal.n, tested.normal.n, tested.abnormal.n,
          tested.too_few && !row.all.too_few};
}

std::string text_of(const ValueCounts& counts) {
  std::string text = fmt::format("{} and {}", counts.normal_cycles, counts.abnormal_cycles);
  if (counts.normal_samples < counts.normal_cycles ||
      counts.abnormal_samples < counts.abnormal_cycles) {
    text += fmt::format(" from {} and {} samples", counts.normal_samples, counts.abnormal_samples);
  }
  if (counts.too_few_samples) text += ", too few for a test,";
  return text;
}

class Quality {
 public:
  void add_cuts(const SideFacts& normal, const SideFacts& abnormal) {
    const CycleList& first = normal.ranks.front().cycles;
    const CycleList& second = abnormal.ranks.front().cycles;
    if (first.method != second.method) {
      say(RemarkWeight::kDistorts,
          fmt::format("the runs were cut in different ways: {} by {}, {} by {}; their cycles may "
                      "not be comparable",
                      normal.label, cut_by(first), abnormal.label, cut_by(second)));
    }
    for (const SideFacts* side : {&normal, &abnormal}) {
      const CycleList& cycles = side->ranks.front().cycles;
      const bool is_doubtful = cycles.confidence == analysis::CycleConfidence::kLow;
      std::string text =
          fmt::format("{}: {} {} by {}, {} confidence", side->label, cycles.cycles.size(),
                      plural(cycles.cycles.size(), "cycle", "cycles"), cut_by(cycles),
                      word_of(cycles.confidence));
      if (cycles.inner) {
        text += fmt::format(
            "; inside them a period of {} {} ({:.0f} % alike)", cycles.inner->kernels,
            plural(cycles.inner->kernels, "kernel", "kernels"), cycles.inner->match * 100);
      }
      say(is_doubtful ? RemarkWeight::kDistorts : RemarkWeight::kInforms, std::move(text));
    }
  }

  void add_sizes(const Comparison& comparison) {
    for (const CycleRow& row : comparison.cycles) {
      if (!row.ms.too_few) continue;
      say(RemarkWeight::kForbids,
          fmt::format("{} against {} cycles are too few: no difference could reach p < 0.05",
                      row.ms.normal.n, row.ms.abnormal.n));
    }
  }

  // The host is far ahead, so its cycles do not show the device's time.
  void add_overhang(const SideFacts& side) {
    for (const RankMeasure& measure : side.ranks) {
      for (const DeviceCycles& device : measure.devices) {
        if (!device.outlasts_cycles) continue;
        const auto& cycles = measure.cycles.cycles;
        const Interval span = {cycles.front().interval.start_ns, cycles.back().interval.end_ns};
        say(RemarkWeight::kDistorts,
            fmt::format("{}: {} goes on for {:.3g} ms after the last cycle, all cycles together "
                        "take {:.3g} ms: the host does not wait for the device, and the cycle "
                        "time is host time",
                        whose(side, measure), device.device,
                        static_cast<double>(device.overhang_ns) * 1e-6,
                        static_cast<double>(span.length_ns()) * 1e-6));
      }
    }
  }

  // Runs of different programs differ in everything; the reader must know that first.
  void add_kinship(const Comparison& comparison) {
    const auto shared = std::ranges::count_if(comparison.functions, [](const FunctionRow& row) {
      return row.presence_normal > 0 && row.presence_abnormal > 0;
    });
    const auto all = std::ranges::ssize(comparison.functions);
    if (all == 0 || 2 * shared >= all) return;
    say(RemarkWeight::kDistorts,
        fmt::format("only {} of {} functions run on both sides: check that both runs have the "
                    "same workload",
                    shared, all));
  }

  void add_side(const SideFacts& side) {
    for (const RankMeasure& measure : side.ranks) {
      const std::string name = whose(side, measure);
      for (const std::string& remark : measure.remarks) {
        say(RemarkWeight::kLimits, fmt::format("{}: {}", name, remark));
      }
      add_warm_up(name, measure.cycles.cycles);
      for (const DeviceCycles& device : measure.devices) add_excluded(name, measure, device);
      add_samplers(name, measure);
    }
  }

  // How many cycles each mean is based on; equal metrics are listed together, per device.
  void add_metrics(const Comparison& comparison) {
    std::map<std::string, std::map<ValueCounts, std::vector<std::string>>> by_device;
    for (const MetricRow& row : comparison.metrics) {
      if (row.info.has_key) continue;  // one process among many: it comes and goes
      by_device[row.device][counts_of(row)].push_back(row.metric);
    }
    for (auto& [device, alike] : by_device) {
      std::vector<std::string> texts;
      bool is_lacking = false;
      for (auto& [counts, metrics] : alike) {
        is_lacking |=
            counts.normal_cycles == 0 || counts.abnormal_cycles == 0 || counts.too_few_samples;
        metrics.erase(std::unique(metrics.begin(), metrics.end()), metrics.end());
        texts.push_back(fmt::format("{} for {}", text_of(counts), fmt::join(metrics, ", ")));
      }
      say(is_lacking ? RemarkWeight::kLimits : RemarkWeight::kInforms,
          fmt::format("{}: cycles with a mean in {} and {}: {}", device, comparison.normal.label,
                      comparison.abnormal.label, fmt::join(texts, "; ")));
    }
  }

  void say(RemarkWeight weight, std::string text) {
    sentences_.emplace_back(weight, std::move(text));
  }

  std::vector<std::string> take() {
    std::stable_sort(sentences_.begin(), sentences_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> texts;
    for (auto& [weight, text] : sentences_) {
      if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
        texts.push_back(std::move(text));
      }
    }
    return texts;
  }

 private:
  static std::string whose(const SideFacts& side, const RankMeasure& measure) {
    return side.ranks.size() == 1 ? side.label
                                  : fmt::format("{}, rank {}", side.label, measure.rank);
  }

  void add_warm_up(const std::string& name, const std::vector<analysis::Cycle>& cycles) {
    std::vector<double> first_ms;
    std::vector<double> later_ms;
    for (const analysis::Cycle& cycle : cycles) {
      const double ms = static_cast<double>(cycle.interval.length_ns()) * 1e-6;
      (cycle.is_warm_up ? first_ms : later_ms).push_back(ms);
    }
    if (first_ms.empty()) return;
    const std::size_t count = first_ms.size();
    say(RemarkWeight::kLimits,
        fmt::format(
            "{}: the first {} left out as warm-up: {:.3g} ms, the others typically {:.3g} "
            "ms",
            name,
            count == 1 ? "cycle is" : fmt::format("{} of {} cycles are", count, cycles.size()),
            *std::ranges::max_element(first_ms), stats::median_of(later_ms)));
  }

  void add_excluded(const std::string& name, const RankMeasure& measure,
                    const DeviceCycles& device) {
    const auto& cycles = measure.cycles.cycles;
    std::vector<std::string> reasons;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      if (!device.is_partial[i]) continue;
      if (cycles[i].is_warm_up) continue;
      reasons.push_back(
          cycles[i].has_inferred_border
              ? fmt::format("{} ({}, cut by the trace's border)", i + 1, cycles[i].name)
              : fmt::format("{} ({}, {} slices where the median cycle has {:.0f})", i + 1,
                            cycles[i].name, device.slices[i],
                            median_slices(cycles, device.slices, cycles[i].type)));
    }
    if (reasons.empty()) return;
    say(RemarkWeight::kLimits,
        fmt::format("{}: {} of {} cycles left out on {}: {}", name, reasons.size(), cycles.size(),
                    device.device, fmt::join(reasons, ", ")));
  }

  static double median_slices(const std::vector<analysis::Cycle>& cycles,
                              const std::vector<std::uint64_t>& slices, analysis::CycleType type) {
    std::vector<double> counts;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      if (cycles[i].type == type) counts.push_back(static_cast<double>(slices[i]));
    }
    return stats::median_of(counts);
  }

  void add_samplers(const std::string& name, const RankMeasure& measure) {
    struct Slow {
      double period_ns = 0;                                        // the longest
      std::map<std::ptrdiff_t, std::vector<std::string>> missing;  // metrics by cycles without
    };
    const auto& cycles = measure.cycles.cycles;
    std::vector<double> lengths_ns;
    for (const auto& cycle : cycles) {
      lengths_ns.push_back(static_cast<double>(cycle.interval.length_ns()));
    }
    const double cycle_ns = stats::median_of(lengths_ns);
    std::map<std::string, Slow> by_device;
    bool is_on_wall_clock = false;
    for (const SeriesCycles& series : measure.series) {
      is_on_wall_clock |= series.time_base == TimeBase::kWallClock;
      if (series.time_base == TimeBase::kNoOverlap || !(series.period_ns > cycle_ns)) continue;
      Slow& slow = by_device[series.device];
      slow.period_ns = std::max(slow.period_ns, series.period_ns);
      slow.missing[std::count_if(series.mean.begin(), series.mean.end(),
                                 [](double mean) { return std::isnan(mean); })]
          .push_back(series.metric);
    }
    for (auto& [device, slow] : by_device) {
      slow.missing.erase(0);
      std::vector<std::string> texts;
      for (const auto& [count, metrics] : slow.missing) {
        texts.push_back(fmt::format("{} of {} cycles have no {}", count, cycles.size(),
                                    fmt::join(metrics, ", ")));
      }
      if (texts.empty())
        texts.emplace_back("every cycle still has a value, but neighbours share one");
      say(slow.missing.empty() ? RemarkWeight::kInforms : RemarkWeight::kLimits,
          fmt::format("{}, {}: sampled less often than once per cycle (up to {:.0f} ms between "
                      "samples, cycle {:.0f} ms): {}",
                      name, device, slow.period_ns * 1e-6, cycle_ns * 1e-6,
                      fmt::join(texts, "; ")));
    }
    if (is_on_wall_clock) {
      say(RemarkWeight::kInforms,
          fmt::format(
              "{}: samples use the wall clock; the trace's base time was subtracted from them",
              name));
    }
  }

  std::vector<std::pair<RemarkWeight, std::string>> sentences_;
};

}  // namespace

std::vector<std::string> quality_of(const Comparison& comparison, const More<SideFacts>& more) {
  Quality quality;
  quality.add_sizes(comparison);
  quality.add_kinship(comparison);
  quality.add_overhang(comparison.normal);
  quality.add_overhang(comparison.abnormal);
  quality.add_cuts(comparison.normal, comparison.abnormal);
  quality.add_side(comparison.normal);
  for (const SideFacts& side : more.normal) quality.add_side(side);
  quality.add_side(comparison.abnormal);
  for (const SideFacts& side : more.abnormal) quality.add_side(side);
  quality.add_metrics(comparison);
  return quality.take();
}

}  // namespace strobe::compare
