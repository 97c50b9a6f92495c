#pragma once

#include <string_view>

#include "strobe/readers/dialect.h"
#include "strobe/trace/slice_kind.h"

// What the tasks of an NPU and the calls of its runtime mean, in every format that tells of them.
namespace strobe::readers {

// What stands on a stream of the device: work, or what the stream waited for, recorded or told
// others. `type` is the core or unit that ran it ("AI_CORE", "PCIE_DMA_SQE").
NameRule npu_task_rule(std::string_view name, std::string_view type);

// One of the types that are known, or "task": a trace has few categories.
std::string_view npu_task_category(std::string_view type);

// The flags of a kernel.
NameRule npu_kernel_rule(std::string_view name);

// The layer of a runtime call: "acl", which programs call, or one of those below it; empty if it is
// none of them.
std::string_view npu_call_layer(std::string_view layer);
inline constexpr std::string_view kProgramLayer = "acl";

// Categories of what has none of its own.
inline constexpr std::string_view kCollective = "collective";
inline constexpr std::string_view kCollectiveTask = "collective task";
inline constexpr std::string_view kQueueing = "enqueue";
inline constexpr std::string_view kUnqueueing = "dequeue";

// Arrows: from a runtime call to its device work, and from a queued operator to the thread that
// launches it.
inline constexpr std::string_view kLaunchArrow = "HostToDevice";
inline constexpr std::string_view kQueueArrow = "async_task_queue";
inline constexpr std::string_view kOperatorArrow = "async_npu";

// The kinds of what a framework records: categories of operators, interpreter frames, ranges.
CategoryRule npu_host_rule(std::string_view category);
NameRule npu_host_name_rule(SliceKind kind, std::string_view category, std::string_view name);

TraceTraits npu_traits();

}  // namespace strobe::readers
