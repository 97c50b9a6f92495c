#include "strobe/cli/bench_run_files.h"

#include <unistd.h>

#include "strobe/bench/results/run_file.h"
#include "strobe/cli/output.h"

namespace strobe::cli {
namespace {

Result<void> write_whole(const std::string& path, const bench::BenchRun& run) {
  STROBE_TRY(Output output, Output::open(path));
  STROBE_TRY_VOID(output.write(bench::to_json(run)));
  return output.commit();
}

// Pipes and devices take the run at its end and nothing before.
bool is_plain(const std::string& path) { return path != "-" && !path.starts_with("/dev/"); }

}  // namespace

Result<void> RunFile::check() {
  if (path_.empty()) return {};
  return Output::open(path_).has_value() ? Result<void>() : Output::open(path_).error();
}

Result<void> RunFile::keep(const bench::BenchRun& run) {
  if (path_.empty() || !is_plain(path_)) return {};
  STROBE_TRY_VOID(write_whole(partial(), run));
  has_partial_ = true;
  return {};
}

Result<void> RunFile::finish(const bench::BenchRun& run, bool with_samples) {
  if (path_.empty()) return {};
  STROBE_TRY_VOID(write_whole(path_, run));
  if (with_samples) STROBE_TRY_VOID(bench::write_samples(run, bench::samples_path(path_)));
  if (has_partial_) unlink(partial().c_str());
  has_partial_ = false;
  return {};
}

}  // namespace strobe::cli
