#include "strobe/serve/bench_panels.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace strobe::serve {
namespace {

using bench::Shape;

constexpr std::size_t kMostColumns = 64;  // more is no table any more

struct AxisWords {
  std::size_t dims = 0;
  const char* row = "";
  const char* column = "";
};
constexpr AxisWords kTables[] = {{2, "dim0", "dim1"}, {3, "M", "N"}, {4, "batch", "sequence"}};

std::string title_of(const Shape& shape) {
  if (shape.dims.size() == 3) return fmt::format("K {}", shape[2]);
  if (shape.dims.size() == 4) return fmt::format("{} heads, head dimension {}", shape[2], shape[3]);
  return "";
}

BenchPanel list_of(std::span<const Shape> shapes) {
  BenchPanel panel;
  panel.row_axis = "shape";
  panel.columns = {""};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    panel.rows.push_back(shape_text(shapes[i]));
    panel.cells.push_back({i});
  }
  return panel;
}

using Members = std::vector<std::size_t>;  // indices of shapes

std::vector<std::string> texts_of(const std::set<std::int64_t>& values) {
  std::vector<std::string> texts;
  for (const std::int64_t value : values) texts.push_back(fmt::format("{}", value));
  return texts;
}

std::size_t place_of(const std::set<std::int64_t>& values, std::int64_t value) {
  return static_cast<std::size_t>(std::distance(values.begin(), values.find(value)));
}

BenchPanel table_of(std::span<const Shape> shapes, const Members& members, const AxisWords& words) {
  std::set<std::int64_t> rows;
  std::set<std::int64_t> columns;
  for (const std::size_t i : members) {
    rows.insert(shapes[i][0]);
    columns.insert(shapes[i][1]);
  }
  BenchPanel panel{
      title_of(shapes[members[0]]), words.row, words.column, texts_of(rows), texts_of(columns), {}};
  panel.cells.assign(rows.size(),
                     std::vector<std::optional<std::size_t>>(columns.size(), std::nullopt));
  for (const std::size_t i : members) {
    panel.cells[place_of(rows, shapes[i][0])][place_of(columns, shapes[i][1])] = i;
  }
  return panel;
}

// A few shapes picked by hand fill no table.
bool is_table(const BenchPanel& panel, std::size_t shapes) {
  return panel.columns.size() <= kMostColumns &&
         panel.rows.size() * panel.columns.size() <= 4 * shapes;
}

}  // namespace

std::vector<BenchPanel> panels_of(std::span<const Shape> shapes) {
  if (shapes.empty()) return {};
  const std::size_t dims = shapes[0].dims.size();
  const auto words = std::ranges::find(kTables, dims, &AxisWords::dims);
  const bool is_uniform =
      std::ranges::all_of(shapes, [&](const Shape& shape) { return shape.dims.size() == dims; });
  if (words == std::end(kTables) || !is_uniform) return {list_of(shapes)};
  std::map<std::vector<std::int64_t>, Members> groups;  // by what is left beyond two axes
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    groups[{shapes[i].dims.rbegin(), shapes[i].dims.rend() - 2}].push_back(i);
  }
  const bool is_mostly_titles = groups.size() > 1 && 2 * groups.size() > shapes.size();
  if (is_mostly_titles) return {list_of(shapes)};
  std::vector<BenchPanel> panels;
  for (const auto& [rest, members] : groups) {
    panels.push_back(table_of(shapes, members, *words));
    if (!is_table(panels.back(), members.size())) return {list_of(shapes)};
  }
  return panels;
}

}  // namespace strobe::serve
