// Any bytes as a table of ratios, or of a tuner's choices: reading ends, every row is counted, and
// the checks give valid results.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "strobe/base/json_text.h"
#include "strobe/bench/judge/ratio_checks.h"
#include "strobe/bench/results/foreign_tables.h"
#include "strobe/bench/results/ratio_grid.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

void read_tuned_shapes(std::string_view bytes) {
  const auto tuned = strobe::bench::parse_tuned_shapes(bytes, "tuned.csv");
  FUZZ_CHECK(strobe::bench::looks_like_tuned_shapes(bytes) || !tuned, "no surprise");
  if (!tuned) {
    FUZZ_CHECK(!tuned.error().what.empty() && !tuned.error().where.empty(), "an error is told");
    FUZZ_CHECK(strobe::is_valid_utf8(tuned.error().what), "errors are text");
    return;
  }
  for (const std::string& remark : tuned->remarks) {
    FUZZ_CHECK(strobe::is_valid_utf8(remark), "remarks are text");
  }
  for (const strobe::bench::TunedShape& shape : tuned->shapes) {
    FUZZ_CHECK(!shape.case_id.empty() && strobe::is_valid_utf8(shape.case_id), "a case has a name");
    FUZZ_CHECK(shape.block_x > 0 && shape.block_y > 0 && shape.warps > 0, "a block has a size");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMostBytes) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_tuned_shapes(bytes);
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
