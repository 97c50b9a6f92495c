#include "strobe/record/launcher.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/exec_words.h"
#include "strobe/base/file.h"
#include "strobe/record/child_process.h"
#include "strobe/record/library_finder.h"
#include "strobe/wire/kernel_recording.h"
#include "strobe/wire/record_settings.h"

namespace strobe::record {

namespace fs = std::filesystem;

Variables recording_environment(const RecordSettings& settings, const std::filesystem::path& folder,
                                const std::string& program) {
  std::string metrics;
  for (const std::vector<std::string>& list : settings.metrics) {
    metrics += fmt::format("{}{}", metrics.empty() ? "" : ";", fmt::join(list, ","));
  }
  Variables variables = {
      {"CUDA_INJECTION64_PATH", settings.library.string()},
      {wire::kRecordFolder, folder.string()},
      {wire::kRecordMetrics, metrics},
      {wire::kRecordStrict, settings.is_strict ? "1" : ""},
      {wire::kRecordKernel, settings.kernel_pattern},
      {wire::kRecordIsolate, settings.isolated_pattern},
      {wire::kRecordLaunches, settings.launches},
  };
  if (settings.has_windows) variables.emplace_back(wire::kRecordWindow, "1");
  if (std::getenv(wire::kRecordCupti) == nullptr) {
    variables.emplace_back(wire::kRecordCupti, find_python_cupti(program));
  }
  return variables;
}

namespace {

struct Section {
  std::int64_t start_unix_ns;
  std::string bytes;
};

}  // namespace

Result<SectionFolder> SectionFolder::make() {
  std::error_code no_folder;
  std::string path = (fs::temp_directory_path(no_folder) / "strobe-record-XXXXXX").string();
  if (no_folder || mkdtemp(path.data()) == nullptr) {
    return Error{
        .code = ErrorCode::kCannotWrite,
        .what = fmt::format("cannot make a folder for temporary files: {}", std::strerror(errno)),
        .where = "",
        .hint = ""};
  }
  return SectionFolder(path);
}

SectionFolder::SectionFolder(SectionFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

SectionFolder::~SectionFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<Sections> SectionFolder::collect() const {
  std::vector<Section> sections;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, ignored)) {
    if (entry.path().extension() != wire::kRecordingSuffix) continue;
    STROBE_TRY(const auto file, MappedFile::open(entry.path()));
    const std::span<const char> bytes = file->bytes();
    wire::SectionHeader header = {};
    if (bytes.size() < sizeof header) continue;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.magic, wire::kRecordingMagic, sizeof header.magic) != 0) continue;
    const std::uint64_t end =
        std::min<std::uint64_t>(bytes.size(), header.header_bytes + header.body_bytes);
    sections.push_back({header.start_unix_ns, std::string(bytes.data(), end)});
  }
  std::ranges::sort(sections, {}, &Section::start_unix_ns);
  Sections collected;
  for (const Section& section : sections) collected.bytes += section.bytes;
  collected.processes = sections.size();
  return collected;
}

Result<RecordOutcome> record_kernels(const RecordRequest& request) {
  STROBE_TRY(const SectionFolder folder, SectionFolder::make());
  RecordOutcome outcome;
  const auto since = std::chrono::steady_clock::now();
  {
    STROBE_TRY(const auto relay, SignalRelay::open());
    STROBE_TRY(
        ChildProcess program,
        ChildProcess::prepare(
            request.command,
            recording_environment(request.settings, folder.path(), request.command[0]), *relay));
    STROBE_TRY_VOID(program.begin());
    const Ending ending = program.wait(*relay);
    outcome.exit_code = ending.exit_code;
    outcome.signal = ending.signal;
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  STROBE_TRY(Sections sections, folder.collect());
  outcome.recording = std::move(sections.bytes);
  outcome.processes = sections.processes;
  return outcome;
}

}  // namespace strobe::record
