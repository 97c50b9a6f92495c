#include "strobe/compare/comparison_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "strobe/compare/measure/function_index.h"

namespace strobe::compare {
namespace {

template <class T>
std::string listed(const std::vector<T>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

// Each has something that the other lacks.
template <class T>
bool are_apart(const std::vector<T>& a, const std::vector<T>& b) {
  const auto lacks = [](const std::vector<T>& all, const std::vector<T>& some) {
    return std::any_of(some.begin(), some.end(), [&](const T& name) {
      return std::find(all.begin(), all.end(), name) == all.end();
    });
  };
  return lacks(a, b) && lacks(b, a);
}

// Names what each run has alone, and what both have.
template <class T>
Error apart(const std::string& things, const SideFacts& normal, const SideFacts& other,
            const std::vector<T>& of_normal, const std::vector<T>& of_other) {
  const auto only_in = [](const std::vector<T>& some, const std::vector<T>& others) {
    std::vector<T> only;
    std::ranges::copy_if(some, std::back_inserter(only), [&](const T& name) {
      return std::ranges::find(others, name) == others.end();
    });
    return only;
  };
  std::string what = fmt::format("the runs have different {}: '{}' has {}, '{}' has {}", things,
                                 normal.label, listed(of_normal), other.label, listed(of_other));
  const std::vector<T> only_normal = only_in(of_normal, of_other);
  if (only_normal.size() < of_normal.size()) {
    what += fmt::format("; only '{}' has {}, only '{}' has {}", normal.label, listed(only_normal),
                        other.label, listed(only_in(of_other, of_normal)));
  }
  return {ErrorCode::kTooLittleData, std::move(what), "",
          "--align compares them by their position"};
}

std::vector<std::int32_t> ranks_of(const SideFacts& side) {
  std::vector<std::int32_t> ranks;
  for (const RankMeasure& measure : side.ranks) ranks.push_back(measure.rank);
  return ranks;
}

std::vector<std::string> devices_of(const RankMeasure& measure) {
  std::vector<std::string> devices;
  for (const DeviceCycles& device : measure.devices) {
    if (device.device != kHostDevice) devices.push_back(device.device);
  }
  return devices;
}

void rename_devices(RankMeasure& measure, const std::map<std::string, std::string>& names) {
  const auto rename = [&](std::string& device) {
    if (const auto found = names.find(device); found != names.end()) device = found->second;
  };
  for (FunctionCycles& function : measure.functions) rename(function.key.device);
  for (DeviceCycles& device : measure.devices) rename(device.device);
  for (SeriesCycles& series : measure.series) rename(series.device);
  for (LaunchCycles& launches : measure.launches) rename(launches.device);
}

const RankMeasure* find_rank(const SideFacts& side, std::int32_t rank) {
  const auto found = std::find_if(side.ranks.begin(), side.ranks.end(),
                                  [&](const RankMeasure& m) { return m.rank == rank; });
  return found == side.ranks.end() ? nullptr : &*found;
}

}  // namespace

Result<std::vector<std::string>> align_with(const SideFacts& normal, SideFacts& other,
                                            bool by_position) {
  std::vector<std::string> done;
  const auto normal_ranks = ranks_of(normal);
  const auto other_ranks = ranks_of(other);
  if (are_apart(normal_ranks, other_ranks)) {
    if (!by_position) {
      return apart("ranks", normal, other, normal_ranks, other_ranks);
    }
    for (std::size_t i = 0; i < std::min(normal_ranks.size(), other_ranks.size()); ++i) {
      other.ranks[i].rank = normal_ranks[i];
    }
    other.ranks.resize(std::min(other.ranks.size(), normal_ranks.size()));
    done.push_back(fmt::format("ranks compared by position: {} of {} with {} of {}",
                               listed(normal_ranks), normal.label, listed(other_ranks),
                               other.label));
  } else if (normal_ranks != other_ranks) {
    done.push_back(fmt::format("only ranks of both runs are compared: {} has {}, {} has {}",
                               normal.label, listed(normal_ranks), other.label,
                               listed(other_ranks)));
  }
  for (RankMeasure& measure : other.ranks) {
    const RankMeasure* same = find_rank(normal, measure.rank);
    if (same == nullptr) continue;
    const auto normal_devices = devices_of(*same);
    const auto other_devices = devices_of(measure);
    if (!are_apart(normal_devices, other_devices)) continue;
    if (!by_position) {
      return apart("devices", normal, other, normal_devices, other_devices);
    }
    std::map<std::string, std::string> names;
    for (std::size_t i = 0; i < other_devices.size(); ++i) {
      names[other_devices[i]] = i < normal_devices.size()
                                    ? normal_devices[i]
                                    : fmt::format("{} of {}", other_devices[i], other.label);
    }
    rename_devices(measure, names);
    done.push_back(fmt::format("devices compared by position: {} of {} with {} of {}",
                               listed(normal_devices), normal.label, listed(other_devices),
                               other.label));
  }
  return done;
}

Error no_common_rank(const SideFacts& normal, const SideFacts& abnormal,
                     const More<SideFacts>& more) {
  std::vector<std::string> sides;
  const auto add = [&](const SideFacts& side) {
    sides.push_back(fmt::format("'{}' has {}", side.label, listed(ranks_of(side))));
  };
  add(normal);
  for (const SideFacts& side : more.normal) add(side);
  add(abnormal);
  for (const SideFacts& side : more.abnormal) add(side);
  return {ErrorCode::kTooLittleData,
          fmt::format("the runs have no rank in common: {}", fmt::join(sides, ", ")), "",
          "--align compares them by their position"};
}

std::vector<PairedRank> pair_ranks(const SideFacts& normal, const SideFacts& abnormal,
                                   const More<SideFacts>& more) {
  std::vector<PairedRank> pairs;
  for (const RankMeasure& measure : normal.ranks) {
    PairedRank pair = {.rank = measure.rank, .normals = {&measure}, .abnormals = {}};
    bool is_everywhere = true;
    const auto add = [&](const SideFacts& side, std::vector<const RankMeasure*>& measures) {
      measures.push_back(find_rank(side, measure.rank));
      is_everywhere &= measures.back() != nullptr;
    };
    for (const SideFacts& side : more.normal) add(side, pair.normals);
    add(abnormal, pair.abnormals);
    for (const SideFacts& side : more.abnormal) add(side, pair.abnormals);
    if (is_everywhere) pairs.push_back(std::move(pair));
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const PairedRank& a, const PairedRank& b) { return a.rank < b.rank; });
  return pairs;
}

bool unify_types(const std::vector<SideFacts*>& sides) {
  std::set<std::set<analysis::CycleType>> kinds;
  for (const SideFacts* side : sides) {
    std::set<analysis::CycleType> types;
    for (const RankMeasure& measure : side->ranks) {
      for (const analysis::Cycle& cycle : measure.cycles.cycles) types.insert(cycle.type);
    }
    kinds.insert(std::move(types));
  }
  if (kinds.size() <= 1) return false;
  for (SideFacts* side : sides) {
    for (RankMeasure& measure : side->ranks) {
      for (analysis::Cycle& cycle : measure.cycles.cycles) cycle.type = analysis::CycleType::kStep;
    }
  }
  return true;
}

}  // namespace strobe::compare
