#pragma once

#include <string>

#include "strobe/base/result.h"
#include "strobe/bench/results/cell_record.h"

namespace strobe::cli {

// A run on its way to a file: FILE.partial is whole after every cell, whatever happens next, and
// becomes FILE when the run is over.
class RunFile {
 public:
  explicit RunFile(std::string path) : path_(std::move(path)) {}  // "": nothing is kept

  // Tells before the work that the place cannot be written to.
  Result<void> check();
  Result<void> keep(const bench::BenchRun& run);
  Result<void> finish(const bench::BenchRun& run, bool with_samples);
  std::string partial() const { return path_ + ".partial"; }
  bool has_partial() const { return has_partial_; }

 private:
  std::string path_;
  bool has_partial_ = false;
};

}  // namespace strobe::cli
