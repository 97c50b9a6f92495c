#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// The numbers in NVIDIA's databases as words, the same as in traces of other tools. The databases
// bring tables of them, but not always.
namespace strobe::readers {

// "cudaMemcpyAsync" for "cudaMemcpyAsync_v3020" and "cudaMemcpyAsync_ptsz_v7000".
std::string_view plain_call_name(std::string_view name);

// "Memcpy HtoD (Pinned -> Device)"; for what unified memory does by itself, "Memcpy HtoD
// (Unified)".
std::string copy_name(std::int64_t kind, std::string_view from, std::string_view to);
std::string memset_name(std::string_view memory);
std::string_view sync_name(std::int64_t kind);  // "Stream Sync"

// "Pinned". Nsight Systems counts them from 0, CUPTI and nvprof otherwise.
std::string_view nsys_memory_word(std::int64_t kind);
std::string_view cupti_memory_word(std::int64_t kind);

// Of an allocation of a kind of Nsight Systems, in the words that other readers use for places.
std::string nsys_place(std::int64_t kind, std::int64_t device);

}  // namespace strobe::readers
