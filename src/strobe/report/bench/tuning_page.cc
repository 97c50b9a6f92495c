#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/report/bench/bench_choice.h"
#include "strobe/report/bench/bench_page.h"
#include "strobe/report/bench/cell_text.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using bench::TunedShape;

BenchCell whole_cell(std::int64_t number) {
  return {.text = fmt::format("{}", number), .value = static_cast<double>(number)};
}

std::string block_text(const TunedShape& tuned) {
  return fmt::format("{}x{}", tuned.block_x, tuned.block_y);
}

bool is_chosen(const TunedShape& tuned, const BenchChoice& choice) {
  return is_among(choice.devices, tuned.device) && is_among(choice.cases, tuned.case_id) &&
         (choice.shapes.empty() ||
          std::ranges::find(choice.shapes, tuned.shape) != choice.shapes.end());
}

// How often each was chosen, the most frequent first: "32x64 (9 of 24 shapes), 32x16 (8)".
template <class Text>
std::string ranking(const std::vector<TunedShape>& shapes, const Text& text_of) {
  std::map<std::string, std::size_t> counts;
  for (const TunedShape& tuned : shapes) ++counts[text_of(tuned)];
  std::vector<std::pair<std::string, std::size_t>> ranked(counts.begin(), counts.end());
  std::ranges::stable_sort(ranked, std::greater<>(), &std::pair<std::string, std::size_t>::second);
  std::vector<std::string> words;
  for (const auto& [text, count] : ranked) {
    words.push_back(words.empty()
                        ? fmt::format("{} ({} of {})", text, count, counted(shapes.size(), "shape"))
                        : fmt::format("{} ({})", text, count));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

Result<BenchPage> tuning_page(const bench::TunedShapes& tuned, const BenchChoice& choice) {
  std::vector<TunedShape> shapes;
  std::ranges::copy_if(tuned.shapes, std::back_inserter(shapes),
                       [&](const TunedShape& one) { return is_chosen(one, choice); });
  if (shapes.empty()) {
    return nothing_to_show("no shape of this file is of all that was asked for",
                           "leave out --shape, --device or --case");
  }
  BenchTable table;
  table.key = "tuning";
  table.title = "What a tuner chose";
  table.lead = "The fastest of the candidates that the harness tried, shape by shape.";
  table.corner = "case";
  table.columns = {{"device", "device", true}, {"shape", "shape", true},
                   {"block", "block", true},   {"warps", "warps"},
                   {"stages", "stages"},       {"shared_bytes", "shared"}};
  for (const TunedShape& one : shapes) {
    table.rows.push_back({one.case_id,
                          {{.text = one.device},
                           {.text = bench::shape_text(one.shape)},
                           {.text = block_text(one)},
                           whole_cell(one.warps),
                           whole_cell(one.stages),
                           {.text = amount_text(static_cast<double>(one.shared_bytes)),
                            .value = static_cast<double>(one.shared_bytes)}}});
  }
  table.notes = {
      fmt::format("blocks: {}", ranking(shapes, block_text)),
      fmt::format("warps: {}",
                  ranking(shapes, [](const TunedShape& one) { return std::to_string(one.warps); })),
      fmt::format("stages: {}", ranking(shapes, [](const TunedShape& one) {
                    return std::to_string(one.stages);
                  }))};
  BenchPage page;
  page.title = "strobe bench: what a tuner chose";
  page.tables = {std::move(table)};
  page.remarks = tuned.remarks;
  return page;
}

}  // namespace strobe::report
