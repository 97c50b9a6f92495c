#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Tables as a folder of Parquet files, one per table: `kernels.parquet`, `slices.parquet`, ...
namespace strobe::query {

// Whether a folder holds tables that strobe wrote.
bool is_table_folder(const std::filesystem::path& folder);

std::string table_file(std::string_view table);  // "kernels.parquet"

// A text as SQL: 'it''s'.
std::string sql_quoted(std::string_view text);

// A folder, and what its rows say as `run` where the files' own words are taken by another folder.
struct TableFolder {
  std::filesystem::path path;
  std::string run = {};  // SQL; "": as written
};

// Files of the folders that are there.
std::vector<std::string> files_in(std::span<const TableFolder> folders);

// Statements that make each table a view over its files, and the table functions over `slices`.
std::vector<std::string> view_statements(std::span<const TableFolder> folders);

}  // namespace strobe::query
