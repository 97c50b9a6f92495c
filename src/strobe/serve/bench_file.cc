#include "strobe/serve/bench_file.h"

#include "strobe/base/byte_stream.h"
#include "strobe/bench/results/foreign_tables.h"
#include "strobe/bench/results/run_file.h"

namespace strobe::serve {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

// The user knows it by its name, not by its path.
Error named(Error error, const FoundBench& found) {
  const std::string path = found.path.string();
  if (error.where.starts_with(path)) error.where.replace(0, path.size(), found.name);
  if (error.where.empty()) error.where = found.name;
  return error;
}

}  // namespace

Result<BenchFile> read_bench_file(const FoundBench& found) {
  BenchFile file;
  if (found.content == BenchContent::kRun) {
    auto run = bench::read_run(found.path, kMostBytes);
    if (!run) return named(run.error(), found);
    file.run = std::move(*run);
    return file;
  }
  const auto text = read_text(found.path, kMostBytes);
  if (!text) return named(text.error(), found);
  auto grids = bench::parse_ratio_grids(*text, found.name);
  if (!grids) return named(grids.error(), found);
  file.grids = std::move(*grids);
  file.identities = bench::check_identities(*file.grids);
  return file;
}

}  // namespace strobe::serve
