#include "strobe/analysis/headroom/kernel_layers.h"

#include <algorithm>
#include <cmath>

#include "strobe/analysis/headroom/longest_repetition.h"
#include "strobe/stats/moments.h"

namespace strobe::analysis {
namespace {

constexpr double kOddDeviations = 3;
// Layers that hardly differ have a deviation of hardly anything: less than this is never odd.
constexpr double kOddShare = 0.005;
constexpr std::size_t kLeastPart = 4;  // of all rows: a shorter repetition is chance, no structure

std::vector<std::size_t> odd_ones(const std::vector<std::int64_t>& layer_ns) {
  std::vector<double> lengths(layer_ns.begin(), layer_ns.end());
  const double median = stats::median_of(lengths);
  std::vector<double> distances;
  distances.reserve(lengths.size());
  for (const double length : lengths) distances.push_back(std::abs(length - median));
  const double far =
      std::max(kOddDeviations * stats::median_of(distances), kOddShare * std::abs(median));
  std::vector<std::size_t> odd;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] > far) odd.push_back(i);
  }
  return odd;
}

// Blocks begin with the first normalisation of the repetition, unless that costs a whole block:
// then the list itself begins elsewhere, as a step of training does.
std::size_t first_block_row(std::span<const LayerRow> rows, const Repetition& repetition) {
  const std::size_t spare = repetition.length % repetition.period;
  for (std::size_t row = repetition.begin; row <= repetition.begin + spare; ++row) {
    if (rows[row].is_norm) return row;
  }
  return repetition.begin;
}

void add_up_layers(std::span<const LayerRow> rows, const Roofs& roofs, KernelLayers& layers) {
  const std::size_t begin = layers.prologue_rows;
  const std::size_t end = rows.size() - layers.epilogue_rows;
  layers.layer_ns.resize(layers.layers);
  layers.positions.resize(layers.rows_per_layer);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const KernelSample& sample = rows[row].sample;
    if (row < begin || row >= end) {
      (row < begin ? layers.prologue : layers.epilogue).add(sample, roofs);
      continue;
    }
    layers.inside.add(sample, roofs);
    layers.layer_ns[(row - begin) / layers.rows_per_layer] += sample.latency_ns;
    layers.positions[(row - begin) % layers.rows_per_layer].add(sample, roofs);
  }
}

}  // namespace

std::optional<KernelLayers> find_layers(std::span<const LayerRow> rows, const Roofs& roofs) {
  std::vector<std::uint32_t> names;
  names.reserve(rows.size());
  for (const LayerRow& row : rows) names.push_back(row.name);
  const std::optional<Repetition> repetition = longest_repetition(names);
  if (!repetition || repetition->length < rows.size() / kLeastPart) return {};

  KernelLayers layers;
  layers.prologue_rows = first_block_row(rows, *repetition);
  layers.rows_per_layer = repetition->period;
  const std::size_t left = repetition->begin + repetition->length - layers.prologue_rows;
  layers.layers = left / repetition->period;
  layers.epilogue_rows = rows.size() - layers.prologue_rows - layers.layers * layers.rows_per_layer;
  add_up_layers(rows, roofs, layers);
  layers.odd_layers = odd_ones(layers.layer_ns);
  return layers;
}

}  // namespace strobe::analysis
