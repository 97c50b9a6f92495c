#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/json_write.h"
#include "strobe/bench/judge/pair_table.h"
#include "strobe/bench/judge/ratio_checks.h"
#include "strobe/serve/json_members.h"

// Shared by several answers about benchmarks.
namespace strobe::serve {

// "roofs": bytes and operations per second.
void write_roofs(JsonWriter& json, const bench::Roofs& roofs);
// "mean": {"value", "cells"} or null.
void write_mean(JsonWriter& json, const bench::RatioGrid& grid);

// "shape": "64x128", and "dims": its axes.
void write_shape(JsonWriter& json, const bench::Shape& shape);
// "low" and "high", or nulls.
void write_interval(JsonWriter& json, const std::optional<std::array<double, 2>>& interval);
// "flags": their names.
void write_flags(JsonWriter& json, std::span<const bench::CellFlag> flags);

struct BenchRates {
  std::optional<double> bytes_per_s;  // from the least bytes
  std::optional<double> flop_per_s;
  std::optional<double> flop_per_byte;
  std::optional<double> copy_roof_share;
};
BenchRates rates_of(const bench::CellRecord& record, const bench::TimeSummary& time,
                    const bench::Roofs& roofs);

// Facts that a reader must know before reading a table, as sentences.
struct BenchAlert {
  std::string_view code;
  bool matters = true;  // else: worth a look
  std::string headline;
  std::string advice;
};

// Ratios that are 100 % from some cell on.
std::vector<BenchAlert> alerts_of(const bench::RatioGrid& grid);
// What the flags and states of a pair's cells mean together.
std::vector<BenchAlert> alerts_of(const bench::PairTable& table);
// Tables that contradict each other.
std::vector<BenchAlert> alerts_of(std::span<const bench::IdentityCheck> checks);

void write_alerts(JsonWriter& json, std::span<const BenchAlert> alerts);

}  // namespace strobe::serve
