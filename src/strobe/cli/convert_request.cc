#include "strobe/cli/convert_request.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "strobe/cli/output.h"
#include "strobe/readers/run_reader.h"

namespace strobe::cli {
namespace {

constexpr std::string_view kParquetEnding = ".parquet";

constexpr Word<ConvertFormat> kConvertFormats[] = {{"json", ConvertFormat::kJson},
                                                   {"json.gz", ConvertFormat::kGzipJson},
                                                   {"json.zst", ConvertFormat::kZstdJson},
                                                   {"columns", ConvertFormat::kColumns},
                                                   {"parquet", ConvertFormat::kParquet}};

std::optional<ConvertFormat> format_by_ending(std::string_view path) {
  for (const ConvertFormat format : {ConvertFormat::kGzipJson, ConvertFormat::kZstdJson,
                                     ConvertFormat::kJson, ConvertFormat::kColumns}) {
    const std::string_view ending = ending_of(format);
    if (path.size() > ending.size() &&
        equal_ignoring_case(path.substr(path.size() - ending.size()), ending)) {
      return format;
    }
  }
  return std::nullopt;
}

bool names_a_folder(const std::string& path) {
  std::error_code ignored;
  return path.ends_with('/') || std::filesystem::is_directory(path, ignored);
}

// "trace.parquet/", and also without the slash: a single file cannot hold all tables.
bool names_parquet(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path.size() >= kParquetEnding.size() &&
         equal_ignoring_case(std::string_view(path).substr(path.size() - kParquetEnding.size()),
                             kParquetEnding);
}

Result<ConvertFormat> choose_format(const ConvertRequest& request) {
  if (request.typed_format) return *request.typed_format;
  if (names_parquet(request.output)) return ConvertFormat::kParquet;
  if (request.is_folder) return ConvertFormat::kGzipJson;
  if (!is_replaced(request.output)) return ConvertFormat::kJson;
  if (const auto format = format_by_ending(request.output)) return *format;
  return bad_request(
      fmt::format("the ending of '{}' does not say which format to write", request.output),
      "--output",
      "end it with .json, .json.gz, .json.zst, .strobe-trace or .parquet, with / for a folder, or "
      "add --to");
}

std::string without_trace_endings(std::string name) {
  constexpr std::string_view kEndings[] = {".gz",    ".zst",    ".json",        ".pt.trace",
                                           ".trace", ".strobe", ".strobe-trace"};
  for (const std::string_view ending : kEndings) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
    }
  }
  return name;
}

}  // namespace

std::string_view ending_of(ConvertFormat format) {
  switch (format) {
    case ConvertFormat::kJson:
      return ".json";
    case ConvertFormat::kGzipJson:
      return ".json.gz";
    case ConvertFormat::kZstdJson:
      return ".json.zst";
    case ConvertFormat::kParquet:
      return kParquetEnding;
    case ConvertFormat::kColumns:
      break;
  }
  return ".strobe-trace";
}

Compression compression_of(ConvertFormat format) {
  switch (format) {
    case ConvertFormat::kGzipJson:
      return Compression::kGzip;
    case ConvertFormat::kZstdJson:
      return Compression::kZstd;
    case ConvertFormat::kJson:
    case ConvertFormat::kColumns:
    case ConvertFormat::kParquet:
      break;
  }
  return Compression::kNone;
}

std::vector<Flag> convert_flags(ConvertRequest& request) {
  std::vector<Flag> flags = {
      flag("-o, --output FILE",
           "write to FILE, whose ending says the format: .json, .json.gz, .json.zst or "
           ".strobe-trace (strobe's columns); with / at its end, or if it is one, FILE is a folder "
           "that gets one file per trace; - is stdout. A file is replaced when the new one is "
           "complete",
           to(request.output)),
      flag(
          "--to FORMAT",
          "json, json.gz, json.zst; columns, which open only with the version of strobe that wrote "
          "them: keep the original; or parquet, the tables of `strobe query` (default: what the "
          "ending of --output's FILE means; json.gz in a folder, json on stdout)",
          to_choice(request.typed_format, kConvertFormats)),
      flag("--[no-]lanes",
           "give slices that cross others of their thread a line of their own; without it viewers "
           "drop such slices (default: on)",
           to(request.use_lanes))};
  std::ranges::copy(load_flags(request.load), std::back_inserter(flags));
  return flags;
}

Result<void> complete_convert(ConvertRequest& request, const Arguments& arguments) {
  request.inputs = input_names(arguments.positionals);
  if (request.inputs.empty()) {
    return bad_request("no trace was given", "", "`strobe convert run/ -o trace.json.gz`");
  }
  if (request.output.empty()) {
    return bad_request("no output was given", "--output",
                       "`-o trace.json.gz`, `-o folder/`, or `-o -` for stdout");
  }
  request.is_folder = names_a_folder(request.output);
  STROBE_TRY(request.format, choose_format(request));
  if (request.format == ConvertFormat::kParquet) {
    if (request.output != "-" && (request.is_folder || is_replaced(request.output))) return {};
    return bad_request("Parquet is written to a folder only", "--output", "`-o trace.parquet/`");
  }
  if (request.format == ConvertFormat::kColumns && !request.is_folder &&
      !is_replaced(request.output)) {
    return bad_request("columns are written to a file only", "--to",
                       "`-o trace.strobe-trace`; on stdout there can be JSON");
  }
  return {};
}

TraceNames::TraceNames(const std::vector<std::string>& paths) : paths_(paths) {
  std::set<std::optional<std::int32_t>> seen;
  for (const std::string& path : paths) {
    named_.push_back(readers::rank_files_of(path).rank);
    seen.insert(named_.back());
  }
  const bool are_distinct = seen.size() == paths.size() && !seen.contains(std::nullopt);
  if (!are_distinct) named_.assign(paths.size(), std::nullopt);
}

TraceName TraceNames::next(std::optional<std::int32_t> recorded) {
  const std::size_t at = next_++;
  const auto is_free = [&](const std::string& file) {
    return std::ranges::find(taken_, file) == taken_.end();
  };
  TraceName name;
  name.rank = named_[at] ? named_[at] : recorded;
  if (name.rank && is_free(fmt::format("rank{}", *name.rank))) {
    name.file = fmt::format("rank{}", *name.rank);
    name.label = fmt::format("rank {}", *name.rank);
  } else {
    const std::string own =
        without_trace_endings(std::filesystem::path(paths_[at]).filename().string());
    name.rank = std::nullopt;
    name.file = own;
    for (int i = 2; !is_free(name.file); ++i) name.file = fmt::format("{}-{}", own, i);
    name.label = name.file;
  }
  taken_.push_back(name.file);
  return name;
}

}  // namespace strobe::cli
