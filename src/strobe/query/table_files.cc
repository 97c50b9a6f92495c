#include "strobe/query/table_files.h"

#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/query/query.h"

namespace strobe::query {
namespace {

bool is_file(const std::filesystem::path& path) {
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed);
}

}  // namespace

bool is_table_folder(const std::filesystem::path& folder) {
  return is_file(folder / table_file("traces")) && is_file(folder / table_file("slices"));
}

std::string table_file(std::string_view table) { return fmt::format("{}.parquet", table); }

std::string sql_quoted(std::string_view text) {
  std::string sql = "'";
  for (const char c : text) {
    if (c == '\'') sql += '\'';
    sql += c;
  }
  return sql + "'";
}

std::vector<std::string> files_in(std::span<const TableFolder> folders) {
  std::vector<std::string> files;
  for (const TableFolder& folder : folders) {
    for (const SchemaTable& table : schema()) {
      const std::filesystem::path file = folder.path / table_file(table.name);
      if (is_file(file)) files.push_back(file.string());
    }
  }
  return files;
}

std::vector<std::string> view_statements(std::span<const TableFolder> folders) {
  std::vector<std::string> statements;
  for (const SchemaTable& table : schema()) {
    std::vector<std::string> parts;
    for (const TableFolder& folder : folders) {
      const std::filesystem::path file = folder.path / table_file(table.name);
      if (!is_file(file)) continue;  // an older strobe did not have it
      const std::string replaced =
          folder.run.empty() ? "" : fmt::format(" replace ({} as run)", folder.run);
      parts.push_back(
          fmt::format("select *{} from read_parquet({})", replaced, sql_quoted(file.string())));
    }
    if (parts.empty()) continue;
    statements.push_back(
        fmt::format("create view {} as {}", table.name, fmt::join(parts, " union all by name ")));
  }
  statements.emplace_back(
      "create macro slices_between(t0, t1) as table "
      "select * from slices where start < t1 and (stop > t0 or start = t0)");
  statements.emplace_back(
      "create macro slices_of(wanted) as table select * from slices where name = wanted");
  return statements;
}

}  // namespace strobe::query
