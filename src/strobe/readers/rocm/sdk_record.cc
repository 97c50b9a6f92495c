#include "strobe/readers/rocm/sdk_record.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <system_error>

namespace strobe::readers {
namespace {

struct FieldName {
  std::string_view parent;  // empty: any
  std::string_view key;
  SdkField field;
};

constexpr FieldName kNames[] = {
    {"", "kind", SdkField::kKind},
    {"", "operation", SdkField::kOperation},
    {"", "thread_id", SdkField::kThread},
    {"correlation_id", "internal", SdkField::kCorrelation},
    {"", "start_timestamp", SdkField::kStart},
    {"", "end_timestamp", SdkField::kEnd},
    {"agent_id", "handle", SdkField::kAgent},
    {"queue_id", "handle", SdkField::kQueue},
    {"stream_id", "handle", SdkField::kStream},
    {"", "kernel_id", SdkField::kKernel},
    {"", "dispatch_id", SdkField::kDispatch},
    {"", "private_segment_size", SdkField::kScratchBytes},
    {"", "group_segment_size", SdkField::kSharedBytes},
    {"workgroup_size", "x", SdkField::kBlockX},
    {"workgroup_size", "y", SdkField::kBlockY},
    {"workgroup_size", "z", SdkField::kBlockZ},
    {"grid_size", "x", SdkField::kGridX},
    {"grid_size", "y", SdkField::kGridY},
    {"grid_size", "z", SdkField::kGridZ},
    {"", "bytes", SdkField::kCopyBytes},
    {"src_agent_id", "handle", SdkField::kSource},
    {"dst_agent_id", "handle", SdkField::kDestination},
    {"", "allocation_size", SdkField::kAllocatedBytes},
    {"address", "handle", SdkField::kAddress},
    {"", "address", SdkField::kAddress},
};

SdkField find_field(const JsonLeaf& leaf) {
  const auto* const found = std::ranges::find_if(kNames, [&](const FieldName& name) {
    return name.key == leaf.key && (name.parent.empty() || name.parent == leaf.parent);
  });
  return found == std::end(kNames) ? SdkField::kCount_ : found->field;
}

}  // namespace

std::optional<std::int64_t> SdkRecord::time(SdkField field) const {
  const std::uint64_t value = (*this)[field];
  if (!has(field) || value > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

SdkField SdkRecordReader::field_of(const JsonLeaf& leaf, std::size_t place) {
  constexpr std::size_t kMostPlaces = 256;  // a record with lists has more
  if (place < layout_.size()) {
    Known& known = layout_[place];
    if (known.key == leaf.key && known.parent == leaf.parent) return known.field;
    known = {std::string(leaf.parent), std::string(leaf.key), find_field(leaf)};
    return known.field;
  }
  const SdkField field = find_field(leaf);
  if (place < kMostPlaces) {
    layout_.push_back({std::string(leaf.parent), std::string(leaf.key), field});
  }
  return field;
}

bool SdkRecordReader::read(std::string_view json, SdkRecord& record) {
  record.present_ = 0;
  if (!json.starts_with('{')) return false;
  std::size_t place = 0;
  return for_each_leaf(json, [&](const JsonLeaf& leaf) {
    const SdkField field = field_of(leaf, place++);
    if (field == SdkField::kCount_) return;
    std::uint64_t value = 0;
    const char* const end = leaf.text.data() + leaf.text.size();
    const auto [stop, error] = std::from_chars(leaf.text.data(), end, value);
    const std::size_t index = SdkRecord::index(field);
    if (error != std::errc() || stop != end || record.has(field)) return;
    record.values_[index] = value;
    record.present_ |= 1u << index;
  });
}

}  // namespace strobe::readers
