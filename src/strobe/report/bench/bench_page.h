#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/judge/ratio_checks.h"
#include "strobe/bench/results/cell_record.h"
#include "strobe/bench/results/foreign_tables.h"
#include "strobe/bench/results/ratio_grid.h"
#include "strobe/report/render/document.h"

// Selects the tables and cells of a benchmark that are shown.
namespace strobe::report {

enum class BenchTableKind : std::uint8_t {
  kOverview,
  kRelative,
  kOverhead,
  kDevice,
  kAttention,
  kBandwidth,
  kTimes,
  kAccuracy,
  kRoofline,
  kMemory,
  kTraffic,
  kKernels,
  kApi,
  kFlags,
};
std::string_view table_name(BenchTableKind kind);  // "relative"
std::vector<std::string_view> table_names();
std::optional<BenchTableKind> find_table(std::string_view name);

// Names are exact; an empty list means all.
struct BenchChoice {
  std::vector<BenchTableKind> tables;  // empty: what this file has data for
  std::vector<std::string> versions;
  std::vector<std::string> devices;
  std::vector<std::string> cases;
  std::vector<std::string> dtypes;
  std::vector<bench::Shape> shapes;
  std::string baseline;                 // "": the default one
  std::vector<std::string> contenders;  // empty: all others
  std::optional<bench::TimeMode> mode;  // for ratios and rates; nothing: the headline
  std::string missing;                  // instead of OOM, ERR, n/a
  bool is_net = false;
};

// kTooLittleData if a requested table cannot be made from this file, with the tables that can.
Result<Document> grids_page(const bench::RatioGrids& grids, const BenchChoice& choice);
Result<Document> run_page(const bench::BenchRun& run, const BenchChoice& choice);
// Two runs of the same cells on two devices.
Result<Document> devices_page(const bench::BenchRun& run, const bench::BenchRun& other,
                              const BenchChoice& choice);

// A tuner's choices; only devices, cases and shapes of `choice` apply.
Result<Document> tuning_page(const bench::TunedShapes& tuned, const BenchChoice& choice);

// The provider that others are compared with: eager, else the unfused one, else the first that ran.
std::string usual_baseline(const std::vector<std::string>& providers);
std::vector<std::string> providers_of(const bench::BenchRun& run);  // in execution order

// Shared by the pages. An empty list means all.
bool is_among(const std::vector<std::string>& chosen, const std::string& name);
Error nothing_to_show(std::string_view what, std::string_view hint);
// The tables of a kind that is made of grids.
void add_grid_tables(Document& page, BenchTableKind kind,
                     const std::vector<bench::RatioGrid>& grids, std::string_view missing);
// Remarks on the file, and the results of the identity checks.
void end_page(Document& page, const std::vector<std::string>& remarks,
              const std::vector<bench::IdentityCheck>& laws = {});
Fact bench_fact(std::string label, std::string text);

}  // namespace strobe::report
