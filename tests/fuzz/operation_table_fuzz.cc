// Any bytes as a table of operations: reading and replaying end, and a table keeps its promises.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "strobe/base/byte_stream.h"
#include "strobe/fleet/replay/operation_table.h"
#include "strobe/fleet/replay/replay.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

void check_promises(const strobe::fleet::OperationTable& table) {
  const std::size_t cells = table.operations.size() * table.lanes();
  FUZZ_CHECK(cells > 0, "a table has operations");
  FUZZ_CHECK(table.start_s.size() == cells && table.end_s.size() == cells, "no holes");
  for (std::size_t i = 0; i < cells; ++i) {
    FUZZ_CHECK(!std::isnan(table.start_s[i]), "every operation is there in every lane");
  }
  for (const strobe::fleet::Operation& operation : table.operations) {
    FUZZ_CHECK(operation.stage >= 0 && operation.stage < table.sizes.stages, "stages are counted");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMostBytes) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto stream = strobe::open_stream(bytes);
  if (!stream) return 0;
  const auto table = strobe::fleet::parse_operation_table(**stream, "ops.csv");
  if (!table) return 0;
  check_promises(*table);
  const auto job = strobe::fleet::replay(*table);
  if (!job) return 0;
  FUZZ_CHECK(job->ideal_s > 0, "an ideal step takes time");
  FUZZ_CHECK(job->steps.size() == table->steps.size(), "an answer for every step");
  return 0;
}
