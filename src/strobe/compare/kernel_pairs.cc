#include "strobe/compare/kernel_diff.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "strobe/device/kernel_name.h"

namespace strobe::compare {
namespace {

using analysis::KernelIdentity;
using analysis::KernelLayers;
using analysis::KernelStudy;

bool has_details(const KernelStudy& study) {
  return std::ranges::any_of(study.identities, [](const KernelIdentity& identity) {
    return identity.detail != identity.brief;
  });
}

enum class NameKey : std::uint8_t { kDetail, kShort, kTable };

NameKey key_for(const KernelStudy& before, const KernelStudy& after) {
  const bool before_is_table = before.table->source == KernelSource::kTextTable;
  const bool after_is_table = after.table->source == KernelSource::kTextTable;
  if (before_is_table != after_is_table) return NameKey::kTable;
  return has_details(before) == has_details(after) ? NameKey::kDetail : NameKey::kShort;
}

std::string name_key(const KernelIdentity& identity, NameKey key) {
  switch (key) {
    case NameKey::kDetail:
      break;
    case NameKey::kShort:
      return identity.brief;
    case NameKey::kTable:  // a list that is compared with a text table is cut like it
      return device::table_name(identity.classic);
  }
  return identity.detail;
}

bool has_shapes(const KernelTable& table) {
  return table.grids.size() == table.size() &&
         std::ranges::all_of(table.grids, &LaunchShape::is_known);
}

bool has_same_layers(const KernelStudy& before, const KernelStudy& after) {
  if (!before.layers || !after.layers) return false;
  const std::size_t rows = before.layers->rows_per_layer;
  if (after.layers->rows_per_layer != rows) return false;
  for (std::size_t i = 0; i < rows; ++i) {
    if (before.identity(before.layers->prologue_rows + i).brief !=
        after.identity(after.layers->prologue_rows + i).brief) {
      return false;
    }
  }
  return true;
}

enum class Likeness : std::uint8_t { kName, kShape, kPosition };

Likeness likeness_of(const KernelStudy& before, const KernelStudy& after) {
  if (has_shapes(*before.table) && has_shapes(*after.table)) return Likeness::kShape;
  return has_same_layers(before, after) ? Likeness::kPosition : Likeness::kName;
}

// Numbers for equal kinds of launches, the same on both sides.
using StratumKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

StratumKey stratum_of(const KernelStudy& study, std::size_t row, Likeness likeness) {
  const auto two = [](std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; };
  switch (likeness) {
    case Likeness::kName:
      break;
    case Likeness::kShape: {
      const LaunchShape& grid = study.table->grids[row];
      const LaunchShape block =
          row < study.table->blocks.size() ? study.table->blocks[row] : LaunchShape{};
      return {two(grid.x, grid.y), two(grid.z, block.x), two(block.y, block.z)};
    }
    case Likeness::kPosition: {
      const KernelLayers& layers = *study.layers;
      const std::size_t end = layers.prologue_rows + layers.layers * layers.rows_per_layer;
      if (row < layers.prologue_rows) return {1, row, 0};
      if (row >= end) return {2, row - end, 0};
      return {3, (row - layers.prologue_rows) % layers.rows_per_layer, 0};
    }
  }
  return {};
}

struct StratumHash {
  std::size_t operator()(const StratumKey& key) const {
    const auto& [a, b, c] = key;
    std::uint64_t hash = a;
    hash = (hash ^ (hash >> 29)) * 0x9E3779B97F4A7C15u + b;
    hash = (hash ^ (hash >> 29)) * 0x9E3779B97F4A7C15u + c;
    return hash ^ (hash >> 32);
  }
};

class Pairing {
 public:
  Pairing(const KernelStudy& before, const KernelStudy& after)
      : key_(key_for(before, after)), likeness_(likeness_of(before, after)) {
    take(before, &KernelPair::before, &KernelStratum::before_ns);
    take(after, &KernelPair::after, &KernelStratum::after_ns);
  }

  std::vector<KernelPair> pairs() && { return std::move(pairs_); }

 private:
  void take(const KernelStudy& study, analysis::KernelSums KernelPair::*sums,
            std::vector<double> KernelStratum::*latencies) {
    std::vector<std::size_t> pair_of_identity;
    pair_of_identity.reserve(study.identities.size());
    for (const KernelIdentity& identity : study.identities) {
      pair_of_identity.push_back(pair_of(identity));
    }
    for (std::size_t row = 0; row < study.launches.size(); ++row) {
      const std::size_t at = pair_of_identity[study.launches[row].identity];
      const analysis::KernelSample sample = study.sample(row);
      (pairs_[at].*sums).add(sample, study.options.roofs);
      auto& strata = strata_of_pair_[at];
      const auto [found, is_new] =
          strata.try_emplace(stratum_of(study, row, likeness_), pairs_[at].strata.size());
      if (is_new) pairs_[at].strata.emplace_back();
      (pairs_[at].strata[found->second].*latencies)
          .push_back(static_cast<double>(sample.latency_ns));
    }
  }

  std::size_t pair_of(const KernelIdentity& identity) {
    const std::string key = name_key(identity, key_);
    const auto [found, is_new] = pair_of_name_.try_emplace(key, pairs_.size());
    if (is_new) {
      KernelPair pair;
      pair.name = key;
      pair.family = device::word_of(identity.family);
      pairs_.push_back(std::move(pair));
      strata_of_pair_.emplace_back();
    }
    return found->second;
  }

  NameKey key_;
  Likeness likeness_;
  std::vector<KernelPair> pairs_;
  std::unordered_map<std::string, std::size_t> pair_of_name_;
  std::vector<std::unordered_map<StratumKey, std::size_t, StratumHash>> strata_of_pair_;
};

}  // namespace

std::vector<KernelPair> pair_kernels(const KernelStudy& before, const KernelStudy& after) {
  return Pairing(before, after).pairs();
}

}  // namespace strobe::compare
