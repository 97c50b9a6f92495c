#pragma once

#include <algorithm>
#include <cstdint>

namespace strobe::record {

// How often something is done: at its own rate while that is cheap, and less often where it would
// cost more than its share of a core.
class Pace {
 public:
  // `most_share` of a core: 0.001 is a millisecond per second.
  Pace(std::int64_t period_ns, double most_share)
      : wanted_ns_(period_ns), period_ns_(period_ns), most_share_(most_share) {}

  bool is_due(std::int64_t now_ns) const { return now_ns >= next_ns_; }

  // It was done now and took so much time on a core. A single slow time counts for little.
  void was_done(std::int64_t now_ns, std::int64_t cost_ns) {
    cost_ns_ += (cost_ns - cost_ns_) / 4;
    const double affordable_ns = static_cast<double>(cost_ns_) / most_share_;
    period_ns_ = std::max(wanted_ns_, static_cast<std::int64_t>(affordable_ns));
    next_ns_ = now_ns + period_ns_ - kEarly_ns;
  }

  void hurry() { next_ns_ = 0; }  // it is due, whatever its rate

  std::int64_t wanted_ns() const { return wanted_ns_; }
  std::int64_t period_ns() const { return period_ns_; }

 private:
  static constexpr std::int64_t kEarly_ns = 5'000'000;  // a caller's timer is not exact

  std::int64_t wanted_ns_;
  std::int64_t period_ns_;
  double most_share_;
  std::int64_t cost_ns_ = 0;
  std::int64_t next_ns_ = 0;
};

}  // namespace strobe::record
