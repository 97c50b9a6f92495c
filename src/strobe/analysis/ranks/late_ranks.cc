#include "strobe/analysis/ranks/late_ranks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "strobe/base/json_value.h"
#include "strobe/base/natural_sort.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

struct CollectiveKernel {
  SliceId slice;
  std::int64_t start_ns;  // on the wall clock
  std::int64_t duration_ns;

  std::int64_t end_ns() const { return start_ns + duration_ns; }
};

// Per key of a collective: its kernels on one rank, by start.
using KernelsByKey = std::map<std::string, std::vector<CollectiveKernel>>;

// What the arguments of a kernel say about its collective.
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
bool is_between_two(std::string_view kernel_name, const CollectiveArguments& arguments) {
  const std::string word =
      lower_case(arguments.collective.empty() ? kernel_name : arguments.collective);
  if (!arguments.collective.empty()) return word.starts_with("send") || word.starts_with("recv");
  return word.find("sendrecv") != std::string::npos;
}

std::vector<SliceId> collective_kernels(const Trace& trace) {
  const auto& slices = trace.slices();
  std::vector<SliceId> kernels;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (slices.kinds[row] == SliceKind::kKernel && (slices.flags[row] & kCommunicates) != 0) {
      kernels.push_back(SliceId(row));
    }
  }
  return kernels;
}

KernelsByKey list_collectives(const Trace& trace) {
  KernelsByKey by_key;
  ArgsReader reader(trace.args());
  for (const SliceId slice : collective_kernels(trace)) {
    const CollectiveArguments arguments =
        collective_arguments(reader.text(trace.slices().args[slice.index()]));
    const std::string_view name = trace.name(slice);
    if (is_between_two(name, arguments)) continue;
    std::string key(name);
    key.append("\n").append(arguments.collective).append("\n").append(arguments.group);
    by_key[std::move(key)].push_back(
        {slice, trace.start_ns(slice) + trace.metadata().base_time_ns, trace.duration_ns(slice)});
  }
  for (auto& [key, kernels] : by_key) {
    natural_sort(kernels, [](const CollectiveKernel& a, const CollectiveKernel& b) {
      return a.start_ns < b.start_ns;
    });
  }
  return by_key;
}

// One rank's part in a collective.
struct Arrival {
  std::size_t rank;
  CollectiveKernel kernel;
};
using Collective = std::vector<Arrival>;  // by rank

// The lists of one key on all ranks that have it.
void match(const std::vector<const std::vector<CollectiveKernel>*>& of_ranks,
           std::vector<Collective>& matched) {
  std::size_t ranks = 0;
  std::optional<std::size_t> count;
  for (const auto* kernels : of_ranks) {
    if (kernels == nullptr) continue;
    if (count && *count != kernels->size()) return;
    count = kernels->size();
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

std::vector<Collective> match_collectives(const std::vector<KernelsByKey>& ranks) {
  std::map<std::string_view, std::vector<const std::vector<CollectiveKernel>*>> by_key;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const auto& [key, kernels] : ranks[rank]) {
      auto& of_ranks = by_key[key];
      of_ranks.resize(ranks.size());
      of_ranks[rank] = &kernels;
    }
  }
  std::vector<Collective> matched;
  for (const auto& [key, of_ranks] : by_key) match(of_ranks, matched);
  return matched;
}

bool overlaps_everywhere(const Collective& collective) {
  std::int64_t last_start_ns = collective.front().kernel.start_ns;
  std::int64_t first_end_ns = collective.front().kernel.end_ns();
  for (const Arrival& arrival : collective) {
    last_start_ns = std::max(last_start_ns, arrival.kernel.start_ns);
    first_end_ns = std::min(first_end_ns, arrival.kernel.end_ns());
  }
  return last_start_ns <= first_end_ns;
}

bool most_do_not_overlap(const std::vector<Collective>& collectives) {
  const auto together = static_cast<std::size_t>(
      std::count_if(collectives.begin(), collectives.end(), overlaps_everywhere));
  return 2 * together < collectives.size();
}

// When a rank came, on a clock of the collective: later is larger.
std::vector<std::int64_t> arrival_times(const Collective& collective, bool by_duration) {
  std::vector<std::int64_t> times_ns;
  for (const Arrival& arrival : collective) {
    times_ns.push_back(by_duration ? -arrival.kernel.duration_ns : arrival.kernel.start_ns);
  }
  return times_ns;
}

std::int64_t median_without(std::vector<std::int64_t> times_ns, std::size_t left_out) {
  times_ns.erase(times_ns.begin() + static_cast<std::ptrdiff_t>(left_out));
  std::sort(times_ns.begin(), times_ns.end());
  const std::size_t middle = times_ns.size() / 2;
  if (times_ns.size() % 2 == 1) return times_ns[middle];
  return times_ns[middle - 1] + (times_ns[middle] - times_ns[middle - 1]) / 2;
}

void add_collective(const Collective& collective, const std::vector<const Trace*>& traces,
                    Lateness& lateness) {
  for (const Arrival& arrival : collective) {
    ++lateness.ranks[arrival.rank].collectives;
    lateness.ranks[arrival.rank].last_by_chance += 1.0 / static_cast<double>(collective.size());
  }
  const std::vector<std::int64_t> times_ns = arrival_times(collective, lateness.clocks_differ);
  const auto latest = std::max_element(times_ns.begin(), times_ns.end());
  if (std::count(times_ns.begin(), times_ns.end(), *latest) != 1) return;
  const auto position = static_cast<std::size_t>(latest - times_ns.begin());
  const Arrival& arrival = collective[position];
  RankLateness& rank = lateness.ranks[arrival.rank];
  const std::int64_t waited_ns = *latest - median_without(times_ns, position);
  ++rank.last;
  rank.others_waited_ns += waited_ns;
  if (waited_ns > rank.longest_ns) {
    rank.longest_ns = waited_ns;
    rank.longest_at_ns = traces[arrival.rank]->start_ns(arrival.kernel.slice);
  }
}

// The probability of `successes` or more of `trials`.
double binomial_tail(std::uint64_t successes, std::uint64_t trials, double probability) {
  if (successes == 0 || probability >= 1) return 1;
  if (probability <= 0) return 0;
  const auto n = static_cast<double>(trials);
  double sum = 0;
  for (std::uint64_t i = successes; i <= trials; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(probability) + (n - k) * std::log1p(-probability));
  }
  return std::min(sum, 1.0);
}

bool is_late(const RankLateness& rank, const Lateness& lateness) {
  constexpr double kChance = 0.001;
  constexpr std::int64_t kShareOfSpan = 100;  // one part of so many
  if (rank.last == 0 || rank.others_waited_ns * kShareOfSpan <= lateness.span_ns) return false;
  const double probability = rank.last_by_chance > 0
                                 ? rank.last_by_chance / static_cast<double>(rank.collectives)
                                 : 1.0 / static_cast<double>(lateness.ranks.size());
  return binomial_tail(rank.last, rank.collectives, probability) < kChance;
}

}  // namespace

Lateness find_lateness(const std::vector<const Trace*>& ranks) {
  std::vector<KernelsByKey> kernels;
  Lateness lateness;
  for (const Trace* trace : ranks) {
    kernels.push_back(list_collectives(*trace));
    lateness.span_ns = std::max(lateness.span_ns, trace->extent().length_ns());
  }
  const std::vector<Collective> collectives = match_collectives(kernels);
  if (collectives.empty()) return lateness;
  lateness.collectives = collectives.size();
  lateness.clocks_differ = most_do_not_overlap(collectives);
  lateness.ranks.resize(ranks.size());
  for (const Collective& collective : collectives) add_collective(collective, ranks, lateness);
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
