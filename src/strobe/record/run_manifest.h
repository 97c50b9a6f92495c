#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/file.h"
#include "strobe/base/result.h"
#include "strobe/record/child_process.h"
#include "strobe/record/provenance.h"
#include "strobe/wire/run_settings.h"

// run.json: who recorded what, when and where, and what is missing. docs/record.md describes it.
namespace strobe::record {

enum class SourceState : std::uint8_t { kRecorded, kPartly, kMissing };

// One of the things that `record` records, and why it is not whole.
struct SourceReport {
  std::string name;  // gpu_work, launches, ranges, device_metrics, host, scheduler
  SourceState state = SourceState::kRecorded;
  std::string why = {};  // a sentence without a full stop; "" if it is whole
};

struct RecordedDevice {
  int index = 0;
  std::string name;
  std::string uuid = {};
  std::uint64_t memory_bytes = 0;
  int sm_clock_mhz = 0;  // at the start; 0 if not known
  int memory_clock_mhz = 0;
};

struct RecordedFile {
  std::int64_t process = 0;
  std::string program;
  std::optional<int> rank = {};
  std::string name;  // in the run's folder
  std::uint64_t kernels = 0;
  std::uint64_t copies = 0;
  std::uint64_t calls = 0;
  std::uint64_t ranges = 0;
  std::uint64_t bytes = 0;
  bool is_finished = false;
};

enum class CallChoice : std::uint8_t { kLaunches, kAll, kNone };

// What the user has chosen to record.
struct RunOptions {
  CallChoice calls = CallChoice::kLaunches;
  bool graph_nodes = false;
  bool ranges = true;
  bool torch = false;
  bool redact = false;
  std::optional<std::int64_t> every_ms = {};
  std::optional<std::int64_t> for_ms = {};
  std::optional<std::int64_t> last_ms = {};
};
std::string_view word_of(CallChoice calls);  // as in run.json and for the injected library

// An entry of "recordings": what one process of strobe has recorded.
struct Recording {
  bool is_finished = false;
  std::int64_t recorder = 0;
  std::optional<std::uint64_t> recorder_start_ticks = {};  // of strobe, see start_ticks_of()
  std::vector<std::string> command;
  std::int64_t started_unix_ns = 0;
  std::optional<std::int64_t> ended_unix_ns = {};
  std::optional<Ending> ending = {};  // of a program that strobe has started
  std::string host;
  std::string driver;  // versions; "" if not known
  std::string cuda;
  Job job;
  std::vector<RecordedDevice> devices;
  Environment environment;
  RunOptions settings;
  std::vector<SourceReport> sources;
  std::vector<RecordedFile> files;
  std::vector<std::string> losses;
};

std::string recording_json(const Recording& recording);

// An entry as another recorder has written it.
struct ManifestEntry {
  bool is_finished = false;
  std::int64_t recorder = 0;
  std::optional<std::uint64_t> recorder_start_ticks = {};  // older versions do not write it
  std::string host;
  Job job;
  bool is_flight_recorder = false;  // keeps the last minutes and gives dumps
  std::string json;                 // all of it
};

// kNotFound if there is no run.json, kMalformed if it is not one of strobe's.
Result<std::vector<ManifestEntry>> read_manifest(const std::filesystem::path& folder);

// Reads run.json again only if it has changed, for those who look often.
class ManifestReader {
 public:
  explicit ManifestReader(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Empty if there is no run.json of strobe's. Valid until the next call.
  const std::vector<ManifestEntry>& entries(std::int64_t now_ns = wall_clock_ns());

 private:
  std::filesystem::path folder_;
  std::optional<FileStamp> stamp_ = {};  // nothing unless it had settled
  std::vector<ManifestEntry> entries_ = {};
};

// run.json with these entries of "recordings".
std::string manifest_json(const std::vector<std::string>& recordings);

using wire::kMostProcesses;
using wire::process_of_recorder;
// Whether the recorder of this entry still runs, as far as this machine can tell.
bool is_running(const ManifestEntry& entry);

// Replaces a file at once or not at all. `is_last`: the disk must really have it.
Result<void> replace_file(const std::filesystem::path& path, std::string_view bytes,
                          bool is_last = false);

}  // namespace strobe::record
