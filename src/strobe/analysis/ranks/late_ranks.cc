#include "strobe/analysis/ranks/late_ranks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/base/interval.h"
#include "strobe/base/json_value.h"
#include "strobe/base/natural_sort.h"
#include "strobe/base/text.h"
#include "strobe/device/vendor_names.h"
#include "strobe/stats/binomial.h"

namespace strobe::analysis {
namespace {

struct Exchange {
  SliceId slice;
  std::int64_t start_ns;  // on the wall clock
  std::int64_t duration_ns;

  std::int64_t end_ns() const { return start_ns + duration_ns; }
};

// Per key of a collective: its exchanges on one rank, by start.
using ExchangesByKey = std::map<std::string, std::vector<Exchange>>;

// What the arguments of a slice say about its collective.
struct CollectiveArguments {
  std::string collective;  // "allreduce"
  std::string group;       // its name and ranks
};

CollectiveArguments collective_arguments(std::string_view json) {
  CollectiveArguments arguments;
  for_each_member(json, [&](std::string_view key, const JsonValue& value) {
    if (key == "Collective name") {
      arguments.collective = value.text;
    } else if (key == "Process Group Name" || key == "Process Group Ranks") {
      arguments.group.append(value.text).push_back('\n');
    }
  });
  return arguments;
}

// Some libraries run an exchange among all ranks by the same kernel as one between two: without
// arguments the two look alike.
bool is_between_two(std::string_view name, const CollectiveArguments& arguments) {
  const std::string word = lower_case(arguments.collective.empty() ? name : arguments.collective);
  const bool is_plain = !arguments.collective.empty() || device::is_host_exchange(name);
  if (!is_plain) return word.find("sendrecv") != std::string::npos;
  const std::string_view call = std::string_view(word).substr(word.find(':') + 1);
  return call.starts_with("send") || call.starts_with("recv");
}

// Per name of the trace, whether it is that of a library that communicates on the host.
std::vector<bool> host_exchanges(const Trace& trace) {
  std::vector<bool> are_exchanges;
  for (std::size_t i = 0; i < trace.strings().size(); ++i) {
    are_exchanges.push_back(device::is_host_exchange(trace.strings()[StringId(i)]));
  }
  return are_exchanges;
}

std::vector<SliceId> exchange_slices(const Trace& trace) {
  const auto& slices = trace.slices();
  const std::vector<bool> on_host = host_exchanges(trace);
  std::vector<SliceId> found;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const SliceKind kind = slices.kinds[row];
    const bool is_one = kind == SliceKind::kKernel
                            ? (slices.flags[row] & kCommunicates) != 0
                            : !is_on_device(kind) && on_host[slices.names[row].index()];
    if (is_one) found.push_back(SliceId(row));
  }
  return found;
}

ExchangesByKey list_collectives(const Trace& trace) {
  ExchangesByKey by_key;
  ArgsReader reader(trace.args());
  for (const SliceId slice : exchange_slices(trace)) {
    const CollectiveArguments arguments =
        collective_arguments(reader.text(trace.slices().args[slice.index()]));
    const std::string_view name = trace.name(slice);
    if (is_between_two(name, arguments)) continue;
    std::string key(name);
    key.append("\n").append(arguments.collective).append("\n").append(arguments.group);
    by_key[std::move(key)].push_back(
        {slice, trace.start_ns(slice) + trace.metadata().base_time_ns, trace.duration_ns(slice)});
  }
  for (auto& [key, exchanges] : by_key) {
    natural_sort(exchanges,
                 [](const Exchange& a, const Exchange& b) { return a.start_ns < b.start_ns; });
  }
  return by_key;
}

// One rank's part in a collective.
struct Arrival {
  std::size_t rank;
  Exchange exchange;
};
using Collective = std::vector<Arrival>;  // by rank

// The lists of one key on all ranks that have it.
void match(const std::vector<const std::vector<Exchange>*>& of_ranks,
           std::vector<Collective>& matched) {
  std::size_t ranks = 0;
  std::optional<std::size_t> count;
  for (const auto* exchanges : of_ranks) {
    if (exchanges == nullptr) continue;
    if (count && *count != exchanges->size()) return;
    count = exchanges->size();
    ++ranks;
  }
  if (ranks < 2) return;
  for (std::size_t i = 0; i < *count; ++i) {
    Collective& collective = matched.emplace_back();
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
      if (of_ranks[rank] != nullptr) collective.push_back({rank, (*of_ranks[rank])[i]});
    }
  }
}

std::vector<Collective> match_collectives(const std::vector<ExchangesByKey>& ranks) {
  std::map<std::string_view, std::vector<const std::vector<Exchange>*>> by_key;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const auto& [key, exchanges] : ranks[rank]) {
      auto& of_ranks = by_key[key];
      of_ranks.resize(ranks.size());
      of_ranks[rank] = &exchanges;
    }
  }
  std::vector<Collective> matched;
  for (const auto& [key, of_ranks] : by_key) match(of_ranks, matched);
  return matched;
}

bool overlaps_everywhere(const Collective& collective) {
  std::int64_t last_start_ns = collective.front().exchange.start_ns;
  std::int64_t first_end_ns = collective.front().exchange.end_ns();
  for (const Arrival& arrival : collective) {
    last_start_ns = std::max(last_start_ns, arrival.exchange.start_ns);
    first_end_ns = std::min(first_end_ns, arrival.exchange.end_ns());
  }
  return last_start_ns <= first_end_ns;
}

bool most_do_not_overlap(const std::vector<Collective>& collectives) {
  const auto together = static_cast<std::size_t>(
      std::count_if(collectives.begin(), collectives.end(), overlaps_everywhere));
  return 2 * together < collectives.size();
}

std::int64_t median_time_ns(std::vector<std::int64_t> times_ns) {
  std::sort(times_ns.begin(), times_ns.end());
  const std::size_t middle = times_ns.size() / 2;
  if (times_ns.size() % 2 == 1) return times_ns[middle];
  return times_ns[middle - 1] + (times_ns[middle] - times_ns[middle - 1]) / 2;
}

std::int64_t median_without(std::vector<std::int64_t> times_ns, std::size_t left_out) {
  times_ns.erase(times_ns.begin() + static_cast<std::ptrdiff_t>(left_out));
  return median_time_ns(std::move(times_ns));
}

// Nobody leaves such a collective before all have come: who only sends in it may.
bool leave_together(std::string_view name) {
  const std::string word = lower_case(name);
  return word.find("all") != std::string::npos || word.find("barrier") != std::string::npos ||
         word.find("reduce_scatter") != std::string::npos ||
         word.find("reducescatter") != std::string::npos;
}

// Per rank, how much its clock is ahead: by as much as it seems to leave collectives later than the
// others.
std::vector<std::int64_t> clock_offsets_ns(const std::vector<Collective>& collectives,
                                           const std::vector<const Trace*>& traces) {
  std::vector<std::vector<std::int64_t>> later_ns(traces.size());
  for (const Collective& collective : collectives) {
    const Arrival& first = collective.front();
    if (!leave_together(traces[first.rank]->name(first.exchange.slice))) continue;
    std::vector<std::int64_t> ends_ns;
    for (const Arrival& arrival : collective) ends_ns.push_back(arrival.exchange.end_ns());
    const std::int64_t middle_ns = median_time_ns(ends_ns);
    for (const Arrival& arrival : collective) {
      later_ns[arrival.rank].push_back(arrival.exchange.end_ns() - middle_ns);
    }
  }
  std::vector<std::int64_t> offsets_ns;
  for (const auto& of_rank : later_ns) {
    offsets_ns.push_back(of_rank.empty() ? 0 : median_time_ns(of_rank));
  }
  return offsets_ns;
}

bool most_are_on_host(const std::vector<Collective>& collectives,
                      const std::vector<const Trace*>& traces) {
  const auto on_host =
      std::count_if(collectives.begin(), collectives.end(), [&](const Collective& one) {
        const Arrival& first = one.front();
        const SliceId slice = first.exchange.slice;
        return !is_on_device(traces[first.rank]->slices().kinds[slice.index()]);
      });
  return 2 * static_cast<std::size_t>(on_host) > collectives.size();
}

// When a rank came, on a clock of the collective: later is larger.
std::vector<std::int64_t> arrival_times(const Collective& collective, bool by_duration,
                                        const std::vector<std::int64_t>& offsets_ns) {
  std::vector<std::int64_t> times_ns;
  for (const Arrival& arrival : collective) {
    times_ns.push_back(by_duration ? -arrival.exchange.duration_ns
                                   : arrival.exchange.start_ns - offsets_ns[arrival.rank]);
  }
  return times_ns;
}

// `waits` are the times in which the others waited for each rank.
void add_collective(const Collective& collective, const std::vector<const Trace*>& traces,
                    const std::vector<std::int64_t>& offsets_ns, Lateness& lateness,
                    std::vector<std::vector<Interval>>& waits) {
  for (const Arrival& arrival : collective) {
    ++lateness.ranks[arrival.rank].collectives;
    lateness.ranks[arrival.rank].last_by_chance += 1.0 / static_cast<double>(collective.size());
  }
  const std::vector<std::int64_t> times_ns =
      arrival_times(collective, lateness.clocks_differ, offsets_ns);
  const auto latest = std::max_element(times_ns.begin(), times_ns.end());
  if (std::count(times_ns.begin(), times_ns.end(), *latest) != 1) return;
  const auto position = static_cast<std::size_t>(latest - times_ns.begin());
  const Arrival& arrival = collective[position];
  RankLateness& rank = lateness.ranks[arrival.rank];
  const std::int64_t waited_ns = *latest - median_without(times_ns, position);
  ++rank.last;
  const std::int64_t end_ns = arrival.exchange.start_ns;
  waits[arrival.rank].push_back({end_ns - waited_ns, end_ns});
  if (waited_ns > rank.longest_ns) {
    rank.longest_ns = waited_ns;
    rank.longest_at_ns = traces[arrival.rank]->start_ns(arrival.exchange.slice);
  }
}

bool is_late(const RankLateness& rank, const Lateness& lateness) {
  constexpr double kChance = 0.001;
  // One part of so many. The system's scheduler delays threads of the host by more.
  const std::int64_t share_of_span = lateness.on_host ? 20 : 100;
  if (rank.last == 0 || rank.others_waited_ns * share_of_span <= lateness.span_ns) return false;
  const double probability = rank.last_by_chance > 0
                                 ? rank.last_by_chance / static_cast<double>(rank.collectives)
                                 : 1.0 / static_cast<double>(lateness.ranks.size());
  const auto ranks = static_cast<double>(lateness.ranks.size());
  return ranks * stats::binomial_tail(rank.last, rank.collectives, probability) < kChance;
}

}  // namespace

Lateness find_lateness(const std::vector<const Trace*>& ranks) {
  std::vector<ExchangesByKey> exchanges;
  Lateness lateness;
  for (const Trace* trace : ranks) {
    exchanges.push_back(list_collectives(*trace));
    lateness.span_ns = std::max(lateness.span_ns, trace->extent().length_ns());
  }
  const std::vector<Collective> collectives = match_collectives(exchanges);
  if (collectives.empty()) return lateness;
  lateness.collectives = collectives.size();
  lateness.clocks_differ = most_do_not_overlap(collectives);
  lateness.ranks.resize(ranks.size());
  lateness.on_host = most_are_on_host(collectives, ranks);
  const std::vector<std::int64_t> offsets_ns = clock_offsets_ns(collectives, ranks);
  std::vector<std::vector<Interval>> waits(ranks.size());
  for (const Collective& collective : collectives) {
    add_collective(collective, ranks, offsets_ns, lateness, waits);
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    lateness.ranks[rank].others_waited_ns = total_ns(union_of(std::move(waits[rank])));
  }
  return lateness;
}

std::vector<std::size_t> late_ranks(const Lateness& lateness) {
  std::vector<std::size_t> late;
  for (std::size_t rank = 0; rank < lateness.ranks.size(); ++rank) {
    if (is_late(lateness.ranks[rank], lateness)) late.push_back(rank);
  }
  std::stable_sort(late.begin(), late.end(), [&](std::size_t a, std::size_t b) {
    return lateness.ranks[a].others_waited_ns > lateness.ranks[b].others_waited_ns;
  });
  return late;
}

}  // namespace strobe::analysis
