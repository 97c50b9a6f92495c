// Any bytes as a benchmark run: reading ends, kept records are usable, and they survive writing and
// reading again.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "strobe/base/json_text.h"
#include "strobe/bench/results/run_file.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMostBytes) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto run = strobe::bench::parse_run(bytes, "run.json");
  if (!run) {
    FUZZ_CHECK(!run.error().what.empty() && !run.error().where.empty(), "an error is told");
    FUZZ_CHECK(strobe::is_valid_utf8(run.error().what), "errors are text");
    return 0;
  }
  for (const std::string& remark : run->remarks) {
    FUZZ_CHECK(strobe::is_valid_utf8(remark), "remarks are text");
  }
  for (const strobe::bench::CellRecord& record : run->cells) {
    FUZZ_CHECK(!record.cell.case_id.empty() && !record.cell.provider.empty(), "a cell has a name");
    FUZZ_CHECK(!record.cell.shape.dims.empty(), "a cell has a shape");
    for (const auto& [mode, time] : record.times) {
      FUZZ_CHECK(std::isfinite(time.p50) && time.p50 >= 0, "a time is a number");
    }
  }
  const std::string written = strobe::bench::to_json(*run);
  const auto again = strobe::bench::parse_run(written, "run.json");
  FUZZ_CHECK(again && again->remarks.empty(), "what strobe writes, it reads");
  FUZZ_CHECK(again->cells.size() == run->cells.size(), "every cell comes back");
  FUZZ_CHECK(strobe::bench::to_json(*again) == written, "and says the same");
  return 0;
}
