#pragma once

#include <optional>
#include <string_view>

#include "strobe/base/json_write.h"
#include "strobe/bench/judge/pair_table.h"

// What several answers about benchmarks are written with.
namespace strobe::serve {

template <class Value>
void member_or_null(JsonWriter& json, std::string_view key, const std::optional<Value>& value) {
  json.key(key);
  value ? json.value(*value) : json.null();
}

// "roofs": bytes and operations per second.
void write_roofs(JsonWriter& json, const bench::Roofs& roofs);
// "mean": {"value", "cells"} or null.
void write_mean(JsonWriter& json, const bench::RatioGrid& grid);

struct BenchRates {
  std::optional<double> bytes_per_s;  // of the least bytes
  std::optional<double> flop_per_s;
  std::optional<double> flop_per_byte;
  std::optional<double> copy_roof_share;
};
BenchRates rates_of(const bench::CellRecord& record, const bench::TimeSummary& time,
                    const bench::Roofs& roofs);

}  // namespace strobe::serve
