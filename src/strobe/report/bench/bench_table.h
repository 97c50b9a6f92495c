#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strobe/bench/judge/flat_line.h"
#include "strobe/bench/judge/identities.h"
#include "strobe/bench/results/ratio_grid.h"

// Benchmarks as tables: what stands in a cell, before anybody has chosen a format.
namespace strobe::report {

enum class BenchMark : std::uint8_t {
  kPlain,
  kSame,     // both sides ran the same kernels: shown with '='
  kWrong,    // its values are not the reference's: struck out
  kMissing,  // OOM, ERR, n/a
};

struct BenchCell {
  std::string text;
  std::optional<double> value = {};
  BenchMark mark = BenchMark::kPlain;
  std::optional<double> percent = {};  // of 100: how a heat map colours it
  std::string title = {};              // what else is known: an interval, a reason
  std::string word = {};               // what tools read instead of the text: "near_floor"
};

struct BenchColumn {
  std::string key;     // for tools
  std::string header;  // for people
  bool is_text = false;
};

struct BenchRow {
  std::string label;
  std::vector<BenchCell> cells;
};

struct BenchTable {
  std::string key;  // "relative", "roofline"
  std::string title;
  std::string lead = {};    // how to read it
  std::string corner = {};  // above the labels: "dim0 \ dim1"
  std::vector<BenchColumn> columns = {};
  std::vector<BenchRow> rows = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> warnings = {};
  std::vector<bench::RatioGrid> grids = {};  // what it shows, of tables of ratios and rates
  std::optional<bench::FlatLine> flat_line = {};
};

struct BenchFigure {
  std::string title;
  std::string caption;
  std::string svg;
};

struct BenchPage {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts = {};  // "device": "NVIDIA H200"
  std::vector<BenchTable> tables = {};
  std::vector<bench::IdentityCheck> identities = {};
  std::vector<BenchFigure> figures = {};
  std::vector<std::string> remarks = {};  // of reading the file
};

// What a law of ratios says of the tables; a violation is a warning, its absence a note.
std::string identity_text(const bench::IdentityCheck& check);

}  // namespace strobe::report
