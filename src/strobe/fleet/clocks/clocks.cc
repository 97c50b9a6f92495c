#include "strobe/fleet/clocks/clocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "strobe/stats/moments.h"

namespace strobe::fleet {
namespace {

// No clock in use is worse; a steeper line comes from noise.
constexpr double kMostDrift = 200e-6;
constexpr double kUsualDrift = 50e-6;
constexpr std::size_t kFewestForDrift = 6;
constexpr int kSweeps = 4;
constexpr double kNormalDeviation = 1.4826;  // of a median distance from the median
constexpr double kMedianError = 1.2533;      // of a median, against that of a mean
constexpr std::size_t kNoHost = std::numeric_limits<std::size_t>::max();

struct Point {
  double x = 0;
  double y = 0;
};

struct FittedLine {
  double offset = 0;
  double slope = 0;
};

FittedLine line_of_slope(double slope, const std::vector<Point>& points) {
  std::vector<double> offsets;
  for (const Point& point : points) offsets.push_back(point.y - slope * point.x);
  return {stats::median_of(offsets), slope};
}

double spread_around(const FittedLine& line, const std::vector<Point>& points) {
  std::vector<double> distances;
  for (const Point& point : points) {
    distances.push_back(std::abs(point.y - line.offset - line.slope * point.x));
  }
  return kNormalDeviation * stats::median_of(distances);
}

// The median of the slopes between points that are half of the list apart.
double middle_slope(std::vector<Point> points) {
  std::ranges::stable_sort(points, {}, &Point::x);
  const std::size_t half = points.size() / 2;
  std::vector<double> slopes;
  for (std::size_t i = 0; i + half < points.size(); ++i) {
    const double distance = points[i + half].x - points[i].x;
    if (distance > 0) slopes.push_back((points[i + half].y - points[i].y) / distance);
  }
  return slopes.empty() ? 0 : stats::median_of(slopes);
}

// Least squares from there on: points that are far from the line, measured by their usual distance
// from it, count less or not at all. It is closer than medians where the noise is even.
FittedLine sharpened(FittedLine line, const std::vector<Point>& points) {
  constexpr int kTurns = 10;
  constexpr double kFar = 4.685;  // Tukey's: as good as least squares where nothing is wild
  const double spread = spread_around(line, points);
  if (spread == 0) return line;
  for (int turn = 0; turn < kTurns; ++turn) {
    double weights = 0;
    Point center;
    const auto for_each_weight = [&](auto&& use) {
      for (const Point& point : points) {
        const double distance = (point.y - line.offset - line.slope * point.x) / (kFar * spread);
        if (std::abs(distance) >= 1) continue;
        const double root = 1 - distance * distance;
        use(point, root * root);
      }
    };
    for_each_weight([&](const Point& point, double weight) {
      weights += weight;
      center.x += weight * point.x;
      center.y += weight * point.y;
    });
    if (weights == 0) return line;
    center = {center.x / weights, center.y / weights};
    double products = 0;
    double squares = 0;
    for_each_weight([&](const Point& point, double weight) {
      products += weight * (point.x - center.x) * (point.y - center.y);
      squares += weight * (point.x - center.x) * (point.x - center.x);
    });
    if (squares == 0) return line;
    line.slope = std::clamp(products / squares, -kMostDrift, kMostDrift);
    line.offset = center.y - line.slope * center.x;
  }
  return line;
}

// One wild point in four does no harm. The slope counts as far as the points know it better than
// one knows clocks anyway: over their span, a line through n of them is wrong by about
// sqrt(12 / n) of their spread.
FittedLine fit_line(const std::vector<Point>& points) {
  if (points.size() < kFewestForDrift) return line_of_slope(0, points);
  const double slope = std::clamp(middle_slope(points), -kMostDrift, kMostDrift);
  const FittedLine line = sharpened(line_of_slope(slope, points), points);
  const auto [first, last] = std::ranges::minmax(points, {}, &Point::x);
  const double noise =
      spread_around(line, points) * std::sqrt(12 / static_cast<double>(points.size()));
  const double expected = kUsualDrift * (last.x - first.x);
  if (expected == 0) return line_of_slope(0, points);
  const double known = expected * expected / (expected * expected + noise * noise);
  double middle_x = 0;
  for (const Point& point : points) middle_x += point.x / static_cast<double>(points.size());
  return {line.offset + (1 - known) * line.slope * middle_x, known * line.slope};
}

}  // namespace

std::int64_t Clocks::common_ns(std::size_t rank, std::int64_t own_ns) const {
  const Line& line = lines_[host_of_rank_[rank]];
  const std::int64_t since_ns = own_ns - line.base_ns;
  const double ahead_ns = line.offset_ns + line.drift * static_cast<double>(since_ns);
  return line.common_base_ns + since_ns - std::llround(ahead_ns);
}

class ClockFitter {
 public:
  ClockFitter(std::span<const RankDigest* const> digests, const Matching& matching)
      : digests_(digests), matching_(matching), clocks_(own_clocks(digests)) {}

  Clocks fit() {
    collect_meetings();
    find_islands();
    set_bases();
    solve_all();
    for (int sweep = 0; sweep < kSweeps; ++sweep) refine();
    stand_on_first_hosts();
    report();
    return std::move(clocks_);
  }

 private:
  // One host in one exchange: by its own clock, since its base.
  struct Presence {
    std::size_t host = 0;
    std::int64_t last_start_ns = 0;  // of its ranks
    std::int64_t first_end_ns = 0;
    std::int64_t end_ns = 0;       // the middle one
    bool leaves_with_all = false;  // not before the last has come: who only sends may
  };
  using Meeting = std::vector<Presence>;  // an exchange of several hosts

  std::size_t host_count() const { return clocks_.hosts.size(); }

  Meeting meeting_of(const MatchedExchange& exchange) const {
    std::map<std::size_t, std::vector<Interval>> by_host;
    for (const Part& part : matching_.parts_of(exchange)) {
      by_host[clocks_.host_of_rank_[part.rank]].push_back(
          digests_[part.rank]->calls[part.call].interval);
    }
    Meeting meeting;
    if (by_host.size() < 2) return meeting;
    for (const auto& [host, calls] : by_host) {
      Presence presence = {.host = host,
                           .last_start_ns = calls.front().start_ns,
                           .first_end_ns = calls.front().end_ns};
      std::vector<std::int64_t> ends_ns;
      for (const Interval& call : calls) {
        presence.last_start_ns = std::max(presence.last_start_ns, call.start_ns);
        presence.first_end_ns = std::min(presence.first_end_ns, call.end_ns);
        ends_ns.push_back(call.end_ns);
      }
      std::ranges::sort(ends_ns);
      presence.end_ns = ends_ns[(ends_ns.size() - 1) / 2];
      presence.leaves_with_all = leave_together(exchange.kind) || receives(exchange, host);
      meeting.push_back(presence);
    }
    return meeting;
  }

  bool receives(const MatchedExchange& exchange, std::size_t host) const {
    return std::ranges::any_of(matching_.parts_of(exchange), [&](const Part& part) {
      return clocks_.host_of_rank_[part.rank] == host &&
             digests_[part.rank]->calls[part.call].kind == ExchangeKind::kReceive;
    });
  }

  // Collectives first; messages between two only where collectives do not tie the hosts.
  void collect_meetings() {
    for (const bool between_two : {false, true}) {
      if (between_two) find_islands();
      for (const MatchedExchange& exchange : matching_.exchanges) {
        const bool is_wanted =
            between_two ? is_between_two(exchange.kind) : leave_together(exchange.kind);
        if (!is_wanted) continue;
        Meeting meeting = meeting_of(exchange);
        if (meeting.empty()) continue;
        if (between_two && island_of_[meeting[0].host] == island_of_[meeting[1].host]) continue;
        meetings_.push_back(std::move(meeting));
      }
    }
    meetings_of_.assign(host_count(), {});
    for (std::size_t i = 0; i < meetings_.size(); ++i) {
      for (const Presence& presence : meetings_[i]) meetings_of_[presence.host].push_back(i);
    }
  }

  std::size_t root_of(std::size_t host) {
    while (island_of_[host] != host) host = island_of_[host] = island_of_[island_of_[host]];
    return host;
  }

  void find_islands() {
    island_of_.resize(host_count());
    std::iota(island_of_.begin(), island_of_.end(), std::size_t{0});
    for (const Meeting& meeting : meetings_) {
      for (const Presence& presence : meeting) {
        const std::size_t a = root_of(meeting.front().host);
        const std::size_t b = root_of(presence.host);
        island_of_[std::max(a, b)] = std::min(a, b);
      }
    }
    for (std::size_t host = 0; host < host_count(); ++host) island_of_[host] = root_of(host);
  }

  // Differences of clocks may be larger than what a double holds exactly: times count from the
  // first exchange of each host.
  void set_bases() {
    for (std::size_t host = 0; host < host_count(); ++host) {
      auto& line = clocks_.lines_[host];
      if (meetings_of_[host].empty()) continue;
      const Meeting& first = meetings_[meetings_of_[host].front()];
      line.base_ns = presence_in(first, host).end_ns;
      for (const std::size_t i : meetings_of_[host]) {
        line.base_ns = std::min(line.base_ns, presence_in(meetings_[i], host).end_ns);
      }
    }
    for (std::size_t host = 0; host < host_count(); ++host) {
      clocks_.lines_[host].common_base_ns = clocks_.lines_[island_of_[host]].base_ns;
    }
  }

  static const Presence& presence_in(const Meeting& meeting, std::size_t host) {
    return *std::ranges::lower_bound(meeting, host, {}, &Presence::host);
  }

  double own_time(std::size_t host, std::int64_t time_ns) const {
    return static_cast<double>(time_ns - clocks_.lines_[host].base_ns);
  }
  // Since the base of the island.
  double common_time(std::size_t host, std::int64_t time_ns) const {
    const double own = own_time(host, time_ns);
    return own - clocks_.lines_[host].offset_ns - clocks_.lines_[host].drift * own;
  }

  // The own ends against the middle ones of the meetings.
  std::vector<Point> points_of(std::size_t host) const {
    std::vector<Point> points;
    for (const std::size_t i : meetings_of_[host]) {
      if (std::isnan(middle_ends_[i])) continue;  // not known yet
      const double own = own_time(host, presence_in(meetings_[i], host).end_ns);
      points.push_back({own, own - middle_ends_[i]});
    }
    return points;
  }

  void solve(std::size_t host) {
    const FittedLine line = fit_line(points_of(host));
    clocks_.lines_[host].offset_ns = line.offset;
    clocks_.lines_[host].drift = line.slope;
  }

  // From the first host of each island on: next is who meets most with those that are solved.
  void solve_all() {
    constexpr std::size_t kEnough = 15;  // ends for a first middle
    std::vector<bool> is_solved(host_count(), false);
    std::vector<std::size_t> met(host_count(), 0);  // meetings with a solved host
    std::vector<std::vector<double>> ends(meetings_.size());
    middle_ends_.assign(meetings_.size(), std::nan(""));
    const auto finish = [&](std::size_t host) {
      is_solved[host] = true;
      for (const std::size_t i : meetings_of_[host]) {
        if (ends[i].empty()) {
          for (const Presence& presence : meetings_[i]) ++met[presence.host];
        }
        if (ends[i].size() == kEnough) continue;
        ends[i].push_back(common_time(host, presence_in(meetings_[i], host).end_ns));
        middle_ends_[i] = stats::median_of(ends[i]);
      }
    };
    for (std::size_t host = 0; host < host_count(); ++host) {
      if (island_of_[host] == host) finish(host);
    }
    for (;;) {
      std::size_t next = kNoHost;
      for (std::size_t host = 0; host < host_count(); ++host) {
        if (is_solved[host] || met[host] == 0) continue;
        if (next == kNoHost || met[host] > met[next]) next = host;
      }
      if (next == kNoHost) return;
      solve(next);
      finish(next);
    }
  }

  // All against all, now that they are known.
  void refine() {
    std::vector<double> ends;
    for (std::size_t i = 0; i < meetings_.size(); ++i) {
      ends.clear();
      for (const Presence& presence : meetings_[i]) {
        ends.push_back(common_time(presence.host, presence.end_ns));
      }
      middle_ends_[i] = stats::median_of(ends);
    }
    for (std::size_t host = 0; host < host_count(); ++host) {
      if (!meetings_of_[host].empty()) solve(host);
    }
  }

  // The first host of each island keeps its clock.
  void stand_on_first_hosts() {
    for (std::size_t first = 0; first < host_count(); ++first) {
      if (island_of_[first] != first) continue;
      const auto base = clocks_.lines_[first];
      for (std::size_t host = 0; host < host_count(); ++host) {
        if (island_of_[host] != first) continue;
        auto& line = clocks_.lines_[host];
        // What the first host's line says at this host's base, on the common clock.
        const double at_base = base.offset_ns - base.drift * (line.offset_ns - base.offset_ns);
        line.offset_ns -= at_base;
        line.drift -= base.drift;
      }
      clocks_.lines_[first].offset_ns = 0;
      clocks_.lines_[first].drift = 0;
    }
  }

  void report() {
    find_borders();
    std::map<std::size_t, std::uint32_t> numbers;
    for (std::size_t host = 0; host < host_count(); ++host) {
      HostClock& clock = clocks_.hosts[host];
      clock.island =
          numbers.try_emplace(island_of_[host], static_cast<std::uint32_t>(numbers.size()))
              .first->second;
      clock.exchanges = meetings_of_[host].size();
      if (island_of_[host] == host || clock.exchanges == 0) continue;
      auto& line = clocks_.lines_[host];
      const std::vector<Point> points = points_of(host);
      const auto count = static_cast<double>(std::max<std::size_t>(1, points.size()));
      double error =
          2 * kMedianError * spread_around({line.offset_ns, line.drift}, points) / std::sqrt(count);
      const std::int64_t bases_ns = line.base_ns - line.common_base_ns;
      if (const auto [least, most] = bounds_of(host); least <= most) {
        line.offset_ns = std::clamp(line.offset_ns, least, most);
        error = std::min(error, (most - least) / 2);
        clock.least_ns = bases_ns + std::llround(least);
        clock.most_ns = bases_ns + std::llround(most);
      }
      clock.offset_ns = bases_ns + std::llround(line.offset_ns);
      clock.drift_ppm = line.drift * 1e6;
      clock.uncertainty_ns = std::max<std::int64_t>(1, std::llround(error));
    }
    clocks_.islands = static_cast<std::uint32_t>(numbers.size());
  }

  // The first two of what hosts do in a meeting, each with its host: without any one host, the
  // first is known.
  struct FirstTwo {
    double first = std::numeric_limits<double>::infinity();
    double second = std::numeric_limits<double>::infinity();
    std::size_t host = kNoHost;

    void add(double time, std::size_t of_host) {
      if (time < first) {
        second = std::exchange(first, time);
        host = of_host;
      } else {
        second = std::min(second, time);
      }
    }
    double without(std::size_t of_host) const { return host == of_host ? second : first; }
  };
  struct Borders {
    FirstTwo ends;            // of those that leave with all
    FirstTwo minus_arrivals;  // the last arrival is the first of these
  };

  void find_borders() {
    for (const Meeting& meeting : meetings_) {
      Borders& borders = borders_.emplace_back();
      for (const Presence& presence : meeting) {
        const std::size_t host = presence.host;
        borders.minus_arrivals.add(-common_time(host, presence.last_start_ns), host);
        if (!presence.leaves_with_all) continue;
        borders.ends.add(common_time(host, presence.first_end_ns), host);
      }
    }
  }

  // Nobody leaves before the last has come: what the line's offset cannot be below and above.
  // Nothing, that is a pair in the wrong order, if a side is open.
  std::pair<double, double> bounds_of(std::size_t host) const {
    const double drift = clocks_.lines_[host].drift;
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    for (const std::size_t i : meetings_of_[host]) {
      const Presence& own = presence_in(meetings_[i], host);
      const double start = own_time(host, own.last_start_ns);
      least = std::max(least, start - drift * start - borders_[i].ends.without(host));
      if (!own.leaves_with_all) continue;
      const double end = own_time(host, own.first_end_ns);
      most = std::min(most, end - drift * end + borders_[i].minus_arrivals.without(host));
    }
    if (!std::isfinite(least) || !std::isfinite(most)) return {1, 0};
    return {least, most};
  }

  std::span<const RankDigest* const> digests_;
  const Matching& matching_;
  Clocks clocks_;
  std::vector<Meeting> meetings_;
  std::vector<std::vector<std::size_t>> meetings_of_;  // per host
  std::vector<std::size_t> island_of_;                 // per host: the first host of its island
  std::vector<double> middle_ends_;                    // per meeting, on the common clock
  std::vector<Borders> borders_;                       // per meeting
};

Clocks own_clocks(std::span<const RankDigest* const> digests) {
  Clocks clocks;
  std::map<std::string, std::size_t> by_name;
  for (const RankDigest* digest : digests) {
    std::size_t host = clocks.hosts.size();
    if (!digest->host.empty()) host = by_name.try_emplace(digest->host, host).first->second;
    if (host == clocks.hosts.size()) {
      clocks.hosts.emplace_back().host = digest->host;
      clocks.hosts.back().island = clocks.islands++;
      clocks.lines_.emplace_back();
    }
    clocks.hosts[host].ranks.push_back(digest->rank);
    clocks.host_of_rank_.push_back(host);
  }
  return clocks;
}

Clocks fit_clocks(std::span<const RankDigest* const> digests, const Matching& matching) {
  return ClockFitter(digests, matching).fit();
}

}  // namespace strobe::fleet
