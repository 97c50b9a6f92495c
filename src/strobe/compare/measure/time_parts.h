#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/base/interval.h"

namespace strobe::compare {

// Consecutive pieces of time that may touch: cycles, or the cells between samples.
class TimeParts {
 public:
  explicit TimeParts(const std::vector<Interval>& parts);
  explicit TimeParts(const std::vector<analysis::Cycle>& cycles);

  std::size_t size() const { return ends_ns_.size(); }
  Interval operator[](std::size_t part) const { return {starts_ns_[part], ends_ns_[part]}; }

  // The first part that ends after this time, size() if none does. The search starts at `near`:
  // neighbours in a file are neighbours in time.
  std::size_t first_after(std::int64_t time_ns, std::size_t near) const {
    for (const std::size_t part : {near, near + 1}) {
      if (part < size() && ends_ns_[part] > time_ns &&
          (part == 0 || ends_ns_[part - 1] <= time_ns)) {
        return part;
      }
    }
    return search(time_ns);
  }
  bool contains(std::size_t part, std::int64_t time_ns) const {
    return part < size() && starts_ns_[part] <= time_ns && time_ns < ends_ns_[part];
  }

  // Calls f(part, piece of the interval in it) from `first` on, which is first_after its start.
  template <class Function>
  void for_each_piece(Interval interval, std::size_t first, Function&& f) const {
    for (std::size_t part = first; part < size() && starts_ns_[part] < interval.end_ns; ++part) {
      const Interval piece{
          interval.start_ns > starts_ns_[part] ? interval.start_ns : starts_ns_[part],
          interval.end_ns < ends_ns_[part] ? interval.end_ns : ends_ns_[part]};
      if (piece.start_ns < piece.end_ns) f(part, piece);
    }
  }

  // How much of the set is in each part.
  std::vector<std::int64_t> covered_ns(const IntervalSet& set) const;

 private:
  std::size_t search(std::int64_t time_ns) const;

  std::vector<std::int64_t> starts_ns_;
  std::vector<std::int64_t> ends_ns_;
};

}  // namespace strobe::compare
