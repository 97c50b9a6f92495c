#include "strobe/readers/classify.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "strobe/device/name_parts.h"

namespace strobe::readers {
namespace {

// The correlation ids of runtime calls. Ids usually count up from the start of the process, so a
// bit per id is small; where they are scattered, a sorted list is smaller.
class LaunchIds {
 public:
  template <class Slices>
  explicit LaunchIds(const Slices& slices) {
    std::uint32_t highest = 0;
    std::size_t calls = 0;
    for_each_call(slices, [&](std::uint32_t id) {
      highest = std::max(highest, id);
      ++calls;
    });
    const bool dense = highest / 64 <= calls + 4096;
    if (dense) bits_.resize(static_cast<std::size_t>(highest) + 1);
    for_each_call(slices, [&](std::uint32_t id) {
      if (dense) {
        duplicates_ += bits_[id];
        bits_[id] = true;
      } else {
        sorted_.push_back(id);
      }
    });
    std::sort(sorted_.begin(), sorted_.end());
    const auto unique_end = std::unique(sorted_.begin(), sorted_.end());
    duplicates_ += static_cast<std::uint64_t>(sorted_.end() - unique_end);
    sorted_.erase(unique_end, sorted_.end());
  }

  bool has(std::uint32_t id) const {
    if (!bits_.empty()) return id < bits_.size() && bits_[id];
    return std::binary_search(sorted_.begin(), sorted_.end(), id);
  }
  std::uint64_t duplicates() const { return duplicates_; }

 private:
  template <class Slices, class Take>
  static void for_each_call(const Slices& slices, Take take) {
    const auto take_page = [&](std::size_t first, auto kinds) {
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (kinds[i] != SliceKind::kRuntimeCall) continue;
        const std::uint32_t id = slices.correlations[first + i];
        if (id != kNoLaunchId) take(id);
      }
    };
    const auto has_none = [&](std::size_t first) {
      return page_is(slices.correlations, first, kNoLaunchId);
    };
    for_each_page_unless(has_none, take_page, slices.kinds);
  }

  std::vector<bool> bits_;
  std::vector<std::uint32_t> sorted_;
  std::uint64_t duplicates_ = 0;
};

// On the tracks of devices, where the dialect knows them by their process.
void classify_device_work(TraceBuilder& builder, const Dialect& dialect) {
  SliceVectors& slices = builder.slices();
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (!builder.tracks()[slices.tracks[row].index()].device) continue;
    const NameRule rule =
        dialect.name_rule(SliceKind::kKernel, {}, builder.strings()[slices.names[row]]);
    slices.kinds[row] = rule.kind;
    slices.flags[row] = rule.flags;
  }
}

}  // namespace

void classify_slices(TraceBuilder& builder, const Dialect& dialect) {
  SliceVectors& slices = builder.slices();
  const auto& categories = builder.categories();
  std::vector<CategoryRule> rules;
  std::vector<std::vector<std::optional<NameRule>>> by_name(categories.size());
  for (std::size_t i = 0; i < categories.size(); ++i) {
    rules.push_back(dialect.category_rule(builder.strings()[categories[i].name]));
    if (rules[i].asks_name) by_name[i].resize(builder.strings().size());
  }
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const std::size_t category = slices.categories[row].index();
    const CategoryRule& rule = rules[category];
    if (!rule.asks_name) {
      slices.kinds[row] = rule.kind;
      continue;
    }
    auto& decided = by_name[category][slices.names[row].index()];
    if (!decided) {
      decided = dialect.name_rule(rule.kind, builder.strings()[categories[category].name],
                                  builder.strings()[slices.names[row]]);
    }
    slices.kinds[row] = decided->kind;
    slices.flags[row] = static_cast<std::uint8_t>(slices.flags[row] | decided->flags);
  }
  if (dialect.is_device_process != nullptr) classify_device_work(builder, dialect);
}

void demangle_kernels(TraceBuilder& builder) {
  std::unordered_map<StringId, StringId> readable;
  const std::size_t count = builder.strings().size();
  for (std::size_t i = 0; i < count; ++i) {
    const StringId id(i);
    if (!device::is_readable_name(builder.strings()[id])) readable.emplace(id, StringId());
  }
  if (readable.empty()) return;
  SliceVectors& slices = builder.slices();
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (slices.kinds[row] != SliceKind::kKernel) continue;
    const auto found = readable.find(slices.names[row]);
    if (found == readable.end()) continue;
    if (!found->second.valid()) {
      found->second = builder.intern(device::readable_name(builder.strings()[found->first]));
    }
    slices.names[row] = found->second;
  }
}

namespace {

template <class Slices>
void check_launches_of(const Slices& slices, ImportReport& report) {
  const LaunchIds launches(slices);
  std::uint64_t orphans = 0;
  for_each_page(
      [&](std::size_t first, auto kinds) {
        for (std::size_t i = 0; i < kinds.size(); ++i) {
          if (is_device_work(kinds[i])) orphans += !launches.has(slices.correlations[first + i]);
        }
      },
      slices.kinds);
  report.add_many(ImportIssue::kDuplicateCorrelation, launches.duplicates());
  report.add_many(ImportIssue::kOrphanDeviceWork, orphans);
}

}  // namespace

void check_launches(const SliceVectors& slices, ImportReport& report) {
  check_launches_of(slices, report);
}

void check_launches(const SliceColumns& slices, ImportReport& report) {
  check_launches_of(slices, report);
}

}  // namespace strobe::readers
