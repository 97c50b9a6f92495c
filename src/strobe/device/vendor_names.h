#pragma once

#include <cstdint>
#include <string_view>

namespace strobe::device {

// Recognises names of communication between devices, ignoring case.

// A kernel of the two libraries in the classic tables: NCCL, or a plug-in device's XCCL.
bool is_classic_collective(std::string_view kernel_name);

// A kernel that moves data between devices: of any vendor's collectives library, of a library that
// reads other devices' memory (NVSHMEM, symmetric memory, user buffers), one of the hand-written
// collectives of serving engines, or one that exchanges tokens between experts. Only the kernel's
// own name and its namespaces count, not its template arguments; mangled names are accepted.
bool is_any_collective(std::string_view kernel_name);

// The classic tables' rule for operators: a plain search for three words, so it also matches an
// operator that only broadcasts a shape.
bool is_collective_operator(std::string_view operator_name);

// A framework's operator that moves data between processes.
bool is_collective_call(std::string_view operator_name);

// A range that a framework opens for a collectives library: "nccl:all_reduce", "gloo:broadcast".
bool is_library_range(std::string_view range_name);

// Such a range of a library that works on the host: it lasts until the data have arrived. Those of
// other libraries last until work is launched.
bool is_host_exchange(std::string_view range_name);

// The purpose of a call into a vendor's runtime or driver.
enum class RuntimeCall : std::uint8_t {
  kOther,
  kLaunch,
  kCopy,
  kSynchronize,  // the host waits for the device
  kAllocate,
  kFree,
  kLoadCode,  // modules and libraries: a warm program no longer loads them
};

RuntimeCall runtime_call(std::string_view name);

// A call that launches all work of a graph at once, and the calls around which a graph is captured:
// what is launched between these two runs only when the graph is launched.
bool is_graph_launch(std::string_view call_name);
bool begins_capture(std::string_view call_name);
bool ends_capture(std::string_view call_name);
bool makes_graph(std::string_view call_name);  // out of what was captured

// What a call becomes on the device.
enum class LaunchedKind : std::uint8_t { kNothing, kKernel, kCopy, kMemset, kGraph };
LaunchedKind launched_kind(std::string_view call_name);

// What makes every launch wait for its kernel.
inline constexpr std::string_view kBlockingLaunchSettings =
    "CUDA_LAUNCH_BLOCKING=1 (HIP_LAUNCH_BLOCKING, AMD_SERIALIZE_KERNEL)";

// Copies are named after their ends: "Memcpy HtoD (Pinned -> Device)", "CopyDeviceToHost".
enum class CopyDirection : std::uint8_t {
  kUnknown,
  kHostToDevice,
  kDeviceToHost,
  kBetweenDevices,  // or inside one: nothing passes through the host
};

CopyDirection copy_direction(std::string_view copy_name);
// From or to memory of the host that the device cannot reach by itself.
bool is_pageable_copy(std::string_view copy_name);

}  // namespace strobe::device
