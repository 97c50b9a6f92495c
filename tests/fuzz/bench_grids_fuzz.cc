// Any bytes as a table of ratios: reading ends, every row is counted, and the judgements hold their
// promises.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "strobe/base/json_text.h"
#include "strobe/bench/judge/flat_line.h"
#include "strobe/bench/judge/identities.h"
#include "strobe/bench/results/ratio_grid.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostBytes = 1 << 16;
  if (size > kMostBytes) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto grids = strobe::bench::parse_ratio_grids(bytes, "grids.csv");
  FUZZ_CHECK(strobe::bench::looks_like_ratio_grids(bytes) || !grids, "no surprise");
  if (!grids) {
    FUZZ_CHECK(!grids.error().what.empty() && !grids.error().where.empty(), "an error is told");
    FUZZ_CHECK(strobe::is_valid_utf8(grids.error().what), "errors are text");
    return 0;
  }
  for (const std::string& remark : grids->remarks) {
    FUZZ_CHECK(strobe::is_valid_utf8(remark), "remarks are text");
  }
  std::size_t cells = 0;
  for (const strobe::bench::RatioGrid& grid : grids->grids) {
    FUZZ_CHECK(!grid.cells.empty() && !grid.case_id.empty(), "a table has cells and a case");
    FUZZ_CHECK(strobe::is_valid_utf8(grid.case_id), "names are text");
    cells += grid.cells.size();
    for (const strobe::bench::GridCell& cell : grid.cells) {
      FUZZ_CHECK(!cell.value || (std::isfinite(*cell.value) && *cell.value > 0), "a ratio");
      FUZZ_CHECK(cell.value || cell.status != strobe::bench::CellStatus::kOk, "or a reason");
    }
    if (const auto line = strobe::bench::find_flat_line(grid)) {
      FUZZ_CHECK(line->index < grid.cells.size(), "a flat line begins in the table");
      FUZZ_CHECK(line->before_share < 0.25 && line->after_share >= 0.75, "as its rule says");
    }
  }
  FUZZ_CHECK(cells <= grids->rows, "no cell without a row");
  strobe::bench::check_identities(*grids);
  return 0;
}
