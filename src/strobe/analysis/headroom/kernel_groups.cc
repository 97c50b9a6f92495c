#include "strobe/analysis/headroom/kernel_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace strobe::analysis {
namespace {

std::string shape_text(const LaunchShape& shape) {
  return fmt::format("({}, {}, {})", shape.x, shape.y, shape.z);
}

// Gives every row the number of its group, groups counted in order of first appearance.
class Sorter {
 public:
  Sorter(const KernelStudy& study, KernelGrouping grouping, KernelNameForm form)
      : study_(study), grouping_(grouping), form_(form) {
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < study.identities.size(); ++i) {
      name_of_.push_back(numbers.try_emplace(name_in(study.identities[i], form), i).first->second);
    }
  }

  std::size_t group_of(std::size_t row) {
    return groups_.try_emplace(key_of(row), groups_.size()).first->second;
  }

  std::string name_of(std::size_t row) const {
    std::string kernel(name_in(study_.identity(row), form_));
    switch (grouping_) {
      case KernelGrouping::kName:
        return kernel;
      case KernelGrouping::kFamily:
        return std::string(device::word_of(study_.identity(row).family));
      case KernelGrouping::kBound:
        return std::string(word_of(study_.launches[row].bound));
      case KernelGrouping::kShape:
        if (!grid(row).is_known()) return kernel;
        return fmt::format("{} {} x {}", kernel, shape_text(grid(row)), shape_text(block(row)));
      case KernelGrouping::kPosition:
        return place(row).is_inside() ? kernel : place(row).name();
      case KernelGrouping::kLayer:
        return place(row).name();
    }
    return kernel;
  }

  std::optional<std::size_t> index_of(std::size_t row) const {
    const Place at = place(row);
    if (!at.is_inside()) return {};
    if (grouping_ == KernelGrouping::kPosition) return at.position;
    if (grouping_ == KernelGrouping::kLayer) return at.layer;
    return {};
  }

 private:
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      const auto& [a, b, c, d] = key;
      std::uint64_t hash = a;
      for (const std::uint64_t part : {b, c, d})
        hash = (hash ^ (hash >> 29)) * 0x9E3779B97F4A7C15u + part;
      return hash ^ (hash >> 32);
    }
  };

  enum class Part : std::uint8_t { kWhole, kPrologue, kInside, kEpilogue };
  struct Place {
    Part part = Part::kWhole;
    std::size_t layer = 0;
    std::size_t position = 0;

    bool is_inside() const { return part == Part::kInside; }
    std::string name() const {
      switch (part) {
        case Part::kWhole:
          return "all kernels";
        case Part::kPrologue:
          return "prologue";
        case Part::kEpilogue:
          return "epilogue";
        case Part::kInside:
          break;
      }
      return fmt::format("layer {}", layer);
    }
  };

  Place place(std::size_t row) const {
    if (!study_.layers) return {};
    const KernelLayers& layers = *study_.layers;
    if (row < layers.prologue_rows) return {Part::kPrologue, 0, 0};
    const std::size_t inside = row - layers.prologue_rows;
    if (inside >= layers.layers * layers.rows_per_layer) return {Part::kEpilogue, 0, 0};
    return {Part::kInside, inside / layers.rows_per_layer, inside % layers.rows_per_layer};
  }

  LaunchShape grid(std::size_t row) const {
    return row < study_.table->grids.size() ? study_.table->grids[row] : LaunchShape{};
  }
  LaunchShape block(std::size_t row) const {
    return row < study_.table->blocks.size() ? study_.table->blocks[row] : LaunchShape{};
  }

  Key key_of(std::size_t row) const {
    const std::uint32_t name = name_of_[study_.launches[row].identity];
    switch (grouping_) {
      case KernelGrouping::kName:
        break;
      case KernelGrouping::kFamily:
        return {static_cast<std::uint64_t>(study_.identity(row).family), 0, 0, 0};
      case KernelGrouping::kBound:
        return {static_cast<std::uint64_t>(study_.launches[row].bound), 0, 0, 0};
      case KernelGrouping::kShape: {
        const auto pair = [](std::uint32_t a, std::uint32_t b) {
          return std::uint64_t{a} << 32 | b;
        };
        const LaunchShape g = grid(row);
        const LaunchShape b = block(row);
        return {name, pair(g.x, g.y), pair(g.z, b.x), pair(b.y, b.z)};
      }
      case KernelGrouping::kPosition:
        return {static_cast<std::uint64_t>(place(row).part), place(row).position, 0, 0};
      case KernelGrouping::kLayer:
        return {static_cast<std::uint64_t>(place(row).part), place(row).layer, 0, 0};
    }
    return {name, 0, 0, 0};
  }

  const KernelStudy& study_;
  KernelGrouping grouping_;
  KernelNameForm form_;
  std::vector<std::uint32_t> name_of_;  // by identity
  std::unordered_map<Key, std::size_t, KeyHash> groups_;
};

bool has_own_order(KernelGrouping grouping) {
  return grouping == KernelGrouping::kPosition || grouping == KernelGrouping::kLayer;
}

void put_in_order(std::vector<KernelGroup>& groups, KernelGrouping grouping, KernelOrder order) {
  const auto by = [&](auto value) {
    std::stable_sort(groups.begin(), groups.end(), [&](const KernelGroup& a, const KernelGroup& b) {
      return value(a) > value(b);
    });
  };
  switch (order) {
    case KernelOrder::kTime:
      return by([](const KernelGroup& group) { return group.sums.latency_ns; });
    case KernelOrder::kHeadroom:
      return by([](const KernelGroup& group) { return group.sums.headroom_ns().value_or(-1); });
    case KernelOrder::kCount:
      return by([](const KernelGroup& group) { return group.sums.launches; });
    case KernelOrder::kName:
      if (has_own_order(grouping)) return;  // that of first rows, which they have already
      std::stable_sort(groups.begin(), groups.end(),
                       [](const KernelGroup& a, const KernelGroup& b) { return a.name < b.name; });
  }
}

}  // namespace

std::string_view name_in(const KernelIdentity& identity, KernelNameForm form) {
  switch (form) {
    case KernelNameForm::kClassic:
      return identity.classic;
    case KernelNameForm::kShort:
      return identity.brief;
    case KernelNameForm::kDetail:
      return identity.detail;
    case KernelNameForm::kFull:
      return identity.full;
    case KernelNameForm::kMangled:
      return identity.mangled.empty() ? identity.full : identity.mangled;
  }
  return identity.full;
}

std::vector<KernelGroup> group_kernels(const KernelStudy& study, KernelGrouping grouping,
                                       KernelNameForm form, KernelOrder order) {
  std::vector<KernelGroup> groups;
  Sorter sorter(study, grouping, form);
  for (std::size_t row = 0; row < study.launches.size(); ++row) {
    const std::size_t at = sorter.group_of(row);
    const std::string_view family = device::word_of(study.identity(row).family);
    if (at == groups.size()) {
      KernelGroup group;
      group.name = sorter.name_of(row);
      group.family = family;
      group.first_row = row;
      group.index = sorter.index_of(row);
      groups.push_back(std::move(group));
    }
    KernelGroup& group = groups[at];
    if (group.family != family) group.family.clear();
    group.sums.add(study.sample(row), study.options.roofs);
  }
  for (KernelGroup& group : groups) {
    group.bound = grouping == KernelGrouping::kBound
                      ? study.launches[group.first_row].bound
                      : kernel_bound({group.sums.latency_ns, group.sums.tensor_percent(),
                                      group.sums.dram_percent()});
  }
  put_in_order(groups, grouping, order);
  double so_far = 0;
  for (KernelGroup& group : groups) {
    so_far += static_cast<double>(group.sums.latency_ns);
    const auto whole = static_cast<double>(study.totals.latency_ns);
    group.cumulative_share = whole > 0 ? so_far / whole : 0;
  }
  return groups;
}

}  // namespace strobe::analysis
