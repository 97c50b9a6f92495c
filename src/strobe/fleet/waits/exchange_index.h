#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/fleet/job.h"

namespace strobe::fleet {

struct ExchangeRequest {
  Interval window;               // on the common clock
  std::int64_t least_ns = 0;     // an exchange is wide if one part of it is at least so long
  std::vector<bool> ranks = {};  // by position: whose parts count; empty: all
  std::size_t most_parts = SIZE_MAX;
};

struct FoundExchanges {
  std::vector<std::size_t> exchanges;  // in Job::exchanges, by start
  std::uint64_t narrower = 0;          // others that touch the window
};

// The exchanges of a job by time: what a picture of a part of the job shows.
class ExchangeIndex {
 public:
  // The job keeps its exchanges and stays where it is.
  explicit ExchangeIndex(const Job& job);

  // The exchanges with a counted part that touches the window. Only wide ones are listed, and of
  // those the widest, as many as have `most_parts` counted parts together, but at least one.
  FoundExchanges find(const ExchangeRequest& request) const;

 private:
  static constexpr std::size_t kBlock = 64;  // places of `by_start_`

  struct Extent {
    Interval interval;
    std::int64_t longest_ns = 0;  // of its parts
    std::size_t exchange = 0;
  };
  struct Wide {
    std::size_t place = 0;  // in by_start_
    std::int64_t longest_ns = 0;
    std::size_t parts = 0;
  };

  static Extent extent_of(const Job& job, std::size_t exchange);
  template <class Use>
  void for_each_around(const Interval& window, Use use) const;
  static void keep_widest(std::vector<Wide>& wide, std::size_t most_parts);

  const Job& job_;
  std::vector<Extent> by_start_;
  std::vector<std::int64_t> block_ends_ns_;  // the last end of each block
};

}  // namespace strobe::fleet
