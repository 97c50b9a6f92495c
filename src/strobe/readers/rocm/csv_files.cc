#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/readers/folder_files.h"
#include "strobe/readers/rocm/csv_rows.h"
#include "strobe/readers/rocm/csv_table.h"
#include "strobe/readers/rocm/rocm_formats.h"
#include "strobe/readers/sniff.h"

// The tables of rocprof, each a trace by itself, and the tables of one recording, which rocprofv3
// writes side by side: PREFIX_kernel_trace.csv, PREFIX_hip_api_trace.csv, ...
namespace strobe::readers {
namespace {

namespace fs = std::filesystem;

// A list of agents alone shows nothing.
bool is_csv_trace(const TraceInput& input) {
  const RocmTable table = sniff_rocm_table(input.first());
  return table != RocmTable::kNone && table != RocmTable::kAgents;
}

Result<bool> add_file(const TraceInput& input, CsvRows& rows) {
  STROBE_TRY(const std::unique_ptr<ByteStream> stream, input.stream());
  CsvRecords records(*stream);
  return rows.add_table(records);
}

Result<void> read_csv(const TraceInput& input, TraceSink& sink) {
  sink.expect(input.file_bytes());
  sink.report.text_bytes = 0;
  WorkRows work(sink, "rocprof");
  CsvRows rows(work);
  STROBE_TRY(const bool is_done, add_file(input, rows));
  if (!is_done) return sink.why_stopped();
  rows.finish();
  return {};
}

constexpr std::array<std::string_view, 12> kDomains = {
    "_kernel_trace",      "_memory_copy_trace",  "_memory_allocation_trace", "_hip_api_trace",
    "_hsa_api_trace",     "_marker_api_trace",   "_rccl_api_trace",          "_rocdecode_api_trace",
    "_rocjpeg_api_trace", "_counter_collection", "_scratch_memory_trace",    "_agent_info",
};

// What the names of one recording's tables have in common.
std::string prefix_of(const fs::path& path) {
  std::string name = path.filename().string();
  if (const std::size_t ending = name.find(".csv"); ending != std::string::npos) {
    name.resize(ending);
  }
  for (const std::string_view domain : kDomains) {
    if (name.ends_with(domain)) return name.substr(0, name.size() - domain.size());
    if (name == domain.substr(1)) return "";
  }
  return name;
}

struct TableFile {
  RocmTable table = RocmTable::kNone;
  fs::path path;
  std::string prefix;
  std::uint64_t bytes = 0;
};

// The tables of a folder, in the order in which they are read: what others refer to comes first,
// counters before kernels.
std::vector<TableFile> tables_in(const fs::path& folder) {
  std::vector<TableFile> files;
  for (const fs::path& path : files_in(folder)) {
    if (path.filename().string().find(".csv") == std::string::npos) continue;
    const auto input = TraceInput::open(path);
    if (!input) continue;
    const RocmTable table = sniff_rocm_table(input->first());
    if (table == RocmTable::kNone) continue;
    files.push_back({table, path, prefix_of(path), input->file_bytes()});
  }
  const auto rank = [](const TableFile& file) {
    if (file.table == RocmTable::kAgents) return 0;
    return file.table == RocmTable::kCounterRows ? 1 : 2;
  };
  std::ranges::stable_sort(files, {}, rank);
  return files;
}

std::vector<std::string> prefixes_of(const std::vector<TableFile>& files) {
  std::vector<std::string> prefixes;
  for (const TableFile& file : files) {
    if (file.table != RocmTable::kAgents) prefixes.push_back(file.prefix);
  }
  std::ranges::sort(prefixes);
  prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
  return prefixes;
}

// "7_results.json" beside "7_kernel_trace.csv", "results.db" beside "results.csv": one recording
// may be written in several formats.
bool is_of_recording(const fs::path& file, const std::string& prefix) {
  const std::string name = file.filename().string();
  return name.starts_with(prefix + ".") || name.starts_with(prefix + "_results.") ||
         (prefix.empty() && name.starts_with("results."));
}

bool is_csv_folder(const fs::path& folder) {
  const std::vector<TableFile> tables = tables_in(folder);
  const std::vector<std::string> prefixes = prefixes_of(tables);
  const auto is_foreign = [&](const fs::path& file) {
    return std::ranges::find(tables, file, &TableFile::path) == tables.end() &&
           std::ranges::none_of(prefixes, [&](auto& one) { return is_of_recording(file, one); }) &&
           is_trace(file);
  };
  return !prefixes.empty() && std::ranges::none_of(files_in(folder), is_foreign);
}

std::vector<fs::path> paths_of(const std::vector<TableFile>& tables) {
  std::vector<fs::path> paths;
  for (const TableFile& table : tables) paths.push_back(table.path);
  return paths;
}

std::vector<fs::path> csv_files_of(const fs::path& folder) {
  const std::vector<TableFile> tables = tables_in(folder);
  return prefixes_of(tables).size() == 1 ? paths_of(tables) : std::vector<fs::path>();
}

Error several_recordings(const fs::path& folder, const std::vector<std::string>& prefixes,
                         const std::vector<TableFile>& files) {
  constexpr std::size_t kMostShown = 6;
  std::string names;
  for (std::size_t i = 0; i < std::min(prefixes.size(), kMostShown); ++i) {
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", excerpt(prefixes[i]));
  }
  if (prefixes.size() > kMostShown)
    names += fmt::format(" and {} more", prefixes.size() - kMostShown);
  const auto kernels = std::ranges::find(files, RocmTable::kKernels, &TableFile::table);
  const TableFile& example = kernels == files.end() ? files.back() : *kernels;
  return {ErrorCode::kMalformed,
          fmt::format("the folder holds the tables of {} recordings: {}", prefixes.size(), names),
          folder.string(),
          fmt::format("move the files of each into a folder of its own, or give one table: {}",
                      example.path.string())};
}

Result<LoadedTrace> read_csv_folder(const fs::path& folder, const LoadOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<TableFile> files = tables_in(folder);
  const std::vector<std::string> prefixes = prefixes_of(files);
  if (prefixes.size() > 1) return several_recordings(folder, prefixes, files);
  std::uint64_t bytes = 0;
  for (const TableFile& file : files) bytes += file.bytes;
  TraceSink sink(options, bytes);
  sink.expect(bytes);
  sink.report.text_bytes = 0;
  WorkRows work(sink, "rocprof");
  CsvRows rows(work);
  for (const TableFile& file : files) {
    STROBE_TRY(const TraceInput input, TraceInput::open(file.path));
    STROBE_TRY(const bool is_done, in_file(add_file(input, rows), file.path.string()));
    if (!is_done) return in_file(sink.why_stopped(), folder.string());
  }
  rows.finish();
  LoadedTrace loaded;
  loaded.path = folder.string();
  loaded.trace = sink.finish();
  loaded.report = std::move(sink.report);
  report_unread_files({folder}, paths_of(files), loaded.report);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  loaded.stages.push_back({"read", elapsed.count()});
  return loaded;
}

}  // namespace

const FileFormat kRocprofCsv{"rocprof CSV", is_csv_trace, read_csv};
const FolderFormat kRocprofCsvFolder{.name = "rocprofv3 CSV",
                                     .owns_folders = false,
                                     .recognises = is_csv_folder,
                                     .files = csv_files_of,
                                     .read = read_csv_folder};

}  // namespace strobe::readers
