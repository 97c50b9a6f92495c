#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strobe/base/result.h"

// The run-time compiler, itself opened at run time like the driver.
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

// The driver may refuse code of a newer compiler, so a compiler of CUDA beyond `newest_major` is
// the last resort.
Result<NvrtcApi> open_nvrtc(int newest_major);
Result<NvrtcApi> open_nvrtc_at(const std::string& library);

// Compiled code, for exactly one chip or for the driver to finish.
struct CompiledSource {
  std::vector<char> image;
  std::string architecture;  // "sm_90", or "compute_86" where the compiler does not know the chip
};

// `name` is for messages. `compute_capability` is 90 for 9.0. An error carries the compiler's log.
Result<CompiledSource> compile_source(const NvrtcApi& nvrtc, const std::string& source,
                                      const std::string& name, int compute_capability);

// The path and version of the run-time compiler, without opening it: loading it and resolving its
// symbols would make a start from the cache too slow.
struct NvrtcPlace {
  std::string library;  // to open
  std::string version;  // "13.0"; empty: unknown without opening it
};

// The first candidate that is a file for this machine. kMachineLacks: none was found, although the
// loader may know one.
Result<NvrtcPlace> find_nvrtc(int newest_major);
// The version of an existing library: from the name that it resolves to (libnvrtc.so.12.8.93), else
// from its companion (libnvrtc-builtins.so.12.8); "" if neither says, or two companions differ.
std::string nvrtc_version_at(const std::string& library);

// NVRTC, opened for the first compilation: if all code is in the cache, it is never loaded. Several
// threads may compile at once.
class RunTimeCompiler {
 public:
  // Not opened yet, unless its file name does not contain the version.
  static RunTimeCompiler find(int newest_major);
  // NOLINTBEGIN(google-explicit-constructor): they are what it is
  RunTimeCompiler(Result<NvrtcApi> opened) : api_(std::move(opened)) {}
  RunTimeCompiler(NvrtcApi opened) : api_(std::move(opened)) {}
  RunTimeCompiler(Error missing) : api_(std::move(missing)) {}
  // NOLINTEND(google-explicit-constructor)

  Result<void> is_there() const;  // kMachineLacks: no NVRTC
  std::string text() const;       // "NVRTC 13.0"; "" without one
  bool is_open() const { return api_ && api_->has_value(); }
  // Call it before threads compile. The opened library may have another version than its name says.
  Result<const NvrtcApi*> open();

 private:
  RunTimeCompiler() = default;

  std::string library_;  // to open
  std::string version_;  // by its file's name
  int newest_major_ = 0;
  std::optional<Result<NvrtcApi>> api_;
};

}  // namespace strobe::bench
