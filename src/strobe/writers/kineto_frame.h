#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strobe/trace/trace.h"

namespace strobe::writers {

// Whether the trace was read from a file of trace events, whose categories and members mean
// something to their readers and are kept. Anything else is written as Kineto would.
bool comes_from_events(const Trace& trace);

// The category of a slice that does not come from events: its own if it is one of Kineto's, else
// the one that Kineto gives to this kind.
std::string_view kineto_category(SliceKind kind, std::string_view own);

// The arguments of a `[memory]` instant, for an event of the allocator.
std::string kineto_memory_arguments(const Trace& trace, std::size_t row);

// The rank of a trace that says none itself.
struct GivenRank {
  std::int32_t rank = 0;
  std::int32_t world_size = 0;
};

// The members of the file around its events, `  "key": value,` line by line. Those in front decide
// which dialect a reader recognises, so some traces have them behind the events.
struct FileFrame {
  std::string front;
  std::string back;
};

// `base_time_ns` is what is to be added to the times of the file to get the wall clock.
FileFrame frame_of(const Trace& trace, std::int64_t base_time_ns,
                   const std::optional<GivenRank>& given = {});

// For a file with several traces: what they share. The ranks are in the names of the processes.
FileFrame shared_frame_of(const Trace& first, std::int64_t base_time_ns);

}  // namespace strobe::writers
