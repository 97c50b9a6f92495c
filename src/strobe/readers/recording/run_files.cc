#include "strobe/readers/recording/run_files.h"

#include <algorithm>
#include <limits>
#include <span>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/file.h"
#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/readers/recording/recorded_file.h"
#include "strobe/wire/run_file_chunks.h"
#include "strobe/wire/run_settings.h"

namespace strobe::readers {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostManifestBytes = 16 << 20;

std::string first_bytes_of(const fs::path& path, std::size_t most) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};  // a pipe gives its bytes only once
  const Result<File> file = File::open(path.string());
  if (!file || !file->is_seekable()) return {};
  std::string bytes(most, '\0');
  const Result<std::size_t> read = file->read_at(0, bytes);
  bytes.resize(read ? *read : 0);
  return bytes;
}

bool is_file_of_samples(const fs::path& path) {
  return path.filename().string().starts_with(wire::kHostFilePrefix);
}

std::optional<std::int32_t> rank_of(const RecordedFile& file) {
  const std::optional<std::int64_t> rank = file.number_fact(wire::kFactRank);
  if (!rank || *rank < 0 || *rank > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<std::int32_t>(*rank);
}

// Of the first chunk of each kind: later ones are later.
std::int64_t first_time_in(const RecordedFile& file) {
  using wire::ChunkKind;
  constexpr std::pair<ChunkKind, std::size_t> kStarts[] = {
      {ChunkKind::kWork, wire::kWorkStart},     {ChunkKind::kCopies, wire::kCopyStart},
      {ChunkKind::kCalls, wire::kCallStart},    {ChunkKind::kRanges, wire::kRangeStart},
      {ChunkKind::kSamples, wire::kSampleTime},
  };
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::int64_t first = kNever;
  ImportReport ignored;
  for (const auto& [kind, column] : kStarts) {
    file.for_each_block(kind, ignored, [&, start = column](const DecodedRows& rows) {
      for (std::size_t row = 0; row < rows.rows; ++row) {
        first = std::min(first, rows.time(start, row));
      }
      return false;
    });
  }
  return first == kNever ? 0 : first;
}

// What a file says in its first bytes. Facts come first.
template <class Function>
auto read_beginning(const fs::path& path, std::size_t most_bytes, Function f)
    -> std::optional<decltype(f(std::declval<const RecordedFile&>()))> {
  const auto mapped = MappedFile::open(path.string());
  if (!mapped) return std::nullopt;
  const std::span<const char> bytes = (*mapped)->bytes();
  ImportReport ignored;
  const auto file =
      RecordedFile::take_apart(bytes.first(std::min(bytes.size(), most_bytes)), ignored);
  if (!file) return std::nullopt;
  return f(*file);
}

std::optional<RunTraceFile> describe_trace(const fs::path& path) {
  constexpr std::size_t kFirstRows = 4 << 20;  // more than a chunk
  return read_beginning(path, kFirstRows, [&](const RecordedFile& file) {
    return RunTraceFile{.path = path, .rank = rank_of(file), .start_ns = first_time_in(file)};
  });
}

// What a flight recorder keeps while its program runs.
bool has_parts(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    if (path.extension().string().starts_with(wire::kPartSuffix) &&
        path.stem().extension() == wire::kRunFileSuffix) {
      return true;
    }
  }
  return false;
}

bool is_of_recorder(std::string_view recording, std::optional<std::int64_t> recorder) {
  return !recorder || find(recording, "recorder").as_int64() == recorder;
}

}  // namespace

bool is_run_file(const fs::path& path) {
  return wire::begins_like_run_file(first_bytes_of(path, sizeof wire::kChunkMagic));
}

RunFiles find_run_files(const fs::path& folder) {
  RunFiles files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    if (path.extension() != wire::kRunFileSuffix || !is_run_file(path)) continue;
    (is_file_of_samples(path) ? files.samples : files.processes).push_back(path);
  }
  std::ranges::sort(files.samples);
  std::ranges::sort(files.processes);
  return files;
}

std::set<std::int64_t> process_ids(const std::vector<fs::path>& files) {
  constexpr std::size_t kFacts = 64 << 10;
  std::set<std::int64_t> ids;
  for (const fs::path& path : files) {
    const auto id = read_beginning(path, kFacts, [](const RecordedFile& file) {
      return file.number_fact(wire::kFactProcess);
    });
    if (id && *id) ids.insert(**id);
  }
  return ids;
}

std::vector<RunTraceFile> traces_of_run(const RunFiles& files) {
  std::vector<RunTraceFile> traces;
  for (const fs::path& path : files.processes.empty() ? files.samples : files.processes) {
    if (std::optional<RunTraceFile> trace = describe_trace(path)) {
      traces.push_back(*std::move(trace));
    }
  }
  const auto is_empty = [](const RunTraceFile& trace) { return trace.start_ns == 0; };
  if (!std::ranges::all_of(traces, is_empty)) std::erase_if(traces, is_empty);
  std::ranges::sort(traces, {}, [](const RunTraceFile& trace) {
    return std::tuple(!trace.rank.has_value(), trace.rank.value_or(0), trace.start_ns, trace.path);
  });
  return traces;
}

bool is_run_folder(const fs::path& folder) {
  const std::string manifest = first_bytes_of(folder / wire::kRunManifest, 4096);
  return manifest.find("\"strobe_run\"") != std::string::npos;
}

std::vector<fs::path> numbered_runs(const fs::path& folder) {
  std::vector<std::pair<std::int64_t, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const auto number = parse_whole_number(at->path().filename().string());
    if (number && is_run_folder(at->path())) found.emplace_back(*number, at->path());
  }
  std::ranges::sort(found);
  std::vector<fs::path> runs;
  for (auto& [number, path] : found) runs.push_back(std::move(path));
  return runs;
}

Error several_runs(const fs::path& folder, const std::vector<fs::path>& runs) {
  const std::string first = runs.front().filename().string();
  const std::string last = runs.back().filename().string();
  return {ErrorCode::kMalformed,
          runs.size() == 1 ? fmt::format("the folder holds a run in '{}', not a trace", first)
                           : fmt::format("the folder holds {} runs, '{}' to '{}', not one",
                                         runs.size(), first, last),
          folder.string(), fmt::format("give one of them: '{}'", runs.front().string())};
}

Error no_files_yet(const fs::path& folder) {
  if (has_parts(folder)) {
    return {ErrorCode::kNotFound, "the run has only the parts of a flight recorder",
            folder.string(),
            "`strobe record dump PID` writes a run that can be opened while the recorder runs; if "
            "it was "
            "killed, `strobe record dump RUN` makes a run of them"};
  }
  return {ErrorCode::kNotFound, "the recorded run has no files yet", folder.string(),
          "has the recording started only now, or was it removed?"};
}

std::vector<MissingSource> missing_sources_in(std::string_view manifest,
                                              std::optional<std::int64_t> recorder) {
  std::vector<MissingSource> missing;
  for_each_element(find(manifest, "recordings").text, [&](const JsonValue& recording) {
    if (!is_of_recorder(recording.text, recorder)) return;
    for_each_element(find(recording.text, "sources").text, [&](const JsonValue& source) {
      const std::string state = find(source.text, "state").as_string();
      if (state != "missing" && state != "partly") return;
      missing.push_back(
          {find(source.text, "name").as_string(), find(source.text, "why").as_string()});
    });
  });
  return missing;
}

std::vector<MissingSource> missing_sources(const fs::path& folder,
                                           std::optional<std::int64_t> recorder) {
  return missing_sources_in(first_bytes_of(folder / wire::kRunManifest, kMostManifestBytes),
                            recorder);
}

}  // namespace strobe::readers
