#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "strobe/analysis/tables/tables.h"
#include "tests/support/sketch.h"

// The host times of operators, counted again moment by moment.
namespace strobe::analysis {
namespace {

// Ranges and calls thrown onto two threads, nested or not.
class ThrownRanges {
 public:
  explicit ThrownRanges(std::uint32_t seed) : random_(seed) {
    for (int i = number(1, 40); i > 0; --i) {
      const std::int64_t start_ns = number(0, kEnd - 1);
      const std::int64_t end_ns = number(static_cast<int>(start_ns), kEnd);
      const std::string name(1, static_cast<char>('a' + number(0, 4)));
      slices_.push_back({number(1, 2), name, number(0, 3) == 0, start_ns, end_ns});
    }
  }

  Trace trace() const {
    Sketch sketch;
    for (const Thrown& slice : slices_) {
      sketch.thread(slice.thread)
          .slice(slice.name, slice.is_call ? kCall : kOp, slice.start_ns,
                 slice.end_ns - slice.start_ns);
    }
    return sketch.trace();
  }

  struct Times {
    std::int64_t total_ns = 0;
    std::int64_t self_ns = 0;
    bool operator==(const Times&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Times& times) {
      return out << times.total_ns << " ns, " << times.self_ns << " ns by itself";
    }
  };
  std::map<std::string, Times> count() const {
    std::map<std::string, Times> times;
    for (const Thrown& slice : slices_) {
      if (!slice.is_call) times[slice.name];
    }
    for (int thread = 1; thread <= 2; ++thread) {
      for (std::int64_t now_ns = 0; now_ns < kEnd; ++now_ns) count_moment(thread, now_ns, times);
    }
    return times;
  }

 private:
  static constexpr int kEnd = 60;
  struct Thrown {
    int thread;
    std::string name;
    bool is_call;
    std::int64_t start_ns;
    std::int64_t end_ns;
  };

  int number(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

  void count_moment(int thread, std::int64_t now_ns, std::map<std::string, Times>& times) const {
    const Thrown* innermost = nullptr;
    bool is_in_call = false;
    std::map<std::string, bool> open;
    for (const Thrown& slice : slices_) {
      if (slice.thread != thread || slice.start_ns > now_ns || slice.end_ns <= now_ns) continue;
      is_in_call = is_in_call || slice.is_call;
      if (slice.is_call) continue;
      open[slice.name] = true;
      if (innermost == nullptr || slice.start_ns > innermost->start_ns ||
          (slice.start_ns == innermost->start_ns && slice.end_ns <= innermost->end_ns)) {
        innermost = &slice;
      }
    }
    for (const auto& [name, is_open] : open) ++times[name].total_ns;
    if (innermost != nullptr && !is_in_call) ++times[innermost->name].self_ns;
  }

  std::mt19937 random_;
  std::vector<Thrown> slices_;
};

TEST(EveryMomentTest, counts_once_however_ranges_and_calls_lie) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ThrownRanges thrown(seed);
    const auto expected = thrown.count();
    std::map<std::string, ThrownRanges::Times> counted;
    const Trace trace = thrown.trace();
    for (const auto& group : list_operators(attribute_trace(trace), {}, false)) {
      for (const OperatorRow& row : group.rows) {
        counted[row.name] = {row.host.total_ns, row.self_host_ns};
      }
    }
    ASSERT_EQ(counted, expected);
  }
}

}  // namespace
}  // namespace strobe::analysis
