#include "strobe/device/vendor_names.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string>

#include "strobe/base/text.h"
#include "strobe/device/name_parts.h"

namespace strobe::device {
namespace {

bool contains(std::string_view text, std::string_view lower_case_word) {
  return std::search(text.begin(), text.end(), lower_case_word.begin(), lower_case_word.end(),
                     [](char c, char wanted) { return lower(c) == wanted; }) != text.end();
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return contains(text, word); });
}

}  // namespace

bool is_classic_collective(std::string_view kernel_name) {
  return contains_any(kernel_name, {"nccl", "xccl"});
}

namespace {

// The tables below are searched in name_words(): `_ccl_` is a whole word, `nccl` may be part of
// one, `^_` starts the name.
using Patterns = std::span<const std::string_view>;

bool has_any(std::string_view words, Patterns patterns) {
  return std::ranges::any_of(patterns, [&](std::string_view pattern) {
    return words.find(pattern) != std::string_view::npos;
  });
}

// Libraries whose kernels all move data between devices: in the kernel's name or its namespaces.
constexpr std::string_view kLibraries[] = {
    "nccl",               // NVIDIA
    "xccl",               // a plug-in device's, and Intel's back end of PyTorch
    "rccl",               // AMD
    "hccl",               // Huawei, Habana
    "_hcom_",             // kernels of Huawei's library
    "cncl",               // Cambricon
    "eccl",               // Enflame, and Intel's oneCCL
    "_ccl_",              // oneCCL's own namespace
    "msccl",              // Microsoft
    "mccl",               // Moore Threads, MetaX
    "bkcl",               // Kunlun
    "uccl",               // Berkeley
    "flagcx",             // BAAI
    "nvshmem",            // NVIDIA
    "rocshmem",           // AMD
    "ishmem",             // Intel
    "userbuffers",        // Transformer Engine, TensorRT-LLM
    "symmetric_memory",   // PyTorch
    "_symm_mem_",         // PyTorch
    "intra_node_comm",    // PyTorch
    "quickreduce",        // AMD
    "custom_all_reduce",  // serving engines
};

// Words in a kernel's own name that say that it exchanges data between devices; any library may use
// them.
constexpr std::string_view kCollectives[] = {
    "all_reduce",
    "allreduce",
    "all_gather",
    "allgather",
    "reduce_scatter",
    "reducescatter",
    "all_to_all",
    "alltoall",
    "allto_all",
    "all2all",
    "_all2_all_",
    "_a2a_",
    "_a2_a_",
    "collective_permute",
    "cross_device_reduce",
    "_cross_device_store_",
    "_one_shot_",
    "_oneshot_",
    "_two_shot_",
    "_twoshot_",
    "_multimem_",
    "lamport",
    "moe_distribute_dispatch",
    "moe_distribute_combine",
};

// Libraries of which some kernels move tokens to the experts of other devices, and some only count
// them: the namespace and the kernel's own name must both match.
constexpr std::string_view kExpertLibraries[] = {"_deep_ep_", "_pplx_", "_mori_", "_ep_kernels_"};
constexpr std::string_view kTokenMoves[] = {"dispatch", "combine", "notify", "barrier",
                                            "low_latency"};

// Names that hold such words and stay on their device, or compute above all.
constexpr std::string_view kOnOneDevice[] = {
    "_layout_",          // get_dispatch_layout counts tokens
    "block_all_reduce",  // over the threads of a block or a warp
    "block_allreduce",
    "warp_all_reduce",
    "warp_allreduce",
    "gemm",  // a product that sends its result
    "matmul",
    "mat_mul",
    // Compilers list the operators around a kernel in its name.
    "^_triton_poi_",
    "^_triton_red_",
    "^_triton_per_",
    "^_triton_for_",
    "^_triton_mix_",
    "^_triton_tem_",
};

}  // namespace

bool is_any_collective(std::string_view kernel_name) {
  const std::string plain = demangled(kernel_name);
  const QualifiedName name = qualified_name(plain);
  const std::string base = name_words(name.base);
  if (has_any(base, kOnOneDevice)) return false;
  if (has_any(base, kLibraries) || has_any(base, kCollectives)) return true;
  const std::string scope = name_words(name.scope);
  if (has_any(scope, kLibraries)) return true;
  return has_any(base, kTokenMoves) && has_any(scope, kExpertLibraries);
}

bool is_collective_operator(std::string_view operator_name) {
  return contains_any(operator_name, {"allreduce", "broadcast", "rpc"});
}

namespace {

// Calls of frameworks that move data between processes, by the start of the name.
constexpr std::string_view kOperatorStarts[] = {
    "^_record_param_comms_",
    "^_c10d_",
    "^_rpc_",
    "^_broadcast_$",
    "^_broadcast_dygraph_$",
    "^_c_broadcast_",
    "^_c_reduce_",
    "^_c_scatter_",
    "^_send_v2_",
    "^_recv_v2_",
    "^_p_send_",
    "^_p_recv_",
    "^_partial_send_",
    "^_partial_recv_",
    "^_global_scatter_",
    "^_global_gather_",
    "^_barrier_",
    "_symm_mem_",
};

// Operators of one device, whatever they are called after.
constexpr std::string_view kLocalOperators[] = {
    "^_aten_",
    "^_prims_",
    "_copy_in_",  // beside a collective: into its buffer, out of it
    "_copy_out_",
};

}  // namespace

bool is_collective_call(std::string_view operator_name) {
  const std::string words = name_words(operator_name);
  if (has_any(words, kLocalOperators) || has_any(words, kOnOneDevice)) return false;
  return has_any(words, kOperatorStarts) || has_any(words, kLibraries) ||
         has_any(words, kCollectives);
}

namespace {

constexpr std::string_view kHostPrefixes[] = {"gloo:", "mpi:", "ucc:"};
constexpr std::string_view kDevicePrefixes[] = {
    "nccl:", "rccl:", "hccl:", "xccl:", "cncl:", "mccl:", "eccl:", "bkcl:", "flagcx:"};

}  // namespace

bool is_host_exchange(std::string_view range_name) {
  return std::ranges::any_of(
      kHostPrefixes, [&](std::string_view prefix) { return range_name.starts_with(prefix); });
}

bool is_library_range(std::string_view range_name) {
  return is_host_exchange(range_name) ||
         std::ranges::any_of(kDevicePrefixes, [&](std::string_view prefix) {
           return range_name.starts_with(prefix);
         });
}

namespace {

struct CallWord {
  std::string_view word;
  RuntimeCall call;
};

// The first word found decides. Vendors share these words: cudaMalloc, hipMalloc, cnrtMalloc,
// aclrtMalloc, zeMemAllocDevice.
constexpr std::array kCallWords = std::to_array<CallWord>({
    {"Synchronize", RuntimeCall::kSynchronize},
    {"SyncDevice", RuntimeCall::kSynchronize},
    {"QueueSync", RuntimeCall::kSynchronize},
    {"ModuleLoad", RuntimeCall::kLoadCode},
    {"LibraryLoad", RuntimeCall::kLoadCode},
    {"ModuleCreate", RuntimeCall::kLoadCode},
    {"Memcpy", RuntimeCall::kCopy},
    {"MemoryCopy", RuntimeCall::kCopy},
    {"Launch", RuntimeCall::kLaunch},
    {"InvokeKernel", RuntimeCall::kLaunch},
    {"Free", RuntimeCall::kFree},
    {"Unmap", RuntimeCall::kFree},
    {"MemRelease", RuntimeCall::kFree},
    {"Malloc", RuntimeCall::kAllocate},
    {"MemAlloc", RuntimeCall::kAllocate},
    {"MemCreate", RuntimeCall::kAllocate},
    {"MemMap", RuntimeCall::kAllocate},
    {"HostAlloc", RuntimeCall::kAllocate},
});

}  // namespace

RuntimeCall runtime_call(std::string_view name) {
  for (const CallWord& one : kCallWords) {
    if (name.find(one.word) != std::string_view::npos) return one.call;
  }
  return RuntimeCall::kOther;
}

namespace {

bool has(std::string_view name, std::string_view word) {
  return name.find(word) != std::string_view::npos;
}

}  // namespace

bool is_graph_launch(std::string_view call_name) { return has(call_name, "GraphLaunch"); }
bool begins_capture(std::string_view call_name) { return has(call_name, "BeginCapture"); }
bool ends_capture(std::string_view call_name) { return has(call_name, "EndCapture"); }
bool makes_graph(std::string_view call_name) { return has(call_name, "GraphInstantiate"); }

LaunchedKind launched_kind(std::string_view call_name) {
  if (is_graph_launch(call_name)) return LaunchedKind::kGraph;
  if (has(call_name, "Memset")) return LaunchedKind::kMemset;
  switch (runtime_call(call_name)) {
    case RuntimeCall::kLaunch:  // code of the host may be launched, too
      return has(call_name, "HostFunc") ? LaunchedKind::kNothing : LaunchedKind::kKernel;
    case RuntimeCall::kCopy:
      return LaunchedKind::kCopy;
    default:
      return LaunchedKind::kNothing;
  }
}

CopyDirection copy_direction(std::string_view copy_name) {
  struct Ends {
    std::string_view word;
    CopyDirection direction;
  };
  using enum CopyDirection;
  constexpr std::array kEnds = std::to_array<Ends>({
      {"HtoD", kHostToDevice},
      {"H2D", kHostToDevice},
      {"HostToDevice", kHostToDevice},
      {"DtoH", kDeviceToHost},
      {"D2H", kDeviceToHost},
      {"DeviceToHost", kDeviceToHost},
      {"DtoD", kBetweenDevices},
      {"D2D", kBetweenDevices},
      {"DeviceToDevice", kBetweenDevices},
      {"PtoP", kBetweenDevices},
      {"P2P", kBetweenDevices},
  });
  for (const Ends& ends : kEnds) {
    if (copy_name.find(ends.word) != std::string_view::npos) return ends.direction;
  }
  return kUnknown;
}

bool is_pageable_copy(std::string_view copy_name) {
  return copy_name.find("Pageable") != std::string_view::npos;
}

}  // namespace strobe::device
