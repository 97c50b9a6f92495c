#include "strobe/analysis/headroom/kernel_layers.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "strobe/stats/moments.h"

namespace strobe::analysis {
namespace {

using Words = std::span<const std::uint32_t>;

// Polynomial hashes of all prefixes modulo the prime 2^61 - 1: equal ranges have equal hashes; two
// different ranges collide with a probability of about 10^-18.
class PrefixHashes {
 public:
  explicit PrefixHashes(Words words) : hashes_(words.size() + 1), powers_(words.size() + 1, 1) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      hashes_[i + 1] = reduced(product(hashes_[i], kBase) + words[i] + 1);
      powers_[i + 1] = product(powers_[i], kBase);
    }
  }

  bool equal(std::size_t a, std::size_t b, std::size_t length) const {
    return of(a, length) == of(b, length);
  }

 private:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
  static constexpr std::uint64_t kBase = 0x0C2B'1F0D'9E37'79B9;

  static std::uint64_t reduced(std::uint64_t x) {
    x = (x & kPrime) + (x >> 61);
    return x >= kPrime ? x - kPrime : x;
  }

  // Multiplies in halves of 31 and 30 bits, because no standard type holds 122 bits.
  static std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kLow31 = (std::uint64_t{1} << 31) - 1;
    constexpr std::uint64_t kLow30 = (std::uint64_t{1} << 30) - 1;
    const std::uint64_t a_high = a >> 31;
    const std::uint64_t a_low = a & kLow31;
    const std::uint64_t b_high = b >> 31;
    const std::uint64_t b_low = b & kLow31;
    const std::uint64_t middle = a_low * b_high + a_high * b_low;
    // 2^62 is 2 modulo the prime, and 2^31 times 2^30 is 1.
    return reduced(2 * a_high * b_high + (middle >> 30) + ((middle & kLow30) << 31) +
                   a_low * b_low);
  }

  std::uint64_t of(std::size_t begin, std::size_t length) const {
    return reduced(hashes_[begin + length] + kPrime - product(hashes_[begin], powers_[length]));
  }

  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint64_t> powers_;
};

class Search {
 public:
  explicit Search(Words words) : words_(words), hashes_(words), same_until_(words.size()) {
    for (std::size_t i = words.size(); i-- > 0;) {
      const bool goes_on = i + 1 < words.size() && words[i] == words[i + 1];
      same_until_[i] = goes_on ? same_until_[i + 1] : i + 1;
    }
  }

  std::optional<Repetition> longest() {
    for (std::size_t period = 2; period <= words_.size() / 2; ++period) look_at(period);
    if (best_.length == 0) return {};
    return best_;
  }

 private:
  static constexpr std::size_t kTriedOneByOne = 16;  // most matches are accidental and end soon

  // "match" i: word i equals word i + period. A repetition is at least `period` matches in a row,
  // and longer than the best so far; so it is enough to test every `step`-th position.
  void look_at(std::size_t period) {
    const std::size_t least_length = std::max(2 * period, best_.length + 1);
    if (least_length > words_.size()) return;
    const std::size_t step = least_length - period;
    const std::size_t matches_end = words_.size() - period;
    for (std::size_t at = step - 1; at < matches_end;) {
      if (words_[at] != words_[at + period]) {
        at += step;
        continue;
      }
      if (at + period < same_until_[at]) {  // the same word at both ends and between
        at = same_until_[at] - period + step;
        continue;
      }
      const std::size_t end = at + matches_from(at, period);
      const std::size_t begin = at - matches_before(at, period);
      take({begin, end - begin + period, period});
      at = end + step;
    }
  }

  void take(const Repetition& found) {
    if (found.length < 2 * found.period || found.length <= best_.length) return;
    if (same_until_[found.begin] >= found.begin + found.length)
      return;  // only one word, repeated many times
    best_ = found;
  }

  std::size_t matches_from(std::size_t at, std::size_t period) const {
    const std::size_t most = words_.size() - period - at;
    std::size_t count = 0;
    for (; count < std::min(most, kTriedOneByOne); ++count) {
      if (words_[at + count] != words_[at + count + period]) return count;
    }
    return furthest(count, most,
                    [&](std::size_t matches) { return hashes_.equal(at, at + period, matches); });
  }

  std::size_t matches_before(std::size_t at, std::size_t period) const {
    std::size_t count = 0;
    for (; count < std::min(at, kTriedOneByOne); ++count) {
      if (words_[at - count - 1] != words_[at - count - 1 + period]) return count;
    }
    return furthest(count, at, [&](std::size_t matches) {
      return hashes_.equal(at - matches, at + period - matches, matches);
    });
  }

  // The largest count up to `most` for which `holds` is true; it is for `good` and smaller ones.
  template <typename Holds>
  static std::size_t furthest(std::size_t good, std::size_t most, Holds holds) {
    std::size_t next = 2 * good + 1;
    while (next <= most && holds(next)) {
      good = next;
      next *= 2;
    }
    std::size_t bad = std::min(next, most + 1);
    while (bad - good > 1) {
      const std::size_t middle = good + (bad - good) / 2;
      (holds(middle) ? good : bad) = middle;
    }
    return good;
  }

  Words words_;
  PrefixHashes hashes_;
  std::vector<std::size_t> same_until_;
  Repetition best_;
};

}  // namespace

std::optional<Repetition> longest_repetition(Words words) { return Search(words).longest(); }

namespace {

constexpr double kOddDeviations = 3;
// The deviation of nearly equal layers is near zero; a difference below this is never odd.
constexpr double kOddShare = 0.005;
constexpr std::size_t kLeastPart = 4;  // of all rows: a shorter repetition is accidental

std::vector<std::size_t> odd_ones(const std::vector<std::int64_t>& layer_ns) {
  std::vector<double> lengths(layer_ns.begin(), layer_ns.end());
  const double median = stats::median_of(lengths);
  std::vector<double> distances;
  distances.reserve(lengths.size());
  for (const double length : lengths) distances.push_back(std::abs(length - median));
  const double far =
      std::max(kOddDeviations * stats::median_of(distances), kOddShare * std::abs(median));
  std::vector<std::size_t> odd;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] > far) odd.push_back(i);
  }
  return odd;
}

// Blocks begin with the first normalisation of the repetition, unless that would cost a whole
// block: then the list begins elsewhere, as a training step does.
std::size_t first_block_row(std::span<const LayerRow> rows, const Repetition& repetition) {
  const std::size_t spare = repetition.length % repetition.period;
  for (std::size_t row = repetition.begin; row <= repetition.begin + spare; ++row) {
    if (rows[row].is_norm) return row;
  }
  return repetition.begin;
}

void add_up_layers(std::span<const LayerRow> rows, const Roofs& roofs, KernelLayers& layers) {
  const std::size_t begin = layers.prologue_rows;
  const std::size_t end = rows.size() - layers.epilogue_rows;
  layers.layer_ns.resize(layers.layers);
  layers.positions.resize(layers.rows_per_layer);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const KernelSample& sample = rows[row].sample;
    if (row < begin || row >= end) {
      (row < begin ? layers.prologue : layers.epilogue).add(sample, roofs);
      continue;
    }
    layers.inside.add(sample, roofs);
    layers.layer_ns[(row - begin) / layers.rows_per_layer] += sample.latency_ns;
    layers.positions[(row - begin) % layers.rows_per_layer].add(sample, roofs);
  }
}

}  // namespace

std::optional<KernelLayers> find_layers(std::span<const LayerRow> rows, const Roofs& roofs) {
  std::vector<std::uint32_t> names;
  names.reserve(rows.size());
  for (const LayerRow& row : rows) names.push_back(row.name);
  const std::optional<Repetition> repetition = longest_repetition(names);
  if (!repetition || repetition->length < rows.size() / kLeastPart) return {};

  KernelLayers layers;
  layers.prologue_rows = first_block_row(rows, *repetition);
  layers.rows_per_layer = repetition->period;
  const std::size_t left = repetition->begin + repetition->length - layers.prologue_rows;
  layers.layers = left / repetition->period;
  layers.epilogue_rows = rows.size() - layers.prologue_rows - layers.layers * layers.rows_per_layer;
  add_up_layers(rows, roofs, layers);
  layers.odd_layers = odd_ones(layers.layer_ns);
  return layers;
}

}  // namespace strobe::analysis
