#include "strobe/readers/snapshot/snapshot_rows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "strobe/base/hash.h"
#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

using Key = SnapshotKey;
constexpr auto kKeys = static_cast<std::size_t>(Key::kCount_);

constexpr std::string_view kKeyTexts[] = {"action",
                                          "addr",
                                          "size",
                                          "stream",
                                          "time_us",
                                          "frames",
                                          "compile_context",
                                          "user_metadata",
                                          "device_free",
                                          "name",
                                          "filename",
                                          "line",
                                          "address",
                                          "requested_size",
                                          "state",
                                          "history",
                                          "real_size",
                                          "device",
                                          "total_size",
                                          "segment_type",
                                          "segment_pool_id",
                                          "is_expandable",
                                          "blocks",
                                          "stage"};
static_assert(std::size(kKeyTexts) == kKeys);

constexpr int kRowBits = 56;
constexpr std::int64_t kMostBytesTold = std::int64_t{1} << 62;
constexpr std::int32_t kMostSnapshotDevices = 1024;
// Until the year 2260; an int64 of nanoseconds ends soon after.
constexpr std::int64_t kMostMicroseconds = 9'150'000'000'000'000;

std::uint64_t folded(SnapshotRows::Row row, std::size_t number) {
  return (static_cast<std::uint64_t>(row) << kRowBits) | number;
}

}  // namespace

StringPool snapshot_keys() {
  StringPool keys;
  for (const std::string_view text : kKeyTexts) keys.intern(text);
  return keys;
}

// The members of one dict by key.
class SnapshotRows::Members {
 public:
  Members() = default;
  Members(const PickleData& data, PickleValue dict) {
    std::optional<PickleValue> key;
    data.for_each(dict, [&](PickleValue item) {
      if (key) set(data.text_id(*key), item);
      key = key ? std::nullopt : std::optional(item);
    });
  }

  void set(StringId key, PickleValue value) {
    if (!key.valid() || key.index() >= kKeys) return;
    values_[key.index()] = value;
    has_ |= 1u << key.index();
  }
  bool has(Key key) const { return (has_ >> static_cast<unsigned>(key) & 1u) != 0; }
  PickleValue at(Key key) const { return values_[static_cast<std::size_t>(key)]; }
  std::optional<PickleValue> find(Key key) const {
    return has(key) ? std::optional(at(key)) : std::nullopt;
  }

 private:
  std::array<PickleValue, kKeys> values_;
  std::uint32_t has_ = 0;
};

std::optional<std::uint64_t> SnapshotRows::fold_dict(const PickleData& data,
                                                     std::span<const PickleValue> members) {
  Members known;
  for (std::size_t i = 0; i + 1 < members.size(); i += 2) {
    known.set(data.text_id(members[i]), members[i + 1]);
  }
  return add_row(data, known);
}

std::optional<std::uint64_t> SnapshotRows::add_row(const PickleData& data, const Members& members) {
  if (members.has(Key::kFilename) && members.has(Key::kLine))
    return folded(Row::kFrame, add_frame(data, members));
  if (members.has(Key::kAction)) return add_event(data, members);
  if (members.has(Key::kTotalSize)) return add_segment(data, members);
  if (members.has(Key::kState) && members.has(Key::kSize)) return add_block(data, members);
  return std::nullopt;
}

// A stack: frames and nothing else.
std::optional<std::uint64_t> SnapshotRows::fold_list(const PickleData&,
                                                     std::span<const PickleValue> items) {
  frames_.clear();
  for (const PickleValue item : items) {
    const auto frame = row_of(item, Row::kFrame);
    if (!frame) return std::nullopt;
    frames_.push_back(static_cast<std::uint32_t>(*frame));
  }
  return folded(Row::kStack, add_stack(frames_).index());
}

std::optional<std::size_t> SnapshotRows::row_of(PickleValue value, Row row) {
  if (!value.is(PickleKind::kFolded)) return std::nullopt;
  if (value.payload() >> kRowBits != static_cast<std::uint64_t>(row)) return std::nullopt;
  return static_cast<std::size_t>(value.payload() & ((std::uint64_t{1} << kRowBits) - 1));
}

std::optional<std::size_t> SnapshotRows::find_row(const PickleData& data, PickleValue value,
                                                  Row row) {
  if (!value.is(PickleKind::kDict)) return row_of(value, row);
  const auto number = add_row(data, Members(data, value));
  return number ? row_of({PickleKind::kFolded, *number}, row) : std::nullopt;
}

std::int64_t SnapshotRows::whole(const PickleData& data, std::optional<PickleValue> value) {
  if (!value || value->is(PickleKind::kNone)) return 0;
  const auto number = data.whole(*value);
  if (!number) report_bad_number();
  return number.value_or(0);
}

std::int64_t SnapshotRows::bytes_of(const PickleData& data, std::optional<PickleValue> value) {
  const std::int64_t bytes = whole(data, value);
  if (bytes >= 0 && bytes <= kMostBytesTold - bytes_told_) {
    bytes_told_ += bytes;
    return bytes;
  }
  report_bad_number();
  return 0;
}

std::int64_t SnapshotRows::time_of(const PickleData& data, std::optional<PickleValue> value) {
  if (!value || value->is(PickleKind::kNone)) return AllocatorEvents::kNoTime;
  const auto time_us = data.whole(*value);
  if (time_us && *time_us >= 0 && *time_us <= kMostMicroseconds) return *time_us * 1000;
  report_bad_number();
  return AllocatorEvents::kNoTime;
}

std::int32_t SnapshotRows::device_of(const PickleData& data, std::optional<PickleValue> value) {
  const std::int64_t device = whole(data, value);
  if (device >= 0 && device < kMostSnapshotDevices) return static_cast<std::int32_t>(device);
  report_bad_number();
  return 0;
}

std::uint32_t SnapshotRows::stream_of(const PickleData& data, std::optional<PickleValue> value) {
  const std::int64_t stream = whole(data, value);
  const auto next = static_cast<std::uint32_t>(snapshot_.streams.size());
  const auto [place, is_new] = stream_rows_.try_emplace(stream, next);
  if (is_new) snapshot_.streams.push_back(stream);
  return place->second;
}

std::uint32_t SnapshotRows::add_frame(const PickleData& data, const Members& members) {
  const AllocatorFrame frame{data.text_id(members.find(Key::kName).value_or(PickleValue())),
                             data.text_id(members.at(Key::kFilename)),
                             whole(data, members.find(Key::kLine))};
  std::uint64_t hash = fnv1a(frame.function.value, frame.file.value);
  hash = fnv1a(hash, static_cast<std::uint64_t>(frame.line));
  const auto [first, last] = frame_rows_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (snapshot_.frames[it->second] == frame) return it->second;
  }
  const auto row = static_cast<std::uint32_t>(snapshot_.frames.size());
  frame_rows_.emplace(hash, row);
  snapshot_.frames.push_back(frame);
  return row;
}

StackId SnapshotRows::add_stack(std::span<const std::uint32_t> frames) {
  std::uint64_t hash = frames.size();
  for (const std::uint32_t frame : frames) hash = fnv1a(hash, frame);
  const auto [first, last] = stack_rows_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const std::uint64_t begin = snapshot_.stack_begins[it->second];
    const std::uint64_t end = snapshot_.stack_begins[it->second + 1];
    const auto known = std::span(snapshot_.stack_frames).subspan(begin, end - begin);
    if (std::ranges::equal(known, frames)) return StackId(it->second);
  }
  const StackId id(snapshot_.stack_count());
  stack_rows_.emplace(hash, id.value);
  snapshot_.stack_frames.insert(snapshot_.stack_frames.end(), frames.begin(), frames.end());
  snapshot_.stack_begins.push_back(snapshot_.stack_frames.size());
  return id;
}

// Short stacks are not folded: they may still have been growing.
StackId SnapshotRows::stack_of(const PickleData& data, std::optional<PickleValue> frames) {
  if (!frames) return {};
  if (const auto stack = row_of(*frames, Row::kStack)) return StackId(*stack);
  frames_.clear();
  data.for_each(*frames, [&](PickleValue item) {
    if (const auto frame = row_of(item, Row::kFrame)) {
      frames_.push_back(static_cast<std::uint32_t>(*frame));
    } else if (const Members members(data, item); members.has(Key::kFilename)) {
      frames_.push_back(static_cast<std::uint32_t>(add_frame(data, members)));
    }
  });
  return frames_.empty() ? StackId() : add_stack(frames_);
}

AllocatorAction SnapshotRows::action_of(const PickleData& data, PickleValue value) {
  const std::string_view text = data.text(value);
  for (std::size_t i = 0; i < kAllocatorActions; ++i) {
    const auto action = static_cast<AllocatorAction>(i);
    if (text == word_of(action)) return action;
  }
  report_.add(ImportIssue::kUnknownAction, offset_, excerpt(text));
  return AllocatorAction::kOther;
}

std::uint64_t SnapshotRows::add_event(const PickleData& data, const Members& members) {
  AllocatorEvents& events = snapshot_.events;
  const AllocatorAction action = action_of(data, members.at(Key::kAction));
  const bool is_out_of_memory = action == AllocatorAction::kOutOfMemory;
  const auto place = members.find(
      is_out_of_memory && members.has(Key::kDeviceFree) ? Key::kDeviceFree : Key::kAddr);
  const auto text = [&](Key key) {
    const StringId id = data.text_id(members.find(key).value_or(PickleValue()));
    return id.valid() && data.texts()[id].empty() ? StringId() : id;
  };
  const bool has_place = place || action > AllocatorAction::kUnmap;
  if (!members.has(Key::kSize) || !has_place)
    report_.add(ImportIssue::kBadNumber, offset_, "event");
  events.times_ns.push_back(time_of(data, members.find(Key::kTimeUs)));
  events.actions.push_back(action);
  events.addresses.push_back(static_cast<std::uint64_t>(whole(data, place)));
  events.bytes.push_back(bytes_of(data, members.find(Key::kSize)));
  events.streams.push_back(stream_of(data, members.find(Key::kStream)));
  events.stacks.push_back(stack_of(data, members.find(Key::kFrames)));
  events.contexts.push_back(text(Key::kCompileContext));
  events.remarks.push_back(text(Key::kUserMetadata));
  return folded(Row::kEvent, events.size() - 1);
}

BlockState SnapshotRows::state_of(const PickleData& data, PickleValue value) {
  const std::string_view text = data.text(value);
  if (text == "active_allocated") return BlockState::kInUse;
  // Older writers spell it differently.
  if (text == "active_awaiting_free" || text == "active_pending_free") {
    return BlockState::kAwaitingFree;
  }
  if (text != "inactive") report_.add(ImportIssue::kUnknownAction, offset_, excerpt(text));
  return BlockState::kFree;
}

// Older snapshots keep what was asked for, and by whom, in the block's history, newest first.
std::uint64_t SnapshotRows::add_block(const PickleData& data, const Members& members) {
  AllocatorBlock block;
  block.address = static_cast<std::uint64_t>(whole(data, members.find(Key::kAddress)));
  block.bytes = bytes_of(data, members.at(Key::kSize));
  block.state = state_of(data, members.at(Key::kState));
  std::optional<PickleValue> requested = members.find(Key::kRequestedSize);
  std::optional<PickleValue> frames = members.find(Key::kFrames);
  std::optional<PickleValue> newest;
  data.for_each(members.find(Key::kHistory).value_or(PickleValue()), [&](PickleValue item) {
    if (!newest) newest = item;
  });
  if (newest) {
    if (!requested) requested = data.find(*newest, "real_size");
    if (!frames) frames = data.find(*newest, "frames");
  }
  block.requested_bytes = requested ? bytes_of(data, requested) : block.bytes;
  block.stack = stack_of(data, frames);
  snapshot_.blocks.push_back(block);
  return folded(Row::kBlock, snapshot_.blocks.size() - 1);
}

std::uint64_t SnapshotRows::add_segment(const PickleData& data, const Members& members) {
  AllocatorSegment segment;
  segment.device = device_of(data, members.find(Key::kDevice));
  segment.address = static_cast<std::uint64_t>(whole(data, members.find(Key::kAddress)));
  segment.bytes = bytes_of(data, members.at(Key::kTotalSize));
  segment.stream = stream_of(data, members.find(Key::kStream));
  segment.type = data.text_id(members.find(Key::kSegmentType).value_or(PickleValue()));
  segment.is_expandable = whole(data, members.find(Key::kIsExpandable)) != 0;
  segment.stack = stack_of(data, members.find(Key::kFrames));
  std::vector<std::int64_t> pool;
  data.for_each(members.find(Key::kSegmentPoolId).value_or(PickleValue()),
                [&](PickleValue item) { pool.push_back(whole(data, item)); });
  if (pool.size() == 2) segment.pool = {pool[0], pool[1]};
  snapshot_.segments.push_back(segment);
  blocks_of_segments_.push_back(members.find(Key::kBlocks).value_or(PickleValue()));
  return folded(Row::kSegment, snapshot_.segments.size() - 1);
}

}  // namespace strobe::readers
