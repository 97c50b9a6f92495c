#include "strobe/bench/providers/cuda/run_time_compiler.h"

#include <utility>

#include "strobe/bench/providers/cuda/nvrtc_place.h"

namespace strobe::bench {

RunTimeCompiler RunTimeCompiler::find(int newest_major) {
  const Result<NvrtcPlace> place = find_nvrtc(newest_major);
  if (!place || place->version.empty()) return open_nvrtc(newest_major);
  RunTimeCompiler compiler;
  compiler.library_ = place->library;
  compiler.version_ = place->version;
  compiler.newest_major_ = newest_major;
  return compiler;
}

Result<void> RunTimeCompiler::is_there() const {
  if (api_ && !*api_) return api_->error();
  return {};
}

std::string RunTimeCompiler::text() const {
  if (!api_) return "NVRTC " + version_;
  return *api_ ? "NVRTC " + (*api_)->version_text() : "";
}

Result<const NvrtcApi*> RunTimeCompiler::open() {
  if (!api_) {
    api_ = open_nvrtc_at(library_);
    if (!*api_) api_ = open_nvrtc(newest_major_);
  }
  if (!*api_) return api_->error();
  return &**api_;
}

}  // namespace strobe::bench
