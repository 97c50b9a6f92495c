#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strobe/base/result.h"

// The run-time compiler, opened at run time like the driver.
namespace strobe::bench {

using NvrtcProgram = struct NvrtcProgramTag*;

struct NvrtcApi {
  int (*version)(int* major, int* minor) = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*architecture_count)(int*) = nullptr;  // may be absent (before CUDA 11.2)
  int (*architectures)(int*) = nullptr;
  int (*create)(NvrtcProgram*, const char* source, const char* name, int headers,
                const char* const* header_sources, const char* const* header_names) = nullptr;
  int (*destroy)(NvrtcProgram*) = nullptr;
  int (*compile)(NvrtcProgram, int options, const char* const*) = nullptr;
  int (*cubin_bytes)(NvrtcProgram, std::size_t*) = nullptr;
  int (*cubin)(NvrtcProgram, char*) = nullptr;
  int (*ptx_bytes)(NvrtcProgram, std::size_t*) = nullptr;
  int (*ptx)(NvrtcProgram, char*) = nullptr;
  int (*log_bytes)(NvrtcProgram, std::size_t*) = nullptr;
  int (*log)(NvrtcProgram, char*) = nullptr;

  std::string library;  // where it was found

  std::string version_text() const;  // "13.0"
};

// A compiler newer than the driver makes code that the driver may refuse, so one of CUDA beyond
// `newest_major` is the last resort.
Result<NvrtcApi> open_nvrtc(int newest_major);
Result<NvrtcApi> open_nvrtc_at(const std::string& library);

// What compiled code is: for one chip exactly, or for the driver to finish.
struct CompiledSource {
  std::vector<char> image;
  std::string architecture;  // "sm_90", or "compute_86" where the compiler does not know the chip
};

// `name` is for messages. `compute_capability` is 90 for 9.0. An error carries the compiler's log.
Result<CompiledSource> compile_source(const NvrtcApi& nvrtc, const std::string& source,
                                      const std::string& name, int compute_capability);

}  // namespace strobe::bench
