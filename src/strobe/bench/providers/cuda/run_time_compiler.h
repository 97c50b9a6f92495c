#pragma once

#include <optional>
#include <string>
#include <utility>

#include "strobe/bench/providers/cuda/nvrtc_api.h"

// NVRTC, opened when the first thing is compiled: who finds all code in the cache never pays for
// it. Several threads may compile at once.
namespace strobe::bench {

class RunTimeCompiler {
 public:
  // Not opened yet. What cannot be told from its file's name is asked at once.
  static RunTimeCompiler find(int newest_major);
  // NOLINTBEGIN(google-explicit-constructor): they are what it is
  RunTimeCompiler(Result<NvrtcApi> opened) : api_(std::move(opened)) {}
  RunTimeCompiler(NvrtcApi opened) : api_(std::move(opened)) {}
  RunTimeCompiler(Error missing) : api_(std::move(missing)) {}
  // NOLINTEND(google-explicit-constructor)

  Result<void> is_there() const;  // kMachineLacks: no NVRTC
  std::string text() const;       // "NVRTC 13.0"; "" without one
  bool is_open() const { return api_ && api_->has_value(); }
  // To be called before threads compile. It may turn out to be another version than it seemed.
  Result<const NvrtcApi*> open();

 private:
  RunTimeCompiler() = default;

  std::string library_;  // to open
  std::string version_;  // as its name tells
  int newest_major_ = 0;
  std::optional<Result<NvrtcApi>> api_;
};

}  // namespace strobe::bench
