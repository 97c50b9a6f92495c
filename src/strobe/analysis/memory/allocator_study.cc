#include "strobe/analysis/memory/allocator_study.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "strobe/trace/allocator_replay.h"

namespace strobe::analysis {
namespace {

// By stack; what was in use before the history, by nobody known, has a number of its own.
constexpr std::uint64_t kBeforeHistory = std::uint64_t{1} << 40;
using HoldingsByStack = std::unordered_map<std::uint64_t, StackHolding>;

StackHolding& holding_of(HoldingsByStack& holdings, StackId stack, bool is_before_history) {
  const auto [place, is_new] =
      holdings.try_emplace(is_before_history ? kBeforeHistory : stack.value);
  if (is_new) {
    place->second.stack = stack;
    place->second.is_before_history = is_before_history;
  }
  return place->second;
}

HoldingsByStack holdings_of(const LiveMemories& live) {
  HoldingsByStack holdings;
  for (const auto& [address, memory] : live) {
    const bool is_before = memory.is_from_start && !memory.stack.valid();
    StackHolding& holding = holding_of(holdings, memory.stack, is_before);
    holding.bytes += memory.bytes;
    ++holding.blocks;
  }
  return holdings;
}

// Most bytes first; equal ones in the order in which the file names their stacks.
std::vector<StackHolding> by_bytes(const HoldingsByStack& holdings) {
  std::vector<StackHolding> sorted;
  sorted.reserve(holdings.size());
  for (const auto& [key, holding] : holdings) sorted.push_back(holding);
  std::ranges::sort(sorted, [](const StackHolding& a, const StackHolding& b) {
    return std::tuple(-a.bytes, a.stack.value, a.is_before_history) <
           std::tuple(-b.bytes, b.stack.value, b.is_before_history);
  });
  return sorted;
}

std::vector<StackHolding> growth(const HoldingsByStack& early, HoldingsByStack late) {
  for (const auto& [key, holding] : early) {
    StackHolding& grown = holding_of(late, holding.stack, holding.is_before_history);
    grown.bytes -= holding.bytes;
    grown.blocks -= holding.blocks;
  }
  std::erase_if(late, [](const auto& one) { return one.second.bytes <= 0; });
  return by_bytes(late);
}

void add_block(const AllocatorBlock& block, DeviceMemory& device, PoolUse& pool) {
  ++device.blocks;
  ++device.blocks_by_state[static_cast<std::size_t>(block.state)];
  if (!block.is_live()) {
    ++pool.free_blocks;
    pool.free_bytes += block.bytes;
    pool.largest_free_bytes = std::max(pool.largest_free_bytes, block.bytes);
    return;
  }
  ++pool.live_blocks;
  pool.allocated_bytes += block.bytes;
  pool.requested_bytes += block.requested_bytes;
  device.requested_bytes += block.requested_bytes;
  if (block.state == BlockState::kInUse) {
    device.active_bytes += block.bytes;
  } else {
    device.awaiting_free_bytes += block.bytes;
    pool.awaiting_free_bytes += block.bytes;
  }
}

void add_segment(const AllocatorSnapshot& snapshot, const AllocatorSegment& segment,
                 DeviceMemory& device, PoolUse& pool) {
  ++device.segments;
  ++pool.segments;
  device.expandable_segments += segment.is_expandable ? 1 : 0;
  pool.expandable_segments += segment.is_expandable ? 1 : 0;
  device.reserved_bytes += segment.bytes;
  pool.reserved_bytes += segment.bytes;
  std::int64_t free_bytes = 0;
  bool is_used = false;
  for (std::size_t i = 0; i < segment.block_count; ++i) {
    const AllocatorBlock& block = snapshot.blocks[segment.first_block + i];
    add_block(block, device, pool);
    is_used = is_used || block.is_live();
    free_bytes += block.is_live() ? 0 : block.bytes;
  }
  // The unused end of an expandable segment can be unmapped, but the file does not say how much.
  (is_used ? device.stuck_bytes : device.releasable_bytes) += free_bytes;
  if (!is_used) pool.releasable_bytes += free_bytes;
}

void study_segments(const AllocatorSnapshot& snapshot, DeviceMemory& device) {
  using PoolKey = std::tuple<std::uint32_t, StringId, std::pair<std::int64_t, std::int64_t>>;
  std::map<PoolKey, PoolUse> pools;
  HoldingsByStack now;
  for (const AllocatorSegment& segment : snapshot.segments) {
    if (segment.device != device.device) continue;
    PoolUse& pool = pools[{segment.stream, segment.type, segment.pool}];
    pool.stream = segment.stream;
    pool.pool = segment.pool;
    if (segment.type.valid()) pool.type = snapshot.strings[segment.type];
    add_segment(snapshot, segment, device, pool);
  }
  for (const auto& [key, pool] : pools) {
    device.largest_free_bytes = std::max(device.largest_free_bytes, pool.largest_free_bytes);
    device.pools.push_back(pool);
  }
  std::ranges::stable_sort(device.pools, [](const PoolUse& a, const PoolUse& b) {
    return a.reserved_bytes > b.reserved_bytes;
  });
}

// A block may lack the stack that its allocation in the history has.
void find_holders_now(const AllocatorSnapshot& snapshot, const LiveMemories& at_end,
                      DeviceMemory& device) {
  HoldingsByStack now;
  for (const AllocatorSegment& segment : snapshot.segments) {
    if (segment.device != device.device) continue;
    for (std::size_t i = 0; i < segment.block_count; ++i) {
      const AllocatorBlock& block = snapshot.blocks[segment.first_block + i];
      if (!block.is_live()) continue;
      StackId stack = block.stack;
      const auto known = at_end.find(block.address);
      if (!stack.valid() && known != at_end.end()) stack = known->second.stack;
      const bool is_before =
          !stack.valid() && (known == at_end.end() || known->second.is_from_start);
      StackHolding& holding = holding_of(now, stack, is_before);
      holding.bytes += block.requested_bytes;
      ++holding.blocks;
    }
  }
  device.now = by_bytes(now);
}

void study_events(const AllocatorSnapshot& snapshot, const AllocatorReplay& replay,
                  DeviceMemory& device) {
  const AllocatorEvents& events = snapshot.events;
  device.events = replay.history.count;
  device.has_times = device.events > 0;
  for (std::size_t i = 0; i < replay.history.count; ++i) {
    const std::size_t row = replay.history.first + i;
    ++device.events_by_action[static_cast<std::size_t>(events.actions[row])];
    device.has_times = device.has_times && events.times_ns[row] != AllocatorEvents::kNoTime;
    if (events.actions[row] != AllocatorAction::kOutOfMemory) continue;
    device.out_of_memory.push_back(
        {.event = i,
         .time_ns = events.times_ns[row],
         .requested_bytes = events.bytes[row],
         .device_free_bytes = static_cast<std::int64_t>(events.addresses[row]),
         .allocated_bytes = replay.allocated_bytes[i],
         .reserved_bytes = replay.reserved_bytes[i],
         .stack = events.stacks[row]});
  }
  if (!device.has_times) return;
  device.first_time_ns = events.times_ns[replay.history.first];
  device.last_time_ns = events.times_ns[replay.history.first + replay.history.count - 1];
  if (replay.peak_event) {
    device.peak_time_ns = events.times_ns[replay.history.first + *replay.peak_event];
  }
}

std::size_t lowest_in(const std::vector<std::int64_t>& values, std::size_t first,
                      std::size_t last) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(last);
  return static_cast<std::size_t>(std::min_element(begin, end) - values.begin());
}

// Too short a history has no parts to compare.
constexpr std::size_t kLeastEvents = 16;

void study_moments(const AllocatorSnapshot& snapshot, const AllocatorReplay& replay,
                   DeviceMemory& device) {
  std::vector<std::pair<std::optional<std::size_t>, int>> wanted = {{replay.peak_event, 0}};
  const std::size_t count = replay.history.count;
  if (count >= kLeastEvents) {
    device.early_event = lowest_in(replay.allocated_bytes, 0, count / 4);
    device.late_event = lowest_in(replay.allocated_bytes, count - count / 4, count);
    device.early_bytes = replay.allocated_bytes[*device.early_event];
    device.late_bytes = replay.allocated_bytes[*device.late_event];
    wanted.emplace_back(device.early_event, 1);
    wanted.emplace_back(device.late_event, 2);
  }
  if (count > 0) wanted.emplace_back(count - 1, 3);
  std::ranges::sort(wanted);
  std::vector<std::optional<std::size_t>> moments;
  for (const auto& [moment, what] : wanted) moments.push_back(moment);
  HoldingsByStack early;
  HoldingsByStack late;
  LiveMemories at_end = replay.start;
  visit_moments(snapshot, replay, moments, [&](std::size_t moment, const LiveMemories& live) {
    const int what = wanted[moment].second;
    if (what == 0) device.at_peak = by_bytes(holdings_of(live));
    if (what == 1) early = holdings_of(live);
    if (what == 2) late = holdings_of(live);
    if (what == 3) at_end = live;
  });
  if (device.early_event) device.grown = growth(early, std::move(late));
  find_holders_now(snapshot, at_end, device);
}

DeviceMemory study_device(const AllocatorSnapshot& snapshot, std::int32_t number, bool with_curve) {
  DeviceMemory device;
  device.device = number;
  study_segments(snapshot, device);
  const AllocatorReplay replay = replay_history(snapshot, number);
  device.start_bytes = replay.start_bytes;
  device.freed_only_bytes = replay.freed_only_bytes;
  device.always_alive_bytes = replay.always_alive_bytes;
  device.end_bytes = replay.end_bytes;
  device.peak_bytes = replay.peak_bytes;
  device.peak_event = replay.peak_event;
  device.early_free_peak_bytes = replay.early_free_peak_bytes;
  device.reserved_at_peak_bytes = replay.reserved_at_peak_bytes;
  device.peak_reserved_bytes = replay.peak_reserved_bytes;
  device.lost_frees = replay.lost_frees;
  study_events(snapshot, replay, device);
  study_moments(snapshot, replay, device);
  for (std::size_t i = 0; with_curve && i < replay.history.count; ++i) {
    device.curve.push_back({i, snapshot.events.times_ns[replay.history.first + i],
                            replay.allocated_bytes[i], replay.reserved_bytes[i]});
  }
  return device;
}

bool has_data(const AllocatorSnapshot& snapshot, std::int32_t device) {
  return snapshot.history(device).count > 0 ||
         std::ranges::any_of(snapshot.segments, [&](const AllocatorSegment& segment) {
           return segment.device == device;
         });
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string frame_text(const AllocatorSnapshot& snapshot, const AllocatorFrame& frame) {
  const auto text = [&](StringId id) {
    return id.valid() ? snapshot.strings[id] : std::string_view("?");
  };
  return std::string(text(frame.function)) + " (" + std::string(file_name(text(frame.file))) + ":" +
         std::to_string(frame.line) + ")";
}

// 2: the program's own code, 1: a library in Python, 0: compiled code.
int rank_of(const AllocatorSnapshot& snapshot, const AllocatorFrame& frame) {
  if (!frame.file.valid()) return 0;
  const std::string_view file = snapshot.strings[frame.file];
  if (!file.ends_with(".py")) return 0;
  const auto is_in = [&](std::string_view folder) {
    return file.find(folder) != std::string_view::npos;
  };
  return is_in("site-packages") || is_in("dist-packages") || is_in("/lib/python") ? 1 : 2;
}

std::size_t telling_frame(const AllocatorSnapshot& snapshot,
                          const std::vector<AllocatorFrame>& frames) {
  const auto best = std::ranges::max_element(
      frames, {}, [&](const AllocatorFrame& frame) { return rank_of(snapshot, frame); });
  return static_cast<std::size_t>(best - frames.begin());
}

std::vector<std::string> frame_texts(const AllocatorSnapshot& snapshot, StackId stack,
                                     bool callers_only) {
  const std::vector<AllocatorFrame> frames = snapshot.stack(stack);
  const std::size_t first = callers_only ? telling_frame(snapshot, frames) + 1 : 0;
  std::vector<std::string> texts;
  for (std::size_t i = first; i < frames.size(); ++i) {
    texts.push_back(frame_text(snapshot, frames[i]));
  }
  return texts;
}

}  // namespace

AllocatorStudy study_allocator(const AllocatorSnapshot& snapshot, bool with_curves) {
  AllocatorStudy study;
  study.device_count = snapshot.device_count();
  for (std::int32_t device = 0; device < study.device_count; ++device) {
    if (has_data(snapshot, device)) {
      study.devices.push_back(study_device(snapshot, device, with_curves));
    }
  }
  return study;
}

std::vector<AllocatorPoint> thinned_curve(const std::vector<AllocatorPoint>& curve,
                                          std::uint32_t columns) {
  const std::size_t stretch = curve.size() / std::max(1u, columns);
  if (stretch < 4) return curve;
  std::vector<AllocatorPoint> kept;
  for (std::size_t first = 0; first < curve.size(); first += stretch) {
    const std::size_t last = std::min(first + stretch, curve.size()) - 1;
    std::size_t most = first;
    std::size_t least = first;
    for (std::size_t i = first; i <= last; ++i) {
      if (curve[i].allocated_bytes > curve[most].allocated_bytes) most = i;
      if (curve[i].allocated_bytes < curve[least].allocated_bytes) least = i;
    }
    std::size_t chosen[] = {first, std::min(most, least), std::max(most, least), last};
    for (const std::size_t i : chosen) {
      if (kept.empty() || curve[i].event > kept.back().event) kept.push_back(curve[i]);
    }
  }
  return kept;
}

std::string place_of_stack(const AllocatorSnapshot& snapshot, StackId stack) {
  const std::vector<AllocatorFrame> frames = snapshot.stack(stack);
  if (frames.empty()) return "[no stack recorded]";
  return frame_text(snapshot, frames[telling_frame(snapshot, frames)]);
}

std::vector<std::string> callers_of_stack(const AllocatorSnapshot& snapshot, StackId stack) {
  return frame_texts(snapshot, stack, true);
}

std::vector<std::string> frames_of_stack(const AllocatorSnapshot& snapshot, StackId stack) {
  return frame_texts(snapshot, stack, false);
}

}  // namespace strobe::analysis
