#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace strobe::record {

// How often something is done, and how much of a core it may take at most: 0.001 is a millisecond
// per second.
struct Rhythm {
  std::int64_t period_ns = 0;
  double most_share = 1;
};

// When something is due: at multiples of its period while that is cheap, and less often where it
// would cost more than its share of a core. Times that have passed are left out, so that a late
// look is never followed by a burst of others.
class Pace {
 public:
  // The multiples are counted from `start_ns`; without it, from the first time that it is done.
  explicit Pace(const Rhythm& rhythm, std::optional<std::int64_t> start_ns = std::nullopt)
      : rhythm_(rhythm),
        early_ns_(std::min(rhythm.period_ns / 4, kMostEarly_ns)),
        start_ns_(start_ns),
        next_ns_(start_ns.value_or(0)),
        period_ns_(rhythm.period_ns) {}

  std::int64_t next_ns() const { return next_ns_; }
  bool is_due(std::int64_t now_ns) const { return now_ns >= next_ns_ - early_ns_; }

  // It was done now and took so much time on a core. A single slow time counts for little.
  void was_done(std::int64_t now_ns, std::int64_t cost_ns) {
    mean_cost_ns_ += (static_cast<double>(cost_ns) - mean_cost_ns_) / 4;
    const auto affordable_ns = static_cast<std::int64_t>(mean_cost_ns_ / rhythm_.most_share);
    period_ns_ = std::max(rhythm_.period_ns, affordable_ns);
    if (!start_ns_) start_ns_ = now_ns;
    const bool is_cheap = period_ns_ == rhythm_.period_ns;
    next_ns_ = is_cheap ? multiple_after(now_ns) : now_ns + period_ns_;
  }

  void hurry() { next_ns_ = 0; }  // it is due, whatever its rate

  std::int64_t wanted_ns() const { return rhythm_.period_ns; }
  std::int64_t period_ns() const { return period_ns_; }

 private:
  static constexpr std::int64_t kMostEarly_ns = 5'000'000;  // a caller's timer is not exact

  std::int64_t multiple_after(std::int64_t now_ns) const {
    const std::int64_t passed = (now_ns + early_ns_ - *start_ns_) / rhythm_.period_ns;
    return *start_ns_ + (passed + 1) * rhythm_.period_ns;
  }

  Rhythm rhythm_;
  std::int64_t early_ns_;
  std::optional<std::int64_t> start_ns_;
  std::int64_t next_ns_;
  std::int64_t period_ns_;
  double mean_cost_ns_ = 0;
};

}  // namespace strobe::record
