#include "strobe/record/run_recorder.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/file.h"
#include "strobe/base/text.h"
#include "strobe/record/control_file.h"
#include "strobe/record/library_finder.h"
#include "strobe/record/obstacles.h"
#include "strobe/record/provenance.h"
#include "strobe/record/run_contents.h"
#include "strobe/record/run_dump.h"
#include "strobe/record/run_folder.h"
#include "strobe/record/run_parts.h"
#include "strobe/wire/record_settings.h"
#include "strobe/wire/run_settings.h"

namespace strobe::record {

namespace fs = std::filesystem;

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenLooksAtProcess{100};
constexpr milliseconds kPatienceWithParts{1000};
constexpr std::int64_t kPartKeeperPeriod_ns = 5'000'000'000;

std::string ms_text(const std::optional<std::int64_t>& ms) {
  return ms ? std::to_string(*ms) : std::string();
}

// Removes parts of processes that cannot do it themselves any more.
class ForgottenParts : public Source {
 public:
  ForgottenParts(fs::path folder, std::int64_t recorder, milliseconds keep)
      : folder_(std::move(folder)), recorder_(recorder), keep_(keep) {}
  void look(std::int64_t) override { remove_forgotten_parts(folder_, recorder_, keep_); }

 private:
  fs::path folder_;
  std::int64_t recorder_;
  milliseconds keep_;
};

// A process that strobe has not started. Its number may be given to another one when it ends.
class ForeignProgram {
 public:
  explicit ForeignProgram(pid_t id) : id_(id), start_ticks_(start_ticks_of(id)) {}
  bool is_running() const { return start_ticks_ && start_ticks_of(id_) == start_ticks_; }
  pid_t id() const { return id_; }

 private:
  pid_t id_;
  std::optional<std::uint64_t> start_ticks_;
};

Result<void> check_process(pid_t process) {
  if (ForeignProgram(process).is_running()) return {};
  return Error{.code = ErrorCode::kNotFound,
               .what = fmt::format("there is no process {}", process),
               .where = "",
               .hint = "`ps` lists them; in a container, processes outside are not seen"};
}

// A signal from before the program's process was there has reached nobody but strobe.
Result<void> check_goes_on(const SignalRelay& relay) {
  if (!relay.wants_end()) return {};
  return Error{.code = ErrorCode::kInterrupted, .what = "interrupted", .where = "", .hint = ""};
}

// The processes of all recorders that share a folder on this machine.
std::vector<pid_t> recorders_in(ManifestReader& manifest) {
  std::vector<pid_t> processes;
  for (const ManifestEntry& entry : manifest.entries()) {
    if (is_running(entry)) processes.push_back(process_of_recorder(entry.recorder));
  }
  return processes;
}

std::string program_of(const std::vector<std::string>& command) {
  return command.empty() ? "" : fs::path(command[0]).filename().string();
}

// 13000 is "13.0".
std::string cuda_version_of(const std::vector<FileContents>& files) {
  for (const FileContents& file : files) {
    const auto number = parse_whole_number(file.fact(wire::kFactDriverVersion));
    if (number) return fmt::format("{}.{}", *number / 1000, *number % 1000 / 10);
  }
  return "";
}

std::uint64_t size_of(const fs::path& file) {
  std::error_code failed;
  const auto bytes = fs::file_size(file, failed);
  return failed ? 0 : bytes;
}

// Why there is no GPU work on this machine; "" if there could be some.
std::string why_no_driver(const std::vector<FileContents>& files) {
  if (std::ranges::any_of(files, &FileContents::has_device_work)) return "";
  const Result<void> driver = check_driver();
  return driver ? "" : driver.error().what;
}

// One recording, from the claimed folder to the last entry in run.json.
class RunSession {
 public:
  RunSession(const RunRequest& request, RunWatch& watch, const SignalRelay& relay,
             const DumpNews& news, RunFolder folder)
      : request_(request),
        options_(request.options),
        watch_(watch),
        relay_(relay),
        news_(news),
        folder_(std::move(folder)) {}

  Result<void> start();
  void wait_for_end();
  RunOutcome finish();
  void withdraw();

 private:
  void describe();
  std::vector<HostFile::Fact> host_facts() const;
  Result<void> open_files();
  Result<void> start_program();
  RunWatch::Place place();
  bool has_ended() const;
  std::optional<milliseconds> longest_sleep() const;
  void add_findings(Recording& recording, const fs::path& folder,
                    std::optional<std::int64_t> recorder) const;
  Result<fs::path> dump() const;
  Recording as_dumped(const fs::path& dump) const;

  const RunRequest& request_;
  const RunOptions& options_;
  RunWatch& watch_;
  const SignalRelay& relay_;
  const DumpNews& news_;
  RunFolder folder_;

  Recording recording_;
  std::string library_;
  std::string why_no_library_;
  std::optional<ControlFile> control_;
  std::unique_ptr<HostFile> host_file_;
  std::optional<MachineLock> machine_lock_;
  std::unique_ptr<Sampler> sampler_;
  std::optional<ChildProcess> child_;
  std::optional<ForeignProgram> foreign_;
  pid_t root_ = 0;
  bool strobe_adopts_ = false;
  std::int64_t started_ns_ = 0;
  std::size_t dumps_ = 0;
};

// What is known before anything runs.
void RunSession::describe() {
  const bool is_foreign = request_.process.has_value();
  const Environment environment =
      is_foreign ? environment_of(*request_.process) : own_environment();
  recording_.recorder = folder_.recorder();
  recording_.recorder_start_ticks = start_ticks_of(getpid());
  recording_.command = is_foreign ? command_of(*request_.process) : request_.command;
  recording_.started_unix_ns = wall_clock_ns();
  recording_.host = host_name();
  recording_.job = job_of(own_environment());
  recording_.environment = shown_environment(environment, options_.redact);
  recording_.settings = options_;
  if (is_foreign) return;
  if (Result<fs::path> library = find_injection_library()) {
    library_ = library->string();
  } else {
    why_no_library_ = what_and_hint(library.error());
  }
}

std::vector<HostFile::Fact> RunSession::host_facts() const {
  const std::string program = program_of(recording_.command);
  std::vector<HostFile::Fact> facts = {
      {wire::kFactClock, std::to_string(wire::run_clock_to_unix_ns())},
      {wire::kFactProgram, options_.redact ? hashed_name(program) : program},
      {wire::kFactRecorder, std::to_string(recording_.recorder)},
      {wire::kFactHost, recording_.host}};
  const Job& job = recording_.job;
  if (job.rank) facts.emplace_back(wire::kFactRank, std::to_string(*job.rank));
  if (job.world_size) facts.emplace_back(wire::kFactWorldSize, std::to_string(*job.world_size));
  if (options_.redact) facts.emplace_back(wire::kFactRedacted, "1");
  return facts;
}

Result<void> RunSession::open_files() {
  STROBE_TRY_VOID(folder_.put(recording_));
  if (request_.when_entered) request_.when_entered();
  STROBE_TRY(ControlFile control, ControlFile::open(folder_.path()));
  control_.emplace(std::move(control));
  std::optional<std::int64_t> keep_ns;
  if (options_.last_ms) keep_ns = *options_.last_ms * 1'000'000;
  STROBE_TRY(host_file_, HostFile::open(folder_.path() / host_file_name(recording_.recorder),
                                        host_facts(), keep_ns));
  machine_lock_.emplace(folder_.path(), recording_.host, recording_.job);
  sampler_ = std::make_unique<Sampler>(*host_file_);
  if (!options_.last_ms) return {};
  sampler_->add(std::make_unique<ForgottenParts>(folder_.path(), recording_.recorder,
                                                 milliseconds(*options_.last_ms)),
                {.period_ns = kPartKeeperPeriod_ns});
  return {};
}

Result<void> RunSession::start() {
  describe();
  STROBE_TRY_VOID(open_files());
  STROBE_TRY_VOID(start_program());
  // The program runs: nothing may keep strobe from waiting for it any more.
  watch_.begin_devices(*sampler_, place());
  recording_.devices = watch_.devices();
  recording_.driver = watch_.driver_version();
  recording_.cuda = watch_.cuda_version();
  [[maybe_unused]] const Result<void> ignored = folder_.put(recording_);
  return {};
}

RunWatch::Place RunSession::place() {
  RunWatch::Place place = {.root = root_,
                           .strobe_adopts = strobe_adopts_,
                           .redact = options_.redact,
                           .file = *host_file_,
                           .machine = *machine_lock_};
  if (recording_.job.is_shared()) {
    place.other_recorders = [manifest = ManifestReader(folder_.path())]() mutable {
      return recorders_in(manifest);
    };
  }
  return place;
}

Result<void> RunSession::start_program() {
  relay_.set_gives_dumps(options_.last_ms.has_value());
  if (request_.process) {
    foreign_.emplace(*request_.process);
    root_ = foreign_->id();
  } else {
    strobe_adopts_ = adopt_orphans();
    const RunPlace run = {.folder = folder_.path(),
                          .recorder = recording_.recorder,
                          .library = library_,
                          .torch_hook = request_.torch_hook};
    STROBE_TRY(ChildProcess child,
               ChildProcess::prepare(request_.command,
                                     run_environment(options_, run, request_.command[0]), relay_));
    child_.emplace(std::move(child));
    root_ = child_->id();
  }
  host_file_->add_facts({{wire::kFactProcess, std::to_string(root_)}});
  watch_.begin(*sampler_, place());
  sampler_->start();
  started_ns_ = wire::run_clock_ns();
  if (!child_) return {};
  STROBE_TRY_VOID(check_goes_on(relay_));
  return child_->begin();
}

void RunSession::withdraw() {
  if (sampler_ != nullptr) sampler_->stop();
  folder_.withdraw();
}

bool RunSession::has_ended() const {
  if (child_) return child_->has_ended();
  if (relay_.wants_end() || !foreign_->is_running()) return true;
  const std::int64_t most_ns = options_.for_ms.value_or(0) * 1'000'000;
  return most_ns > 0 && wire::run_clock_ns() - started_ns_ >= most_ns;
}

// A process that is not a child tells nobody that it ends.
std::optional<milliseconds> RunSession::longest_sleep() const {
  if (child_) return std::nullopt;
  if (!options_.for_ms) return kBetweenLooksAtProcess;
  const std::int64_t passed_ms = (wire::run_clock_ns() - started_ns_) / 1'000'000;
  return std::clamp(milliseconds(*options_.for_ms - passed_ms), milliseconds(1),
                    kBetweenLooksAtProcess);
}

void RunSession::wait_for_end() {
  while (!has_ended()) {
    relay_.wait(longest_sleep());
    if (child_) reap_adopted(*child_);
    if (!relay_.take_dump_request() || !options_.last_ms) continue;
    const Result<fs::path> dumped = dump();
    if (dumped) ++dumps_;
    news_(dumped);
  }
}

// What the files in a folder hold and lack.
void RunSession::add_findings(Recording& recording, const fs::path& folder,
                              std::optional<std::int64_t> recorder) const {
  const std::vector<FileContents> files = process_files(folder, recorder);
  const auto add_losses = [&](const FileContents& file) {
    for (std::string& loss : losses_in(file, recording.ending.has_value())) {
      recording.losses.push_back(std::move(loss));
    }
  };
  for (const FileContents& file : files) {
    recording.files.push_back(recorded_file(file));
    add_losses(file);
  }
  if (const auto host = contents_of_file(folder / host_file_name(recording.recorder))) {
    add_losses(*host);
  }
  if (recording.cuda.empty()) recording.cuda = cuda_version_of(files);
  recording.sources =
      judge_device_sources(files, options_,
                           {.was_started = !request_.process,
                            .no_library = why_no_library_,
                            .no_driver = request_.process ? "" : why_no_driver(files)});
  sampler_->between_looks([&] {
    for (SourceReport& source : watch_.reports()) recording.sources.push_back(std::move(source));
  });
}

Recording RunSession::as_dumped(const fs::path& dump) const {
  Recording recording = recording_;
  recording.is_finished = true;
  recording.ended_unix_ns = wall_clock_ns();
  add_findings(recording, dump, std::nullopt);
  return recording;
}

Result<fs::path> RunSession::dump() const {
  PartsWatch parts(folder_.path());
  control_->ask();
  sampler_->flush();
  parts.wait(kPatienceWithParts);
  return write_dump(folder_.path(), [this](const fs::path& dump) { return as_dumped(dump); });
}

RunOutcome RunSession::finish() {
  RunOutcome outcome;
  outcome.seconds = static_cast<double>(wire::run_clock_ns() - started_ns_) * 1e-9;
  recording_.ended_unix_ns = wall_clock_ns();
  sampler_->stop();
  host_file_->close();
  if (child_) recording_.ending = child_->ending();
  if (child_ && strobe_adopts_ && !wait_for_adopted(relay_, milliseconds(0))) {
    recording_.losses.emplace_back(
        "processes that the program has started still run: the rest of their work is not recorded");
  }
  if (options_.last_ms) {
    if (Result<void> joined = join_last_parts(folder_.path(), recording_.recorder); !joined) {
      recording_.losses.push_back(
          fmt::format("{}: {}; the parts of the last {} s are left as they "
                      "are",
                      joined.error().where, joined.error().what, *options_.last_ms / 1000));
    }
  }
  add_findings(recording_, folder_.path(), recording_.recorder);
  if (const std::uint64_t lost = host_file_->writer().lost_rows(); lost > 0) {
    recording_.losses.push_back(fmt::format(
        "strobe's samples: {} could not be written: the disk was full", counted(lost, "row")));
  }
  recording_.is_finished = true;
  if (Result<void> written = folder_.put(recording_); !written) {
    outcome.unwritten = std::move(written).error();
  }
  folder_.tidy();
  outcome.folder = folder_.path();
  outcome.bytes = size_of(folder_.path() / host_file_name(recording_.recorder));
  for (const RecordedFile& file : recording_.files) outcome.bytes += file.bytes;
  outcome.dumps = dumps_;
  outcome.was_interrupted = relay_.wants_end();
  outcome.sampler = sampler_->cost();
  outcome.recording = std::move(recording_);
  return outcome;
}

}  // namespace

Variables run_environment(const RunOptions& options, const RunPlace& place,
                          const std::string& program) {
  Variables variables = {
      {wire::kRecordFolder, ""},  // the library's other job
      {wire::kRunFolder, place.folder.string()},
      {wire::kRunRecorder, std::to_string(place.recorder)},
      {wire::kRunCalls, std::string(word_of(options.calls))},
      {wire::kRunGraphs, options.graph_nodes ? "nodes" : "launches"},
      {wire::kRunRanges, options.ranges ? "" : "0"},
      {wire::kRunRedact, options.redact ? "1" : ""},
      {wire::kRunKeep, ms_text(options.last_ms)},
      {wire::kRunEvery, ms_text(options.every_ms)},
      {wire::kRunFor, ms_text(options.for_ms)},
  };
  // Where strobe has nothing to load, another tool's library stays.
  if (!place.library.empty()) {
    variables.emplace_back("CUDA_INJECTION64_PATH", place.library);
    if (options.ranges) variables.emplace_back("NVTX_INJECTION64_PATH", place.library);
  }
  if (std::getenv(wire::kRecordCupti) == nullptr) {
    variables.emplace_back(wire::kRecordCupti, find_python_cupti(program));
  }
  if (!place.torch_hook.empty()) {
    const char* before = std::getenv("PYTHONPATH");
    variables.emplace_back("PYTHONPATH", before == nullptr || *before == 0
                                             ? place.torch_hook
                                             : fmt::format("{}:{}", place.torch_hook, before));
  }
  return variables;
}

Result<RunOutcome> record_run(const RunRequest& request, RunWatch& watch, const SignalRelay& relay,
                              const DumpNews& news) {
  STROBE_TRY_VOID(check_goes_on(relay));
  if (request.process) {
    STROBE_TRY_VOID(check_process(*request.process));
  } else {
    STROBE_TRY_VOID(check_program(request.command[0]));
  }
  STROBE_TRY(RunFolder folder, RunFolder::claim({.path = request.folder,
                                                 .overwrite = request.overwrite,
                                                 .job = job_of(own_environment())}));
  RunSession session(request, watch, relay, news, std::move(folder));
  if (Result<void> started = session.start(); !started) {
    session.withdraw();
    return std::move(started).error();
  }
  session.wait_for_end();
  return session.finish();
}

}  // namespace strobe::record
