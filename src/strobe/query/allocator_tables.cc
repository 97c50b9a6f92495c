#include <algorithm>
#include <optional>
#include <string_view>

#include "strobe/query/table.h"

// Snapshots of an allocator: its history, what it held at the end, and by which stacks.
namespace strobe::query {
namespace {

const AllocatorSnapshot& snapshot(const TraceSource& source) { return *source.input().snapshot; }

// Rows of a part of the snapshot; none without one.
template <class Part>
auto rows_of_snapshot(Part part) {
  return [part](const TraceSource& source) -> std::size_t {
    return source.input().snapshot == nullptr ? 0 : part(snapshot(source));
  };
}

std::optional<std::string_view> text_of(const AllocatorSnapshot& from, StringId id) {
  if (!id.valid()) return std::nullopt;
  return from.strings[id];
}

std::optional<std::int64_t> number_of(StackId stack) {
  if (!stack.valid()) return std::nullopt;
  return static_cast<std::int64_t>(stack.value);
}

// `stack_of(source, row)`: the stack of a row.
template <class StackOf>
Column stack_column(StackOf stack_of) {
  return column("stack_id", "",
                "the stack of the request: rows of `stacks`; absent if none was recorded",
                [stack_of](const TraceSource& source, std::size_t row) {
                  return number_of(stack_of(source, row));
                });
}

// The segment of a block: they lie one after the other.
const AllocatorSegment& segment_of(const TraceSource& source, std::size_t block) {
  const auto& segments = snapshot(source).segments;
  const auto after = std::ranges::upper_bound(segments, block, {}, &AllocatorSegment::first_block);
  return *(after - 1);
}

const AllocatorBlock& block_at(const TraceSource& source, std::size_t row) {
  return snapshot(source).blocks[row];
}

std::string_view word_of(BlockState state) {
  switch (state) {
    case BlockState::kInUse:
      return "in use";
    case BlockState::kAwaitingFree:
      return "awaiting free";
    case BlockState::kFree:
      break;
  }
  return "free";
}

Table allocator_blocks() {
  return {
      .name = "allocator_blocks",
      .meaning = "what an allocator held when its snapshot was taken: segments, cut into blocks",
      .columns = {column("device", "", "the number of the device",
                         [](const TraceSource& source, std::size_t row) {
                           return segment_of(source, row).device;
                         }),
                  column("segment", "",
                         "its address; a segment is memory that the device gave at once",
                         [](const TraceSource& source, std::size_t row) {
                           return static_cast<std::int64_t>(segment_of(source, row).address);
                         }),
                  column("segment_type", "", "large or small",
                         [](const TraceSource& source, std::size_t row) {
                           return text_of(snapshot(source), segment_of(source, row).type);
                         }),
                  column("stream", "", "the stream of the segment, as the snapshot writes it",
                         [](const TraceSource& source, std::size_t row) {
                           return snapshot(source).streams[segment_of(source, row).stream];
                         }),
                  column("address", "", "of the block",
                         [](const TraceSource& source, std::size_t row) {
                           return static_cast<std::int64_t>(block_at(source, row).address);
                         }),
                  column("bytes", "bytes", "its size, as the allocator rounded it up",
                         [](const TraceSource& source, std::size_t row) {
                           return block_at(source, row).bytes;
                         }),
                  column("requested", "bytes", "what the program asked for",
                         [](const TraceSource& source, std::size_t row) {
                           return block_at(source, row).requested_bytes;
                         }),
                  column("state", "",
                         "in use, awaiting free (other streams may still use it) or free",
                         [](const TraceSource& source, std::size_t row) {
                           return word_of(block_at(source, row).state);
                         }),
                  stack_column([](const TraceSource& source, std::size_t row) {
                    return block_at(source, row).stack;
                  })},
      .rows = rows_of_snapshot([](const AllocatorSnapshot& from) { return from.blocks.size(); })};
}

// The device whose history has the event.
std::int32_t device_of_event(const TraceSource& source, std::size_t row) {
  const auto& histories = snapshot(source).histories;
  const auto found = std::ranges::find_if(histories, [row](const AllocatorHistory& history) {
    return row >= history.first && row < history.first + history.count;
  });
  return static_cast<std::int32_t>(found - histories.begin());
}

Table allocator_events() {
  const auto events = [](const TraceSource& source) -> const AllocatorEvents& {
    return snapshot(source).events;
  };
  return {
      .name = "allocator_events",
      .meaning = "the history of an allocator, in the order of its snapshot",
      .columns = {column("device", "", "the number of the device", device_of_event),
                  column("time", "ns", "wall clock; absent in snapshots that have no times",
                         [events](const TraceSource& source,
                                  std::size_t row) -> std::optional<std::int64_t> {
                           const std::int64_t time_ns = events(source).times_ns[row];
                           if (time_ns == AllocatorEvents::kNoTime) return std::nullopt;
                           return time_ns;
                         }),
                  column("action", "",
                         "alloc, free_requested, free_completed, segment_alloc, oom, ...",
                         [events](const TraceSource& source, std::size_t row) {
                           return strobe::word_of(events(source).actions[row]);
                         }),
                  column("address", "", "of the block; of an oom the free bytes of the device",
                         [events](const TraceSource& source, std::size_t row) {
                           return static_cast<std::int64_t>(events(source).addresses[row]);
                         }),
                  column("bytes", "bytes", "what was asked for",
                         [events](const TraceSource& source, std::size_t row) {
                           return events(source).bytes[row];
                         }),
                  column("stream", "", "as the snapshot writes it",
                         [events](const TraceSource& source, std::size_t row) {
                           return snapshot(source).streams[events(source).streams[row]];
                         }),
                  stack_column([events](const TraceSource& source, std::size_t row) {
                    return events(source).stacks[row];
                  })},
      .rows = rows_of_snapshot([](const AllocatorSnapshot& from) { return from.events.size(); })};
}

struct FramePlace {
  std::int64_t stack = 0;
  std::int32_t depth = 0;
};

FramePlace frame_place(const TraceSource& source, std::size_t row) {
  const auto& begins = snapshot(source).stack_begins;
  const auto after = std::ranges::upper_bound(begins, row) - begins.begin();
  return {.stack = after - 1,
          .depth = static_cast<std::int32_t>(row - begins[static_cast<std::size_t>(after - 1)])};
}

const AllocatorFrame& frame_at(const TraceSource& source, std::size_t row) {
  return snapshot(source).frames[snapshot(source).stack_frames[row]];
}

Table stacks() {
  return {.name = "stacks",
          .meaning = "stacks of a snapshot of an allocator; a row per frame",
          .columns = {column("stack_id", "", "its number",
                             [](const TraceSource& source, std::size_t row) {
                               return frame_place(source, row).stack;
                             }),
                      column("depth", "", "0 is the innermost frame",
                             [](const TraceSource& source, std::size_t row) {
                               return frame_place(source, row).depth;
                             }),
                      column("function", "", "as the snapshot writes it",
                             [](const TraceSource& source, std::size_t row) {
                               return text_of(snapshot(source), frame_at(source, row).function);
                             }),
                      column("file", "", "of the source",
                             [](const TraceSource& source, std::size_t row) {
                               return text_of(snapshot(source), frame_at(source, row).file);
                             }),
                      column("line", "", "in the file; 0 if it is not known",
                             [](const TraceSource& source, std::size_t row) {
                               return frame_at(source, row).line;
                             })},
          .rows = rows_of_snapshot(
              [](const AllocatorSnapshot& from) { return from.stack_frames.size(); })};
}

}  // namespace

std::vector<Table> allocator_tables() {
  std::vector<Table> tables;
  tables.push_back(allocator_blocks());
  tables.push_back(allocator_events());
  tables.push_back(stacks());
  return tables;
}

}  // namespace strobe::query
