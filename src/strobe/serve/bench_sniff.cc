#include "strobe/serve/bench_sniff.h"

#include <string>

#include "strobe/base/byte_stream.h"
#include "strobe/bench/results/foreign_tables.h"
#include "strobe/bench/results/ratio_grid.h"
#include "strobe/bench/results/run_file.h"

namespace strobe::serve {
namespace {

constexpr std::size_t kUnpackedBytes = 16 << 10;

}  // namespace

std::optional<BenchContent> bench_content(std::string_view first_bytes) {
  auto stream = open_stream(first_bytes);
  if (!stream) return {};
  std::string unpacked(kUnpackedBytes, '\0');
  const auto bytes = (*stream)->read(unpacked);
  if (!bytes) return {};
  std::string_view text = std::string_view(unpacked).substr(0, *bytes);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start);
  if (text[0] != '{') {
    if (bench::looks_like_ratio_grids(text)) return BenchContent::kGrids;
    return {};
  }
  if (bench::looks_like_run(text)) return BenchContent::kRun;
  return {};
}

}  // namespace strobe::serve
