#include "strobe/record/run_manifest.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"
#include "strobe/base/version.h"
#include "strobe/wire/run_settings.h"

namespace strobe::record {
namespace {

constexpr int kManifestVersion = 1;

template <class Value>
void put_or_null(JsonWriter& json, std::string_view name, const std::optional<Value>& value) {
  json.key(name);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

std::string_view state_word(SourceState state) {
  switch (state) {
    case SourceState::kMissing:
      return "missing";
    case SourceState::kPartly:
      return "partly";
    case SourceState::kRecorded:
      break;
  }
  return "recorded";
}

void put_settings(JsonWriter& json, const RunOptions& settings) {
  json.key("settings").begin_object();
  json.member("calls", word_of(settings.calls));
  json.member("graphs", settings.graph_nodes ? "nodes" : "launches");
  json.member("ranges", settings.ranges).member("torch", settings.torch);
  put_or_null(json, "every_ms", settings.every_ms);
  put_or_null(json, "for_ms", settings.for_ms);
  put_or_null(json, "last_ms", settings.last_ms);
  json.end_object();
}

void put_devices(JsonWriter& json, const std::vector<RecordedDevice>& devices) {
  json.key("devices").begin_array();
  for (const RecordedDevice& device : devices) {
    json.begin_object().member("index", device.index).member("name", device.name);
    json.member("uuid", device.uuid).member("memory_bytes", device.memory_bytes);
    json.member("sm_clock_mhz", device.sm_clock_mhz);
    json.member("memory_clock_mhz", device.memory_clock_mhz).end_object();
  }
  json.end_array();
}

void put_sources(JsonWriter& json, const std::vector<SourceReport>& sources) {
  json.key("sources").begin_array();
  for (const SourceReport& source : sources) {
    json.begin_object().member("name", source.name).member("state", state_word(source.state));
    json.member("why", source.why).end_object();
  }
  json.end_array();
}

void put_files(JsonWriter& json, const std::vector<RecordedFile>& files) {
  json.key("processes").begin_array();
  for (const RecordedFile& file : files) {
    json.begin_object().member("pid", file.process).member("program", file.program);
    put_or_null(json, "rank", file.rank);
    json.member("file", file.name).member("kernels", file.kernels);
    json.member("copies", file.copies).member("calls", file.calls);
    json.member("ranges", file.ranges).member("bytes", file.bytes);
    json.member("finished", file.is_finished).end_object();
  }
  json.end_array();
}

void put_ending(JsonWriter& json, const std::optional<Ending>& ending) {
  const bool has_code = ending && ending->signal == 0;
  const bool has_signal = ending && ending->signal != 0;
  put_or_null(json, "exit_code", has_code ? std::optional(ending->exit_code) : std::nullopt);
  put_or_null(json, "signal", has_signal ? std::optional(ending->signal) : std::nullopt);
}

// With --redact, words of the command are hashes.
void put_command(JsonWriter& json, const std::vector<std::string>& command, bool redact) {
  json.key("command").begin_array();
  for (const std::string& word : command) json.value(redact ? hashed_name(word) : word);
  json.end_array();
}

std::optional<int> small_number(const JsonValue& value) {
  const std::optional<std::int64_t> number = value.as_int64();
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

ManifestEntry entry_of(const JsonValue& value) {
  const auto member = [&](std::string_view name) { return find(value.text, name); };
  ManifestEntry entry;
  entry.is_finished = member("state").as_string() == "finished";
  entry.recorder = member("recorder").as_int64().value_or(0);
  if (const auto ticks = member("recorder_start_ticks").as_int64(); ticks && *ticks >= 0) {
    entry.recorder_start_ticks = static_cast<std::uint64_t>(*ticks);
  }
  entry.host = member("host").as_string();
  entry.job.key = member("job").as_string();
  entry.job.rank = small_number(member("rank"));
  entry.job.world_size = small_number(member("world_size"));
  entry.job.restart = small_number(member("restart")).value_or(0);
  entry.is_flight_recorder = find(member("settings").text, "last_ms").type == JsonType::kNumber;
  entry.json = value.text;
  return entry;
}

Error cannot_replace(const std::filesystem::path& path, int error) {
  return {.code = ErrorCode::kCannotWrite,
          .what = error == ENOSPC || error == EDQUOT || error == EFBIG ? "the disk is full"
                                                                       : std::strerror(error),
          .where = path.string(),
          .hint = ""};
}

bool write_bytes(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string_view word_of(CallChoice calls) {
  switch (calls) {
    case CallChoice::kAll:
      return "all";
    case CallChoice::kNone:
      return "none";
    case CallChoice::kLaunches:
      break;
  }
  return "launches";
}

std::string recording_json(const Recording& recording) {
  std::string text;
  JsonWriter json(text);
  const bool redact = recording.settings.redact;
  json.begin_object().member("state", recording.is_finished ? "finished" : "recording");
  json.member("recorder", recording.recorder);
  put_or_null(json, "recorder_start_ticks", recording.recorder_start_ticks);
  put_command(json, recording.command, redact);
  json.member("started_unix_ns", recording.started_unix_ns);
  put_or_null(json, "ended_unix_ns", recording.ended_unix_ns);
  put_ending(json, recording.ending);
  json.member("host", recording.host);
  json.member("strobe", kVersion).member("driver", recording.driver);
  json.member("cuda", recording.cuda);
  put_or_null(json, "rank", recording.job.rank);
  put_or_null(json, "world_size", recording.job.world_size);
  json.member("job", recording.job.key).member("restart", recording.job.restart);
  put_devices(json, recording.devices);
  json.key("environment").begin_object();
  for (const auto& [name, value] : recording.environment) json.member(name, value);
  json.end_object();
  put_settings(json, recording.settings);
  put_sources(json, recording.sources);
  put_files(json, recording.files);
  json.key("losses").begin_array();
  for (const std::string& loss : recording.losses) json.value(loss);
  json.end_array().member("redacted", redact).end_object();
  return text;
}

Result<std::vector<ManifestEntry>> read_manifest(const std::filesystem::path& folder) {
  const std::string path = (folder / wire::kRunManifest).string();
  STROBE_TRY(const File file, File::open(path));
  std::string text(file.size_bytes(), '\0');
  STROBE_TRY(const std::size_t got, file.read_at(0, text));
  text.resize(got);
  const JsonValue version = find(text, "strobe_run");
  const JsonValue recordings = find(text, "recordings");
  if (version.type != JsonType::kNumber || recordings.type != JsonType::kArray) {
    return Error{.code = ErrorCode::kMalformed,
                 .what = "it is not strobe's description of a run",
                 .where = path,
                 .hint = ""};
  }
  std::vector<ManifestEntry> entries;
  for_each_element(recordings.text,
                   [&](const JsonValue& value) { entries.push_back(entry_of(value)); });
  return entries;
}

const std::vector<ManifestEntry>& ManifestReader::entries(std::int64_t now_ns) {
  // Taken before the file is read: what is written in between is seen next time.
  const std::optional<FileStamp> stamp = stamp_of((folder_ / wire::kRunManifest).string());
  if (stamp && stamp == stamp_) return entries_;
  stamp_ = stamp && has_settled(*stamp, now_ns) ? stamp : std::nullopt;
  Result<std::vector<ManifestEntry>> read = read_manifest(folder_);
  entries_ = read ? std::move(*read) : std::vector<ManifestEntry>();
  return entries_;
}

std::string manifest_json(const std::vector<std::string>& recordings) {
  return fmt::format("{{\"strobe_run\":{},\"recordings\":[{}]}}\n", kManifestVersion,
                     fmt::join(recordings, ",\n"));
}

bool is_running(const ManifestEntry& entry) {
  if (entry.is_finished || entry.host != host_name()) return false;
  const pid_t process = process_of_recorder(entry.recorder);
  if (!entry.recorder_start_ticks) return is_alive(process);
  // In a container that was started again, strobe often has the same number as before.
  return start_ticks_of(process) == entry.recorder_start_ticks;
}

Result<void> replace_file(const std::filesystem::path& path, std::string_view bytes, bool is_last) {
  std::string unfinished =
      (path.parent_path() / fmt::format(".{}-XXXXXX", path.filename().string())).string();
  const int descriptor = mkostemp(unfinished.data(), O_CLOEXEC);
  if (descriptor < 0) return cannot_replace(path, errno);
  bool is_written = write_bytes(descriptor, bytes) && (!is_last || fsync(descriptor) == 0);
  int error = errno;
  if (close(descriptor) != 0 && is_written) {
    is_written = false;
    error = errno;
  }
  if (is_written && rename(unfinished.c_str(), path.c_str()) == 0) return {};
  if (is_written) error = errno;
  unlink(unfinished.c_str());
  return cannot_replace(path, error);
}

}  // namespace strobe::record
