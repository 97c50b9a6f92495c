#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/file.h"
#include "strobe/base/json_write.h"

// What `strobe record` says about a run in the run.json beside its files. The file is somebody
// else's: its size, its lists and its texts are cut to what can be shown.
namespace strobe::serve {

// A source of data that is missing or incomplete.
struct MissingSource {
  std::string name;  // "scheduler"
  bool is_partial = false;
  std::string why;  // a sentence
};

// One recorder's part of a run.
struct Recording {
  bool says_recording = false;
  std::int64_t recorder = 0;  // its number, see wire::process_of_recorder
  std::string host;
  std::vector<std::string> command;
  std::optional<std::int64_t> started_unix_ns;
  std::optional<std::int64_t> ended_unix_ns;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> signal;
  std::optional<std::int64_t> rank;
  std::size_t processes = 0;
  std::vector<std::int64_t> ranks;  // of the processes
  std::vector<MissingSource> missing;
  std::vector<std::string> losses;
};

enum class RunState : std::uint8_t { kRecording, kFinished, kKilled };
std::string_view word_of(RunState state);

struct RecordedRun {
  std::vector<Recording> recordings;
  RunState state = RunState::kFinished;
};

// Nothing if the text is not a run.json of `strobe record`.
std::optional<RecordedRun> parse_recorded_run(std::string_view json);

// Whether that process runs on that host and is strobe.
bool is_recorder_alive(std::int64_t process, const std::string& host);

// Looks after the run.json files of all folders with traces. Not for several threads at once.
class RecordedRuns {
 public:
  using IsAlive = std::function<bool(std::int64_t process, const std::string& host)>;
  // Files that have not changed for `quiet_ns` do not grow: samples are written about once a
  // second.
  static constexpr std::int64_t kQuietNs = 10'000'000'000;
  explicit RecordedRuns(IsAlive is_alive = is_recorder_alive, std::int64_t quiet_ns = kQuietNs);

  struct Look {
    std::shared_ptr<const RecordedRun> run;  // null: the folder is not a recorded run
    std::int64_t newest_change_ns = 0;       // of run.json and the samples beside it
  };
  // Reads the folder's run.json if it has changed.
  Look look_at(const std::filesystem::path& folder);
  // Forgets the folders that were not looked at since the last time.
  void forget_others();

 private:
  struct Known {
    FileStamp stamp;
    std::optional<RecordedRun> parsed;
    std::shared_ptr<const RecordedRun> shown;
    bool is_used = false;
  };
  RunState state_of(const RecordedRun& run, std::int64_t newest_change_ns) const;

  IsAlive is_alive_;
  std::int64_t quiet_ns_;
  std::map<std::filesystem::path, Known> known_;
};

// The member `recorded` of a run in /api/v1/runs; null without a run.
void write_recorded_run(const RecordedRun* run, std::int64_t now_unix_ns, JsonWriter& json);

}  // namespace strobe::serve
