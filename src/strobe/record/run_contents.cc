#include "strobe/record/run_contents.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/file.h"
#include "strobe/base/text.h"
#include "strobe/record/folder_entries.h"
#include "strobe/record/run_parts.h"
#include "strobe/wire/run_file_chunks.h"
#include "strobe/wire/run_settings.h"

namespace strobe::record {

namespace fs = std::filesystem;

namespace {

using wire::ChunkKind;
using wire::NoteWhat;

// Reads the chunks that say something about the file.
class ContentsReader {
 public:
  explicit ContentsReader(FileContents& contents) : contents_(contents) {}

  void add(const wire::Chunk& chunk) {
    const auto kind = static_cast<std::size_t>(chunk.header.kind);
    if (kind < contents_.rows.size()) contents_.rows[kind] += chunk.header.rows;
    switch (chunk.header.kind) {
      case ChunkKind::kSegment:
        texts_.clear();
        break;
      case ChunkKind::kTexts:
        add_texts(chunk);
        break;
      case ChunkKind::kFacts:
        add_facts(wire::decode_texts(chunk));
        break;
      case ChunkKind::kNotes:
        add_notes(chunk);
        break;
      default:
        break;
    }
  }

 private:
  // A chunk that was lost leaves its numbers without texts.
  void add_texts(const wire::Chunk& chunk) {
    std::uint64_t number = chunk.header.first_row;
    for (const std::string_view text : wire::decode_texts(chunk)) texts_[number++] = text;
  }

  void add_facts(const std::vector<std::string_view>& texts) {
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
      contents_.facts.insert_or_assign(std::string(texts[i]), std::string(texts[i + 1]));
    }
  }

  void add_notes(const wire::Chunk& chunk) {
    if (!wire::decode_columns(chunk, columns_)) return;
    for (std::uint32_t row = 0; row < chunk.header.rows; ++row) {
      const auto what = static_cast<NoteWhat>(columns_[wire::kNoteWhat][row]);
      const std::uint64_t number = columns_[wire::kNoteText][row];
      const auto found = texts_.find(number);
      const std::string text(found == texts_.end() ? std::string_view{} : found->second);
      const auto known = std::ranges::find_if(contents_.notes, [&](const FileNote& note) {
        return note.what == what && note.text == text;
      });
      const std::uint64_t count = columns_[wire::kNoteCount][row];
      // A device's error has a code, which cannot be added up.
      if (known == contents_.notes.end()) {
        contents_.notes.push_back({what, count, text});
      } else if (what != NoteWhat::kDeviceError) {
        known->count += count;
      }
    }
  }

  FileContents& contents_;
  std::unordered_map<std::uint64_t, std::string_view> texts_;  // of the segment, in the mapped file
  wire::Columns columns_;
};

bool is_process_file(const std::string& name) {
  return name.ends_with(wire::kRunFileSuffix) && !name.starts_with(wire::kHostFilePrefix) &&
         name.find(wire::kProcessFilePrefix) != std::string::npos;
}

// Its beginning tells so: the files of other ranks may be large.
bool is_of_other(const fs::path& file, std::optional<std::int64_t> recorder) {
  if (!recorder) return false;
  const std::string owner = recorder_in(file);
  return !owner.empty() && owner != std::to_string(*recorder);
}

// A source is missing, from the start or from here on.
bool is_obstacle(NoteWhat what) {
  return what == NoteWhat::kNoLibrary || what == NoteWhat::kOtherTool ||
         what == NoteWhat::kRefused || what == NoteWhat::kNotPermitted;
}

// Why device work is missing from a file that tells so; "" if it is whole.
std::string obstacle_in(const FileContents& file) {
  for (const FileNote& note : file.notes) {
    if (is_obstacle(note.what)) return note.text;
    if (note.what == NoteWhat::kDropped) {
      return fmt::format("{} lost for want of room", counted(note.count, "record"));
    }
  }
  return "";
}

SourceReport missing_source(std::string name, std::string why) {
  return {.name = std::move(name), .state = SourceState::kMissing, .why = std::move(why)};
}

SourceReport judge_device_work(const std::vector<FileContents>& files,
                               const DeviceConditions& conditions) {
  constexpr char kName[] = "gpu_work";
  if (!conditions.was_started) {
    return missing_source(kName,
                          "the program was running already, and GPU work is recorded only if "
                          "`strobe record` starts the program");
  }
  if (!conditions.no_library.empty()) return missing_source(kName, conditions.no_library);
  const bool has_work = std::ranges::any_of(files, &FileContents::has_device_work);
  for (const FileContents& file : files) {
    const std::string why = obstacle_in(file);
    if (why.empty()) continue;
    return {.name = kName,
            .state = has_work ? SourceState::kPartly : SourceState::kMissing,
            .why = why};
  }
  if (has_work) return {.name = kName};
  if (!conditions.no_driver.empty()) return missing_source(kName, conditions.no_driver);
  return {.name = kName, .why = "the program started no work on a GPU"};
}

SourceReport judge_ranges(const std::vector<FileContents>& files, const RunOptions& settings,
                          const SourceReport& work, const DeviceConditions& conditions) {
  constexpr char kName[] = "ranges";
  if (!settings.ranges) return missing_source(kName, "--gpu-only leaves them out");
  if (!conditions.was_started || !conditions.no_library.empty())
    return missing_source(kName, work.why);
  const bool has_ranges = std::ranges::any_of(
      files, [](const FileContents& file) { return file.rows_of(ChunkKind::kRanges) > 0; });
  return {.name = kName, .why = has_ranges ? "" : "the program made none"};
}

std::string sentence_of(const FileNote& note, const std::string& who) {
  switch (note.what) {
    case NoteWhat::kDropped:
      return fmt::format("{}: {} lost for want of room{}{}", who, counted(note.count, "record"),
                         note.text.empty() ? "" : ": ", note.text);
    case NoteWhat::kDiskFull:
      return fmt::format("{}: {} could not be written: the disk was full", who,
                         counted(note.count, "row"));
    case NoteWhat::kDeviceError:
      return note.text.empty() ? fmt::format("the device reported error {}", note.count)
                               : note.text;
    case NoteWhat::kNoLibrary:
    case NoteWhat::kOtherTool:
    case NoteWhat::kRefused:
    case NoteWhat::kNotPermitted:
    case NoteWhat::kForked:
      return fmt::format("{}: {}", who, note.text);
    case NoteWhat::kRemark:
      break;
  }
  return "";
}

}  // namespace

std::string FileContents::fact(const std::string& key) const {
  const auto found = facts.find(key);
  return found == facts.end() ? "" : found->second;
}

Result<FileContents> contents_of_file(const fs::path& file) {
  STROBE_TRY(const auto mapped, MappedFile::open(file.string()));
  const std::span<const char> bytes = mapped->bytes();
  FileContents contents;
  contents.name = file.filename().string();
  contents.bytes = bytes.size();
  ContentsReader reader(contents);
  wire::ChunkCursor cursor({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  while (const std::optional<wire::Chunk> chunk = cursor.next()) reader.add(*chunk);
  for (const wire::DamagedBytes& damage : cursor.damage()) contents.damaged_bytes += damage.bytes;
  return contents;
}

std::vector<FileContents> process_files(const fs::path& folder,
                                        std::optional<std::int64_t> recorder) {
  std::vector<FileContents> files;
  for (const fs::path& path : paths_in(folder)) {
    if (!is_process_file(path.filename().string()) || is_of_other(path, recorder)) continue;
    Result<FileContents> contents = contents_of_file(path);
    if (!contents || contents->facts.empty()) continue;
    const bool is_own =
        !recorder || contents->fact(wire::kFactRecorder) == std::to_string(*recorder);
    if (is_own) files.push_back(std::move(*contents));
  }
  return files;
}

RecordedFile recorded_file(const FileContents& contents) {
  RecordedFile file;
  file.process = parse_whole_number(contents.fact(wire::kFactProcess)).value_or(0);
  file.program = contents.fact(wire::kFactProgram);
  if (const auto rank = parse_whole_number(contents.fact(wire::kFactRank))) {
    file.rank = static_cast<int>(*rank);
  }
  file.name = contents.name;
  file.kernels = contents.rows_of(ChunkKind::kWork);
  file.copies = contents.rows_of(ChunkKind::kCopies);
  file.calls = contents.rows_of(ChunkKind::kCalls);
  file.ranges = contents.rows_of(ChunkKind::kRanges);
  file.bytes = contents.bytes;
  file.is_finished = contents.fact(wire::kFactFinished) == "1";
  return file;
}

std::vector<SourceReport> judge_device_sources(const std::vector<FileContents>& files,
                                               const RunOptions& settings,
                                               const DeviceConditions& conditions) {
  const SourceReport work = judge_device_work(files, conditions);
  SourceReport launches = {.name = "launches", .state = work.state, .why = work.why};
  if (settings.calls == CallChoice::kNone) {
    launches = missing_source("launches", "--gpu-only and --api none leave them out");
  }
  return {work, launches, judge_ranges(files, settings, work, conditions)};
}

std::vector<std::string> losses_in(const FileContents& contents, bool is_over) {
  const bool is_of_strobe = contents.name.starts_with(wire::kHostFilePrefix);
  const std::string who = is_of_strobe ? "strobe's samples"
                                       : fmt::format("{} ({})", contents.fact(wire::kFactProgram),
                                                     contents.fact(wire::kFactProcess));
  std::vector<std::string> losses;
  for (const FileNote& note : contents.notes) {
    // What strobe itself may not sample is told of its source; what it could not write, it knows.
    if (is_of_strobe && (is_obstacle(note.what) || note.what == NoteWhat::kDiskFull)) continue;
    if (std::string sentence = sentence_of(note, who); !sentence.empty()) {
      losses.push_back(std::move(sentence));
    }
  }
  if (contents.damaged_bytes > 0) {
    losses.push_back(fmt::format("{}: {} of {} are damaged", who,
                                 counted(contents.damaged_bytes, "byte"), contents.name));
  }
  if (is_over && !is_of_strobe && contents.fact(wire::kFactFinished) != "1") {
    losses.push_back(fmt::format(
        "{}: the process ended abruptly or still runs: its last records may be missing", who));
  }
  return losses;
}

}  // namespace strobe::record
