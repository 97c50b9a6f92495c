#include "strobe/fleet/waits/exchange_index.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace strobe::fleet {
namespace {

// What has no length is where it starts.
bool touches_window(const Interval& part, const Interval& window) {
  return part.start_ns < window.end_ns &&
         (part.end_ns > window.start_ns || part.start_ns >= window.start_ns);
}

}  // namespace

ExchangeIndex::ExchangeIndex(const Job& job) : job_(job) {
  for (std::size_t i = 0; i < job.exchanges.size(); ++i) by_start_.push_back(extent_of(job, i));
  std::ranges::sort(by_start_, {}, [](const Extent& one) {
    return std::pair(one.interval.start_ns, one.exchange);
  });
  for (std::size_t place = 0; place < by_start_.size(); ++place) {
    const std::int64_t end_ns = by_start_[place].interval.end_ns;
    if (place % kBlock == 0) {
      block_ends_ns_.push_back(end_ns);
    } else {
      block_ends_ns_.back() = std::max(block_ends_ns_.back(), end_ns);
    }
  }
}

ExchangeIndex::Extent ExchangeIndex::extent_of(const Job& job, std::size_t exchange) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  Extent extent{.interval = {kMost, kLeast}, .longest_ns = 0, .exchange = exchange};
  for (const Arrival& arrival : job.arrivals_of(job.exchanges[exchange])) {
    extent.interval.start_ns = std::min(extent.interval.start_ns, arrival.interval.start_ns);
    extent.interval.end_ns = std::max(extent.interval.end_ns, arrival.interval.end_ns);
    extent.longest_ns = std::max(extent.longest_ns, arrival.interval.length_ns());
  }
  return extent;
}

// Calls use(place) for those whose extent touches the window.
template <class Use>
void ExchangeIndex::for_each_around(const Interval& window, Use use) const {
  const auto end = static_cast<std::size_t>(
      std::ranges::lower_bound(by_start_, window.end_ns, {},
                               [](const Extent& one) { return one.interval.start_ns; }) -
      by_start_.begin());
  for (std::size_t place = 0; place < end; ++place) {
    if (place % kBlock == 0 && block_ends_ns_[place / kBlock] < window.start_ns) {
      place += kBlock - 1;
      continue;
    }
    if (touches_window(by_start_[place].interval, window)) use(place);
  }
}

FoundExchanges ExchangeIndex::find(const ExchangeRequest& request) const {
  FoundExchanges found;
  std::vector<Wide> wide;
  for_each_around(request.window, [&](std::size_t place) {
    const Extent& extent = by_start_[place];
    const bool may_be_wide = extent.longest_ns >= request.least_ns;
    Wide one{.place = place};
    bool touches = false;
    for (const Arrival& part : job_.arrivals_of(job_.exchanges[extent.exchange])) {
      if (!request.ranks.empty() && !request.ranks[part.rank]) continue;
      touches = touches || touches_window(part.interval, request.window);
      if (touches && !may_be_wide) break;  // nothing else of it matters
      one.longest_ns = std::max(one.longest_ns, part.interval.length_ns());
      ++one.parts;
    }
    if (!touches) return;
    ++found.narrower;
    if (may_be_wide && one.longest_ns >= request.least_ns) wide.push_back(one);
  });
  keep_widest(wide, request.most_parts);
  found.narrower -= wide.size();
  for (const Wide& one : wide) found.exchanges.push_back(by_start_[one.place].exchange);
  return found;
}

void ExchangeIndex::keep_widest(std::vector<Wide>& wide, std::size_t most_parts) {
  std::size_t parts = 0;
  for (const Wide& one : wide) parts += one.parts;
  if (parts <= most_parts) return;
  std::ranges::stable_sort(wide, std::ranges::greater{}, &Wide::longest_ns);
  std::size_t kept = 1;
  parts = wide.front().parts;
  while (kept < wide.size() && parts + wide[kept].parts <= most_parts) parts += wide[kept++].parts;
  wide.resize(kept);
  std::ranges::sort(wide, {}, &Wide::place);
}

}  // namespace strobe::fleet
