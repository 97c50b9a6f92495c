#include "strobe/fleet/digest/rank_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "strobe/analysis/cycles/found_steps.h"
#include "strobe/analysis/ranks/collective_form.h"
#include "strobe/analysis/steps/steps.h"
#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/device/vendor_names.h"
#include "strobe/fleet/digest/call_facts.h"

namespace strobe::fleet {
namespace {

using analysis::CollectiveForm;

// ---- Steps

// The steps of one process: of that which has most.
std::vector<analysis::Step> steps_of_one_process(const std::vector<analysis::Step>& steps) {
  std::map<StringId, std::size_t> counts;
  for (const analysis::Step& step : steps) ++counts[step.process];
  StringId chosen;
  std::size_t most = 0;
  for (const analysis::Step& step : steps) {
    if (counts[step.process] <= most) continue;
    most = counts[step.process];
    chosen = step.process;
  }
  std::vector<analysis::Step> kept;
  for (const analysis::Step& step : steps) {
    const bool is_apart = kept.empty() || step.interval.start_ns >= kept.back().interval.end_ns;
    if (step.process == chosen && is_apart) kept.push_back(step);
  }
  return kept;
}

void add_steps(const Trace& trace, RankDigest& digest) {
  std::optional<analysis::FoundCycles> found;
  for (const auto& step : steps_of_one_process(analysis::steps_or_cycles(trace, found))) {
    digest.steps.push_back({analysis::name_of(trace, step), step.interval, 0});
  }
  digest.steps_are_found = found.has_value();
  if (digest.steps.empty()) digest.steps.push_back({"", trace.extent(), 0});
}

// ---- Own work

void count_kernels(const std::vector<Interval>& computes, std::vector<DigestStep>& steps) {
  for (const Interval& compute : computes) {
    const auto after = std::ranges::upper_bound(
        steps, compute.start_ns, {}, [](const DigestStep& step) { return step.interval.start_ns; });
    if (after == steps.begin()) continue;
    DigestStep& step = *(after - 1);
    if (compute.start_ns < step.interval.end_ns) ++step.kernels;
  }
}

void add_work(const Trace& trace, RankDigest& digest) {
  std::vector<Interval> compute;
  std::vector<Interval> copy;
  std::vector<Interval> input;
  std::vector<Interval> operators;
  const auto& slices = trace.slices();
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const SliceKind kind = slices.kinds[row];
    const Interval interval = trace.interval(SliceId(row));
    if (kind == SliceKind::kKernel) {
      if ((slices.flags[row] & kCommunicates) == 0) compute.push_back(interval);
    } else if (is_device_work(kind)) {
      copy.push_back(interval);
    } else if (kind == SliceKind::kDataLoader) {
      input.push_back(interval);
    } else if (kind == SliceKind::kOperator) {
      operators.push_back(interval);
    }
  }
  count_kernels(compute, digest.steps);
  IntervalSet steps;
  for (const DigestStep& step : digest.steps) steps.push_back(step.interval);
  steps = union_of(std::move(steps));
  digest.compute = intersection_of(union_of(std::move(compute)), steps);
  digest.copy = intersection_of(union_of(std::move(copy)), steps);
  digest.input = intersection_of(union_of(std::move(input)), steps);
  digest.operators = difference_of(intersection_of(union_of(std::move(operators)), steps),
                                   union_of(digest.compute, digest.copy));
}

// ---- Exchanges

// What one exchange is, before its group has a number.
struct FoundCall {
  SliceId slice;
  CallFacts facts;
  ExchangeKind kind = ExchangeKind::kOther;
  bool on_host = false;
};

// The forms of all names of a trace, so that each is looked at once.
std::vector<CollectiveForm> forms_of_names(const Trace& trace) {
  std::vector<CollectiveForm> forms;
  for (std::size_t i = 0; i < trace.strings().size(); ++i) {
    forms.push_back(analysis::host_collective_form(trace.strings()[StringId(i)], true));
  }
  return forms;
}

// The ranges of the host that tell about exchanges.
class HostRanges {
 public:
  HostRanges(const Trace& trace, const std::vector<CollectiveForm>& forms) : trace_(trace) {
    const auto& slices = trace.slices();
    by_track_.resize(trace.tracks().size());
    for (std::size_t row = 0; row < slices.size(); ++row) {
      const SliceKind kind = slices.kinds[row];
      if (is_on_device(kind) || kind == SliceKind::kRuntimeCall) continue;
      const CollectiveForm form = forms[slices.names[row].index()];
      if (form == CollectiveForm::kNone) continue;
      by_track_[slices.tracks[row].index()].push_back({SliceId(row), form});
    }
    for (auto& ranges : by_track_) {
      std::ranges::stable_sort(ranges, {},
                               [&](const Range& range) { return trace.start_ns(range.slice); });
    }
  }

  // Those that are open on the slice's thread when it starts, the innermost first.
  template <class Use>
  void for_each_around(SliceId slice, Use use) const {
    constexpr int kMostLookedAt = 16;  // they nest, and few are inside of each other
    const auto& ranges = by_track_[trace_.slices().tracks[slice.index()].index()];
    const std::int64_t time_ns = trace_.start_ns(slice);
    auto next = std::ranges::upper_bound(
        ranges, time_ns, {}, [&](const Range& range) { return trace_.start_ns(range.slice); });
    for (int looked_at = 0; next != ranges.begin() && looked_at < kMostLookedAt; ++looked_at) {
      --next;
      if (next->slice != slice && trace_.end_ns(next->slice) > time_ns)
        use(next->slice, next->form);
    }
  }

 private:
  struct Range {
    SliceId slice;
    CollectiveForm form;
  };
  const Trace& trace_;
  std::vector<std::vector<Range>> by_track_;
};

// Kernels that communicate, and exchanges on the host; by start.
std::vector<SliceId> slices_that_exchange(const Trace& trace,
                                          const std::vector<CollectiveForm>& forms) {
  std::vector<SliceId> found;
  const auto& slices = trace.slices();
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const SliceKind kind = slices.kinds[row];
    const bool exchanges =
        kind == SliceKind::kKernel
            ? (slices.flags[row] & kCommunicates) != 0
            : !is_on_device(kind) && forms[slices.names[row].index()] == CollectiveForm::kExchange;
    if (exchanges) found.emplace_back(row);
  }
  std::ranges::stable_sort(found, {}, [&](SliceId slice) { return trace.start_ns(slice); });
  return found;
}

class CallFinder {
 public:
  explicit CallFinder(const Trace& trace)
      : trace_(trace),
        reader_(trace.args()),
        forms_(forms_of_names(trace)),
        ranges_(trace, forms_) {}

  std::vector<FoundCall> find() {
    find_launches();
    std::vector<FoundCall> calls;
    for (const SliceId slice : slices_that_exchange(trace_, forms_)) {
      const bool is_kernel = trace_.slices().kinds[slice.index()] == SliceKind::kKernel;
      calls.push_back(is_kernel ? of_kernel(slice) : of_host(slice));
    }
    return calls;
  }

 private:
  // The runtime calls that launched kernels which communicate.
  void find_launches() {
    const auto& slices = trace_.slices();
    for (std::size_t row = 0; row < slices.size(); ++row) {
      if (slices.kinds[row] != SliceKind::kKernel || (slices.flags[row] & kCommunicates) == 0) {
        continue;
      }
      if (slices.correlations[row] != kNoLaunchId) launches_[slices.correlations[row]];
    }
    if (launches_.empty()) return;
    for (std::size_t row = 0; row < slices.size(); ++row) {
      if (slices.kinds[row] != SliceKind::kRuntimeCall) continue;
      const auto launch = launches_.find(slices.correlations[row]);
      if (launch != launches_.end() && !launch->second.valid()) launch->second = SliceId(row);
    }
  }

  void add_ranges_around(SliceId slice, FoundCall& call) {
    ranges_.for_each_around(slice, [&](SliceId range, CollectiveForm form) {
      const bool is_note = form == CollectiveForm::kParameters;
      const bool is_library =
          form == CollectiveForm::kLibraryCall || form == CollectiveForm::kExchange;
      if (!is_note && !is_library) {
        if (call.facts.collective.empty()) call.facts.collective = trace_.name(range);
        return;
      }
      add_facts(reader_.text(trace_.slices().args[range.index()]),
                is_note ? FactSource::kNote : FactSource::kLibraryRange, call.facts);
      if (is_library && call.facts.collective.empty()) call.facts.collective = trace_.name(range);
    });
  }

  FoundCall of_kernel(SliceId slice) {
    const auto& slices = trace_.slices();
    FoundCall call = {.slice = slice, .facts = {}};
    add_facts(reader_.text(slices.args[slice.index()]), FactSource::kKernel, call.facts);
    const auto launch = launches_.find(slices.correlations[slice.index()]);
    if (launch != launches_.end() && launch->second.valid()) {
      add_ranges_around(launch->second, call);
    }
    call.kind = exchange_kind(call.facts.collective);
    if (call.kind == ExchangeKind::kOther) call.kind = exchange_kind(trace_.name(slice));
    return call;
  }

  FoundCall of_host(SliceId slice) {
    FoundCall call = {.slice = slice, .facts = {}, .on_host = true};
    add_facts(reader_.text(trace_.slices().args[slice.index()]), FactSource::kLibraryRange,
              call.facts);
    add_ranges_around(slice, call);
    call.kind = exchange_kind(trace_.name(slice));
    return call;
  }

  const Trace& trace_;
  ArgsReader reader_;
  std::vector<CollectiveForm> forms_;
  HostRanges ranges_;
  std::unordered_map<std::uint32_t, SliceId> launches_;  // by correlation
};

std::uint64_t bytes_of(const CallFacts& facts, ExchangeKind kind) {
  const std::uint64_t in = facts.in_elements.value_or(0);
  std::uint64_t out = facts.out_elements.value_or(0);
  if (kind == ExchangeKind::kAllGather && !facts.out_elements && facts.group_size) {
    if (__builtin_mul_overflow(in, *facts.group_size, &out)) return 0;
  }
  std::uint64_t bytes = 0;
  const bool is_too_large =
      __builtin_mul_overflow(std::max(in, out), element_bytes(facts.element_type), &bytes);
  return is_too_large ? 0 : bytes;
}

// The rank at the other end.
std::int32_t peer_of(const FoundCall& call, std::int32_t rank) {
  if (!is_between_two(call.kind)) return kNoPeer;
  const auto& ranks = call.facts.group_ranks;
  if (ranks.size() == 2 && std::ranges::count(ranks, rank) == 1) {
    return ranks[0] == rank ? ranks[1] : ranks[0];
  }
  const auto& peer =
      call.kind == ExchangeKind::kReceive ? call.facts.source : call.facts.destination;
  if (!peer) return kNoPeer;
  const auto place = static_cast<std::size_t>(*peer);  // within the group
  return place < ranks.size() ? ranks[place] : *peer;
}

// Numbers groups and element types by their first call.
class CallNumbers {
 public:
  explicit CallNumbers(RankDigest& digest) : digest_(digest) {}

  std::uint32_t group_of(const CallFacts& facts) {
    RankGroup group = {
        .name = facts.group,
        .purpose = facts.group_purpose,
        .ranks = facts.group_ranks,
        .size = facts.group_size.value_or(static_cast<std::uint32_t>(facts.group_ranks.size()))};
    const auto [entry, is_new] = groups_.try_emplace(std::pair(group, facts.own_group), 0u);
    if (is_new) {
      entry->second = static_cast<std::uint32_t>(digest_.groups.size());
      group.place = places_[group]++;
      digest_.groups.push_back(std::move(group));
    }
    return entry->second;
  }

  std::uint32_t element_of(const std::string& type) {
    const auto found = std::ranges::find(digest_.elements, type);
    const auto number = static_cast<std::uint32_t>(found - digest_.elements.begin());
    if (found == digest_.elements.end()) digest_.elements.push_back(type);
    return number;
  }

 private:
  RankDigest& digest_;
  std::map<std::pair<RankGroup, std::string>, std::uint32_t> groups_;
  std::map<RankGroup, std::uint32_t> places_;
};

void add_calls(const Trace& trace, RankDigest& digest) {
  CallNumbers numbers(digest);
  for (const FoundCall& found : CallFinder(trace).find()) {
    digest.calls.push_back({.interval = trace.interval(found.slice),
                            .group = numbers.group_of(found.facts),
                            .element = numbers.element_of(found.facts.element_type),
                            .kind = found.kind,
                            .on_host = found.on_host,
                            .sequence = found.facts.sequence.value_or(kNoSequence),
                            .peer = peer_of(found, digest.rank),
                            .bytes = bytes_of(found.facts, found.kind)});
  }
}

// ---- The rest

void move_to_wall_clock(std::int64_t base_ns, RankDigest& digest) {
  const auto move = [&](Interval& interval) {
    interval = {interval.start_ns + base_ns, interval.end_ns + base_ns};
  };
  for (DigestStep& step : digest.steps) move(step.interval);
  for (ExchangeCall& call : digest.calls) move(call.interval);
  for (IntervalSet* set : {&digest.compute, &digest.copy, &digest.input, &digest.operators}) {
    for (Interval& interval : *set) move(interval);
  }
  for (PipelineOperation& operation : digest.pipeline) {
    operation.called_ns += base_ns;
    move(operation.interval);
  }
}

// Where the members of a pipeline's group are listed: its place among them.
std::optional<std::int32_t> pipeline_stage(const RankDigest& digest) {
  for (const RankGroup& group : digest.groups) {
    const std::string purpose = lower_case(group.purpose);
    const bool is_pipeline = purpose == "pp" || purpose == "pipeline" ||
                             purpose == "pipeline_model_parallel_group" || purpose == "mesh_pp";
    const auto place = std::ranges::find(group.ranks, digest.rank);
    if (is_pipeline && place != group.ranks.end()) {
      return static_cast<std::int32_t>(place - group.ranks.begin());
    }
  }
  return std::nullopt;
}

// "node7_4711.1706850122862.pt.trace.json", as the framework names its files: host, process, time.
std::string host_in_name(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const std::size_t end = name.find(".pt.trace.json");
  if (end == std::string_view::npos) return "";
  const std::string_view stem = name.substr(0, end);
  const std::size_t dot = stem.rfind('.');
  if (dot == std::string_view::npos || !parse_whole_number(stem.substr(dot + 1))) return "";
  const std::string_view worker = stem.substr(0, dot);
  const std::size_t mark = worker.rfind('_');
  if (mark == std::string_view::npos || !parse_whole_number(worker.substr(mark + 1))) return "";
  return std::string(worker.substr(0, mark));
}

std::string host_in(const Metadata& metadata) {
  for (const auto& [key, value] : metadata.members) {
    if (key != "hostname" && key != "host_name" && key != "host") continue;
    const JsonValue text = parse_value(value);
    if (text.type == JsonType::kString) return text.as_string();
  }
  return "";
}

}  // namespace

std::string label_of(const RankGroup& group) {
  constexpr std::size_t kMostNamed = 4;
  const std::string& name = group.purpose.empty() ? group.name : group.purpose;
  std::string members;
  if (!group.ranks.empty() && group.ranks.size() <= kMostNamed) {
    members = fmt::format("ranks {}", fmt::join(group.ranks, ", "));
  } else if (!group.ranks.empty()) {
    members = fmt::format("{} ranks from {}", group.ranks.size(), group.ranks.front());
  } else if (group.size > 0) {
    members = fmt::format("{} ranks", group.size);
  }
  std::string label = name.empty() ? members : members.empty() ? name : name + ": " + members;
  if (label.empty()) label = "all ranks";
  if (group.place > 0) label += fmt::format(" ({})", group.place + 1);
  return label;
}

RankDigest make_rank_digest(const Trace& trace, std::int32_t rank, const Provenance& provenance) {
  RankDigest digest;
  digest.rank = rank;
  digest.host = provenance.host;
  if (digest.host.empty()) digest.host = host_in(trace.metadata());
  set_file(digest, provenance.file);
  digest.fingerprint = provenance.fingerprint;
  digest.damage = provenance.damage;
  add_steps(trace, digest);
  add_work(trace, digest);
  add_calls(trace, digest);
  digest.pipeline = pipeline_operations(trace);
  digest.stage = pipeline_stage(digest);
  move_to_wall_clock(trace.metadata().base_time_ns, digest);
  return digest;
}

std::vector<SliceId> slices_of_calls(const Trace& trace) {
  return slices_that_exchange(trace, forms_of_names(trace));
}

void set_file(RankDigest& digest, std::string file) {
  digest.file = std::move(file);
  if (digest.host.empty()) digest.host = host_in_name(digest.file);
}

}  // namespace strobe::fleet
