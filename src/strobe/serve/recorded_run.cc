#include "strobe/serve/recorded_run.h"

#include <algorithm>
#include <limits>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "strobe/base/json_value.h"
#include "strobe/serve/json_members.h"
#include "strobe/wire/run_settings.h"

namespace strobe::serve {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kMostManifestBytes = 8 << 20;
constexpr std::size_t kMostRecordings = 4096;
constexpr std::size_t kMostWords = 256;  // of a command
constexpr std::size_t kMostListed = 32;
constexpr std::size_t kMostTextBytes = 500;

// The start of a text; cut where a character begins.
std::string cut_text(std::string text, std::size_t most = kMostTextBytes) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::optional<std::int64_t> number_at(std::string_view object, std::string_view key) {
  return find(object, key).as_int64();
}

std::string text_at(std::string_view object, std::string_view key) {
  const JsonValue value = find(object, key);
  return value.type == JsonType::kString ? cut_text(value.as_string()) : std::string();
}

// f(JsonValue element), for at most so many.
template <class Function>
void for_each_of(std::string_view object, std::string_view key, std::size_t most, Function&& f) {
  const JsonValue list = find(object, key);
  if (list.type != JsonType::kArray) return;
  std::size_t count = 0;
  for_each_element(list.text, [&](const JsonValue& element) {
    if (count++ < most) f(element);
  });
}

std::vector<MissingSource> missing_sources(std::string_view recording) {
  std::vector<MissingSource> missing;
  for_each_of(recording, "sources", kMostListed, [&](const JsonValue& source) {
    const std::string state = text_at(source.text, "state");
    if (state != "missing" && state != "partly") return;
    missing.push_back(
        {text_at(source.text, "name"), state == "partly", text_at(source.text, "why")});
  });
  return missing;
}

Recording parse_recording(std::string_view json) {
  Recording recording;
  recording.says_recording = text_at(json, "state") == "recording";
  recording.recorder = number_at(json, "recorder").value_or(0);
  recording.host = text_at(json, "host");
  recording.started_unix_ns = number_at(json, "started_unix_ns");
  recording.ended_unix_ns = number_at(json, "ended_unix_ns");
  recording.exit_code = number_at(json, "exit_code");
  recording.signal = number_at(json, "signal");
  recording.rank = number_at(json, "rank");
  recording.missing = missing_sources(json);
  for_each_of(json, "command", kMostWords, [&](const JsonValue& word) {
    recording.command.push_back(cut_text(word.as_string()));
  });
  for_each_of(json, "losses", kMostListed, [&](const JsonValue& loss) {
    recording.losses.push_back(cut_text(loss.as_string()));
  });
  for_each_of(json, "processes", std::numeric_limits<std::size_t>::max(),
              [&](const JsonValue& process) {
                ++recording.processes;
                const auto rank = number_at(process.text, "rank");
                if (rank && recording.ranks.size() < kMostRecordings) {
                  recording.ranks.push_back(*rank);
                }
              });
  return recording;
}

std::optional<std::string> small_file(const fs::path& path, std::uint64_t most_bytes) {
  const auto file = File::open(path);
  if (!file || !file->is_seekable() || file->size_bytes() > most_bytes) return std::nullopt;
  std::string text(file->size_bytes(), '\0');
  const auto bytes = file->read_at(0, text);
  if (!bytes) return std::nullopt;
  text.resize(*bytes);
  return text;
}

// A command as one line; words with blanks in quotes.
std::string command_text(const std::vector<std::string>& words) {
  std::vector<std::string> shown;
  for (const std::string& word : words) {
    const bool is_plain = !word.empty() && word.find_first_of(" \t\n'\"") == std::string::npos;
    shown.push_back(is_plain ? word : fmt::format("'{}'", word));
  }
  return cut_text(fmt::format("{}", fmt::join(shown, " ")));
}

// Recorders of one run that say the same say it once.
template <class Item, class Key>
std::vector<Item> without_repeats(const std::vector<Recording>& recordings,
                                  std::vector<Item> Recording::*list, Key&& key) {
  std::vector<Item> all;
  std::set<std::string> seen;
  for (const Recording& recording : recordings) {
    for (const Item& item : recording.*list) {
      if (all.size() < kMostListed && seen.insert(key(item)).second) all.push_back(item);
    }
  }
  return all;
}

// The first that has failed, else the first that has ended.
const Recording* ended_recording(const RecordedRun& run) {
  const Recording* ended = nullptr;
  for (const Recording& recording : run.recordings) {
    if (!recording.exit_code && !recording.signal) continue;
    const bool has_failed = recording.signal || recording.exit_code.value_or(0) != 0;
    if (has_failed) return &recording;
    if (ended == nullptr) ended = &recording;
  }
  return ended;
}

struct RunTimes {
  std::optional<std::int64_t> start_ns;
  std::optional<std::int64_t> end_ns;
};

RunTimes times_of(const RecordedRun& run, std::int64_t now_unix_ns) {
  RunTimes times;
  for (const Recording& recording : run.recordings) {
    if (!recording.started_unix_ns) continue;
    times.start_ns =
        std::min(times.start_ns.value_or(*recording.started_unix_ns), *recording.started_unix_ns);
    if (recording.ended_unix_ns) {
      times.end_ns =
          std::max(times.end_ns.value_or(*recording.ended_unix_ns), *recording.ended_unix_ns);
    }
  }
  if (run.state == RunState::kRecording) times.end_ns = now_unix_ns;
  return times;
}

std::optional<std::int64_t> length_of(const RunTimes& times) {
  std::int64_t length_ns = 0;
  if (!times.start_ns || !times.end_ns) return std::nullopt;
  if (__builtin_sub_overflow(*times.end_ns, *times.start_ns, &length_ns)) return std::nullopt;
  return length_ns < 0 ? std::nullopt : std::optional(length_ns);
}

std::size_t rank_count(const RecordedRun& run) {
  std::set<std::int64_t> ranks;
  for (const Recording& recording : run.recordings) {
    if (recording.rank) ranks.insert(*recording.rank);
    ranks.insert(recording.ranks.begin(), recording.ranks.end());
  }
  return ranks.size();
}

void write_missing(const std::vector<MissingSource>& sources, JsonWriter& json) {
  json.key("missing").begin_array();
  for (const MissingSource& source : sources) {
    json.begin_object()
        .member("source", source.name)
        .member("is_partial", source.is_partial)
        .member("why", source.why)
        .end_object();
  }
  json.end_array();
}

}  // namespace

std::string_view word_of(RunState state) {
  switch (state) {
    case RunState::kRecording:
      return "recording";
    case RunState::kFinished:
      return "finished";
    case RunState::kKilled:
      break;
  }
  return "killed";
}

std::optional<RecordedRun> parse_recorded_run(std::string_view json) {
  const JsonValue whole = parse_value(json);
  if (whole.type != JsonType::kObject || !find(whole.text, "strobe_run").present()) {
    return std::nullopt;
  }
  RecordedRun run;
  for_each_of(whole.text, "recordings", kMostRecordings, [&](const JsonValue& recording) {
    if (recording.type == JsonType::kObject) {
      run.recordings.push_back(parse_recording(recording.text));
    }
  });
  return run;
}

bool is_recorder_alive(std::int64_t process, const std::string& host) {
  char own_host[256] = {};
  const bool is_here = gethostname(own_host, sizeof own_host - 1) == 0 && host == own_host;
  if (!is_here || process <= 0) return false;
  // The number may belong to another program by now. The kernel gives this file no size.
  auto file = File::open(fmt::format("/proc/{}/comm", process));
  if (!file) return false;
  std::string name(64, '\0');
  const auto bytes = file->read(name);
  return bytes && std::string_view(name).substr(0, *bytes).starts_with("strobe");
}

RecordedRuns::RecordedRuns(IsAlive is_alive, std::int64_t quiet_ns)
    : is_alive_(std::move(is_alive)), quiet_ns_(quiet_ns) {}

RecordedRuns::Look RecordedRuns::look_at(const fs::path& folder) {
  const fs::path file = folder / wire::kRunManifest;
  const auto stamp = stamp_of(file);
  if (!stamp) return {};
  Known& known = known_[folder];
  known.is_used = true;
  if (!(known.stamp == *stamp)) {
    const auto text = small_file(file, kMostManifestBytes);
    known = {.stamp = *stamp,
             .parsed = text ? parse_recorded_run(*text) : std::nullopt,
             .shown = nullptr,
             .is_used = true};
  }
  if (!known.parsed) return {};
  Look look{.run = nullptr, .newest_change_ns = stamp->changed_ns};
  for (const Recording& recording : known.parsed->recordings) {
    const auto samples = stamp_of(folder / fmt::format("{}{}{}", wire::kHostFilePrefix,
                                                       recording.recorder, wire::kRunFileSuffix));
    if (samples) look.newest_change_ns = std::max(look.newest_change_ns, samples->changed_ns);
  }
  const RunState state = state_of(*known.parsed, look.newest_change_ns);
  if (known.shown == nullptr || known.shown->state != state) {
    known.parsed->state = state;
    known.shown = std::make_shared<const RecordedRun>(*known.parsed);
  }
  look.run = known.shown;
  return look;
}

void RecordedRuns::forget_others() {
  std::erase_if(known_, [](const auto& known) { return !known.second.is_used; });
  for (auto& [folder, known] : known_) known.is_used = false;
}

// A recorder that was killed leaves its run in the state "recording". One on another machine cannot
// be asked, but its files grow.
RunState RecordedRuns::state_of(const RecordedRun& run, std::int64_t newest_change_ns) const {
  const bool is_growing = wall_clock_ns() - newest_change_ns < quiet_ns_;
  bool says_recording = false;
  for (const Recording& recording : run.recordings) {
    if (!recording.says_recording) continue;
    says_recording = true;
    const pid_t process = wire::process_of_recorder(recording.recorder);
    if (is_growing || is_alive_(process, recording.host)) return RunState::kRecording;
  }
  return says_recording ? RunState::kKilled : RunState::kFinished;
}

void write_recorded_run(const RecordedRun* run, std::int64_t now_unix_ns, JsonWriter& json) {
  json.key("recorded");
  if (run == nullptr) {
    json.null();
    return;
  }
  const Recording* const ended = ended_recording(*run);
  const RunTimes times = times_of(*run, now_unix_ns);
  json.begin_object().member("state", word_of(run->state));
  text_or_null(json, "command",
               run->recordings.empty() ? "" : command_text(run->recordings[0].command));
  member_or_null(json, "exit_code", ended != nullptr ? ended->exit_code : std::nullopt);
  member_or_null(json, "signal", ended != nullptr ? ended->signal : std::nullopt);
  member_or_null(json, "started_ms",
                 times.start_ns ? std::optional(*times.start_ns / 1'000'000) : std::nullopt);
  member_or_null(json, "duration_ns", length_of(times));
  std::size_t processes = 0;
  for (const Recording& recording : run->recordings) processes += recording.processes;
  json.member("processes", processes).member("ranks", rank_count(*run));
  write_missing(
      without_repeats(run->recordings, &Recording::missing,
                      [](const MissingSource& source) { return source.name + "\n" + source.why; }),
      json);
  write_texts(json, "losses",
              without_repeats(run->recordings, &Recording::losses,
                              [](const std::string& loss) { return loss; }));
  json.end_object();
}

}  // namespace strobe::serve
