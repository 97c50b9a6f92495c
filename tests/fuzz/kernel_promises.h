#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "strobe/base/json_text.h"
#include "strobe/readers/counters/kernel_reader.h"
#include "tests/fuzz/fuzz_check.h"

inline void check_promises(const strobe::KernelTable& table) {
  const std::size_t rows = table.size();
  FUZZ_CHECK(rows > 0, "a table has kernels");
  FUZZ_CHECK(table.durations_ns.size() == rows && table.ids.size() == rows, "whole columns");
  FUZZ_CHECK(table.grids.size() == rows && table.blocks.size() == rows, "whole columns");
  const auto is_whole = [&](const auto& column) { return column.empty() || column.size() == rows; };
  FUZZ_CHECK(is_whole(table.mangled_names) && is_whole(table.streams), "all or nothing");
  FUZZ_CHECK(is_whole(table.contexts) && is_whole(table.device_indices), "all or nothing");
  for (const auto& metric : table.metrics) {
    FUZZ_CHECK(is_whole(metric), "all or nothing");
    for (const double value : metric) FUZZ_CHECK(!std::isinf(value) && !(value < 0), "a share");
  }
  for (std::size_t row = 0; row < rows; ++row) {
    FUZZ_CHECK(table.durations_ns[row] >= 0, "time goes forward");
    FUZZ_CHECK(strobe::is_valid_utf8(table.name(row)), "names are text");
  }
  for (const std::string& remark : table.remarks) {
    FUZZ_CHECK(strobe::is_valid_utf8(remark), "remarks are text");
  }
  for (std::size_t i = 1; i < table.devices.size(); ++i) {
    FUZZ_CHECK(table.devices[i - 1].index < table.devices[i].index, "devices are sorted");
  }
}

inline int read_as_kernels(const std::uint8_t* data, std::size_t size) {
  if (size > kMostBytes) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto table = strobe::readers::read_kernels_bytes(bytes, "kernels");
  if (!table) {
    FUZZ_CHECK(!table.error().what.empty() && !table.error().where.empty(), "an error is told");
    FUZZ_CHECK(strobe::is_valid_utf8(table.error().what), "errors are text");
    return 0;
  }
  if (table->source == strobe::KernelSource::kTrace) return 0;  // tested by other targets
  if (table->source == strobe::KernelSource::kJson) return 0;
  check_promises(*table);
  const auto again = strobe::readers::read_kernels_bytes(bytes, "kernels");
  FUZZ_CHECK(again && again->durations_ns == table->durations_ns, "the same answer again");
  FUZZ_CHECK(again->remarks == table->remarks, "the same remarks again");
  return 0;
}
