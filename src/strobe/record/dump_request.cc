#include "strobe/record/dump_request.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/record/folder_entries.h"
#include "strobe/record/provenance.h"
#include "strobe/record/run_dump.h"
#include "strobe/record/run_manifest.h"
#include "strobe/wire/run_settings.h"

namespace strobe::record {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

struct FoundRecorder {
  pid_t process = 0;
  fs::path folder;
};

Error nobody_records(pid_t process, std::string hint) {
  return {.code = ErrorCode::kNotFound,
          .what = fmt::format("process {} is neither a recorder nor recorded", process),
          .where = "",
          .hint = std::move(hint)};
}

// A recorder has the control file of its run open.
fs::path folder_of_recorder(pid_t process) {
  for (const fs::path& link : paths_in(fmt::format("/proc/{}/fd", process))) {
    std::error_code failed;
    const fs::path target = fs::read_symlink(link, failed);
    if (!failed && target.filename() == wire::kRunControl) return target.parent_path();
  }
  return {};
}

Result<FoundRecorder> find_recorder(pid_t process) {
  if (!is_alive(process)) return nobody_records(process, "no such process runs");
  if (fs::path folder = folder_of_recorder(process); !folder.empty()) {
    return FoundRecorder{process, std::move(folder)};
  }
  const Environment environment = environment_of(process);
  if (environment.empty()) {
    return nobody_records(process, "its owner, or root, may be able to see more");
  }
  const auto folder = environment.find(wire::kRunFolder);
  const auto recorder = environment.find(wire::kRunRecorder);
  const auto number =
      recorder == environment.end() ? std::nullopt : parse_whole_number(recorder->second);
  if (folder == environment.end() || !number) {
    return nobody_records(process, "start the program with `strobe record --last 60s -- PROGRAM`");
  }
  return FoundRecorder{process_of_recorder(*number), folder->second};
}

// A signal to any other process could end it.
Result<void> check_takes_requests(const FoundRecorder& recorder) {
  STROBE_TRY(const std::vector<ManifestEntry> entries, read_manifest(recorder.folder));
  const auto entry = std::ranges::find_if(entries, [&](const ManifestEntry& one) {
    return process_of_recorder(one.recorder) == recorder.process && is_running(one);
  });
  if (entry == entries.end() || folder_of_recorder(recorder.process).empty()) {
    return nobody_records(recorder.process, "its recorder has ended");
  }
  if (entry->is_flight_recorder) return {};
  return Error{
      .code = ErrorCode::kUnsupported,
      .what = fmt::format("recorder {} keeps the whole run and gives no dumps", recorder.process),
      .where = "",
      .hint = "`strobe record --last 60s -- PROGRAM` keeps the last minute and does"};
}

}  // namespace

Result<fs::path> request_dump(pid_t process, std::chrono::milliseconds patience) {
  STROBE_TRY(const FoundRecorder recorder, find_recorder(process));
  STROBE_TRY_VOID(check_takes_requests(recorder));
  const std::vector<std::int64_t> before = dump_numbers(recorder.folder);
  const std::int64_t last = before.empty() ? 0 : before.back();
  if (kill(recorder.process, SIGUSR2) != 0) {
    return Error{
        .code = ErrorCode::kMachineLacks,
        .what = fmt::format("cannot ask recorder {}: {}", recorder.process, std::strerror(errno)),
        .where = "",
        .hint = "only its owner and root may"};
  }
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < deadline) {
    const std::vector<std::int64_t> now = dump_numbers(recorder.folder);
    if (!now.empty() && now.back() > last) return dump_folder(recorder.folder, now.back());
    if (!is_alive(recorder.process)) return nobody_records(process, "its recorder has just ended");
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return Error{.code = ErrorCode::kCannotWrite,
               .what = fmt::format("recorder {} has written no dump for {} s", recorder.process,
                                   patience.count() / 1000),
               .where = "",
               .hint = "its own messages say why; the disk may be full"};
}

}  // namespace strobe::record
