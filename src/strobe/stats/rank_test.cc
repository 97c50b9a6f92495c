#include "strobe/stats/rank_test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"

namespace strobe::stats {

// The number of splits with each U are the coefficients of the Gaussian binomial
//   (1 - q^(n2+1)) ... (1 - q^(n2+n1)) / ((1 - q) ... (1 - q^n1)),
// multiplied out one pair of factors at a time. Every coefficient depends on lower ones only, so
// the small counts of the tail are as exact as the large ones.
std::vector<double> rank_shares(std::size_t n1, std::size_t n2, std::size_t most_u) {
  if (n1 > n2) std::swap(n1, n2);
  most_u = std::min(most_u, n1 * n2 / 2);
  std::vector<double> counts(most_u + 1);
  counts[0] = 1;
  double splits = 1;
  for (std::size_t i = 1; i <= n1; ++i) {
    for (std::size_t u = most_u; u >= n2 + i; --u) counts[u] -= counts[u - n2 - i];
    for (std::size_t u = i; u <= most_u; ++u) counts[u] += counts[u - i];
    splits *= static_cast<double>(n2 + i) / static_cast<double>(i);
  }
  double sum = 0;
  for (double& count : counts) {
    sum += count;
    count = sum / splits;
  }
  return counts;
}

const std::vector<double>& RankCounts::shares(std::size_t n1, std::size_t n2) {
  const auto [known, is_new] = shares_.try_emplace(std::minmax(n1, n2));
  if (is_new) known->second = rank_shares(n1, n2, n1 * n2 / 2);
  return known->second;
}

namespace {

// Equal values of both samples.
struct Tie {
  std::size_t first = 0;
  std::size_t second = 0;

  std::size_t size() const { return first + second; }
};

// Both samples merged, from the smallest value up.
struct Pooled {
  std::size_t n_first = 0;
  std::size_t n_second = 0;
  std::vector<Tie> ties;
  std::size_t twice_u_first = 0;

  std::size_t pairs() const { return n_first * n_second; }
  bool has_ties() const { return ties.size() < n_first + n_second; }
};

Pooled pooled(std::span<const double> first, std::span<const double> second) {
  std::vector<double> a(first.begin(), first.end());
  std::vector<double> b(second.begin(), second.end());
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  Pooled pool{a.size(), b.size(), {}, 0};
  pool.ties.reserve(a.size() + b.size());
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const double value = j == b.size() || (i < a.size() && a[i] < b[j]) ? a[i] : b[j];
    Tie tie;
    const std::size_t second_below = j;
    for (; i < a.size() && a[i] == value; ++i) ++tie.first;
    for (; j < b.size() && b[j] == value; ++j) ++tie.second;
    pool.twice_u_first += tie.first * (2 * second_below + tie.second);
    pool.ties.push_back(tie);
  }
  return pool;
}

double counted_untied(const Pooled& pool, RankCounts* counts) {
  const std::size_t u = std::min(pool.twice_u_first, 2 * pool.pairs() - pool.twice_u_first) / 2;
  const double share = counts ? counts->shares(pool.n_first, pool.n_second)[u]
                              : rank_shares(pool.n_first, pool.n_second, u)[u];
  return std::min(1.0, 2 * share);
}

// The number of ways to reach each 2U, for every number of values already given to the first
// sample. Whole numbers below 2^53, so sums are exact.
class SplitCounter {
 public:
  SplitCounter(std::size_t n_first, std::size_t n_second)
      : n_first_(n_first),
        n_second_(n_second),
        width_(2 * n_first * n_second + 1),
        ways_((n_first + 1) * width_) {
    ways_[0] = 1;
  }

  // The next `size` values of the pooled order, all equal.
  void add(std::size_t size) {
    for (std::size_t taken = std::min(n_first_, seen_ + size); taken > 0; --taken) {
      if (seen_ + size - taken > n_second_) continue;
      double choices = 1;
      for (std::size_t own = 1; own <= std::min(size, taken); ++own) {
        choices *= static_cast<double>(size - own + 1) / static_cast<double>(own);
        extend(taken - own, own, size, std::round(choices));
      }
    }
    seen_ += size;
  }

  double share_at_least_as_far(std::size_t twice_u) const {
    const auto middle = static_cast<std::ptrdiff_t>(n_first_ * n_second_);
    const auto distance = std::abs(static_cast<std::ptrdiff_t>(twice_u) - middle);
    double far = 0;
    double all = 0;
    for (std::size_t s = 0; s < width_; ++s) {
      const double ways = ways_[n_first_ * width_ + s];
      all += ways;
      if (std::abs(static_cast<std::ptrdiff_t>(s) - middle) >= distance) far += ways;
    }
    return far / all;
  }

 private:
  // `own` of the `size` equal values are added to the `before` values of the first sample.
  void extend(std::size_t before, std::size_t own, std::size_t size, double choices) {
    if (before > seen_ || seen_ - before > n_second_) return;
    const std::size_t second_below = seen_ - before;
    const double* from = &ways_[before * width_];
    double* to = &ways_[(before + own) * width_ + own * (2 * second_below + size - own)];
    const std::size_t last = 2 * before * second_below;
    for (std::size_t s = 0; s <= last; ++s) to[s] += choices * from[s];
  }

  std::size_t n_first_;
  std::size_t n_second_;
  std::size_t width_;
  std::size_t seen_ = 0;
  std::vector<double> ways_;
};

double counted_tied(const Pooled& pool) {
  const bool first_is_less = pool.n_first <= pool.n_second;
  SplitCounter counter(std::min(pool.n_first, pool.n_second),
                       std::max(pool.n_first, pool.n_second));
  for (const Tie& tie : pool.ties) counter.add(tie.size());
  return counter.share_at_least_as_far(first_is_less ? pool.twice_u_first
                                                     : 2 * pool.pairs() - pool.twice_u_first);
}

double approximated(const Pooled& pool) {
  const auto pairs = static_cast<double>(pool.pairs());
  const auto n = static_cast<double>(pool.n_first + pool.n_second);
  double tied = 0;
  for (const Tie& tie : pool.ties) {
    const auto size = static_cast<double>(tie.size());
    tied += size * size * size - size;
  }
  const double deviation = std::sqrt(pairs / 12 * (n + 1 - tied / (n * (n - 1))));
  const double distance = std::abs(static_cast<double>(pool.twice_u_first) - pairs) / 2 - 0.5;
  return distance < 0 ? 1 : normal_tails(distance / deviation);
}

RankTest tested(const Pooled& pool, RankMethod method, RankCounts* counts) {
  RankTest test;
  test.u_first = static_cast<double>(pool.twice_u_first) / 2;
  test.u_second = static_cast<double>(pool.pairs()) - test.u_first;
  test.has_ties = pool.has_ties();
  test.method = pool.pairs() == 0 ? RankMethod::kNone : method;
  switch (test.method) {
    case RankMethod::kNone:
      test.p = kNan;
      break;
    case RankMethod::kExact:
      test.p = counted_untied(pool, counts);
      break;
    case RankMethod::kPermutation:
      test.p = counted_tied(pool);
      break;
    case RankMethod::kNormal:
      test.p = approximated(pool);
      break;
  }
  return test;
}

}  // namespace

RankTest rank_test(std::span<const double> first, std::span<const double> second,
                   const RankEffort& effort, RankCounts* counts) {
  const Pooled pool = pooled(first, second);
  RankMethod method = RankMethod::kNormal;
  if (!pool.has_ties() && pool.pairs() <= effort.most_untied_pairs) method = RankMethod::kExact;
  if (pool.has_ties() && pool.pairs() <= effort.most_tied_pairs) method = RankMethod::kPermutation;
  return tested(pool, method, counts);
}

RankTest rank_test_automatic(std::span<const double> first, std::span<const double> second,
                             RankCounts* counts) {
  const Pooled pool = pooled(first, second);
  const bool is_small = std::min(pool.n_first, pool.n_second) <= 8;
  return tested(pool, is_small && !pool.has_ties() ? RankMethod::kExact : RankMethod::kNormal,
                counts);
}

double least_p(std::size_t n_first, std::size_t n_second) {
  const std::size_t less = std::min(n_first, n_second);
  double p = 2;
  for (std::size_t i = 1; i <= less; ++i) {
    p *= static_cast<double>(i) / static_cast<double>(std::max(n_first, n_second) + i);
  }
  return std::min(1.0, p);
}

}  // namespace strobe::stats
