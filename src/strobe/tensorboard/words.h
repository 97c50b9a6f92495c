#pragma once

#include <string_view>

// The texts of the answers. Texts that a client may compare are the plugin's; the others are ours.
namespace strobe::tensorboard::words {

inline constexpr std::string_view kSummaryHead = "The GPU usage metrics:";
inline constexpr std::string_view kUtilization =
    "GPU Utilization:\nGPU busy time / All steps time. The higher, the better. GPU busy time is "
    "the "
    "time during which there is at least one GPU kernel running on it. All steps time is the total "
    "time of all profiler steps(or called as iterations).";
inline constexpr std::string_view kSmEfficiency =
    "Est. SM Efficiency:\nHow much of the GPU the kernels could fill: blocks of a kernel over the "
    "number of SMs, at most 100 %, weighted by time. Below 100 % some SMs had nothing to do.";
inline constexpr std::string_view kOccupancy =
    "Est. Achieved Occupancy:\nActive warps over the most an SM can hold, estimated for each "
    "kernel "
    "and weighted by time. A high value helps kernels that wait for memory.";
inline constexpr std::string_view kTensorCoreTime =
    "Kernel using Tensor Cores:\nTotal GPU Time for Tensor Core kernels / Total GPU Time for all "
    "kernels.";

// The text if no device has any.
inline constexpr std::string_view kNoTensorCoreTime =
    "\nIt is always 0.0 On MLU devices because MLU does not using Tensor Cores.";

inline constexpr std::string_view kEligible =
    "Whether this operator is eligible to use Tensor Cores.";
inline constexpr std::string_view kSelfRatio =
    "Time of self-kernels with Tensor Cores / Time of self-kernels.";
inline constexpr std::string_view kTotalRatio =
    "Time of kernels with Tensor Cores / Time of kernels.";

inline constexpr std::string_view kKernelUsesTensorCores = "Whether this kernel uses Tensor Cores.";
inline constexpr std::string_view kNoTensorCores =
    " It's always NO On MLU devices because MLU does not have Tensor Cores.";
inline constexpr std::string_view kOperatorEligible =
    "Whether the operator that launched this kernel could use Tensor Cores.";
inline constexpr std::string_view kBlocksPerSm =
    "Blocks of the kernel over the number of SMs, calls weighted by their time. Below 1 the chip "
    "is "
    "not filled.";
inline constexpr std::string_view kKernelOccupancy =
    "Active warps over the most an SM can hold, estimated, calls weighted by their time. A high "
    "value helps kernels that wait for memory.";

}  // namespace strobe::tensorboard::words
