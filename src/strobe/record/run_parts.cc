#include "strobe/record/run_parts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/file.h"
#include "strobe/base/text.h"
#include "strobe/record/folder_entries.h"
#include "strobe/record/provenance.h"
#include "strobe/record/run_manifest.h"
#include "strobe/wire/run_file.h"
#include "strobe/wire/run_file_chunks.h"
#include "strobe/wire/run_settings.h"

namespace strobe::record {

namespace fs = std::filesystem;

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenPolls{25};
constexpr milliseconds kCalm{100};
constexpr int kChunksBeforeFacts = 4;

struct Part {
  std::string name;
  std::int64_t number;
};

// "process-17.strobe.part3" is part 3 of "process-17.strobe".
std::optional<Part> part_of(const std::string& name) {
  const std::string ending = std::string(wire::kRunFileSuffix) + wire::kPartSuffix;
  const std::size_t at = name.rfind(ending);
  if (at == std::string::npos) return std::nullopt;
  const auto number = parse_whole_number(std::string_view(name).substr(at + ending.size()));
  if (!number || *number < 0) return std::nullopt;
  return Part{name.substr(0, at + std::strlen(wire::kRunFileSuffix)), *number};
}

// An open file, closed by the destructor.
struct Descriptor {
  explicit Descriptor(int number) : value(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value >= 0) close(value);
  }
  const int value;
};

// The bytes of the whole chunks at the beginning of a file. Where it is damaged, all of it counts:
// a reader finds the next whole chunk.
std::uint64_t whole_chunk_bytes(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) return 0;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  std::uint64_t end = 0;
  wire::ChunkHeader header = {};
  while (end + sizeof header <= size) {
    if (pread(file, &header, sizeof header, static_cast<off_t>(end)) !=
        static_cast<ssize_t>(sizeof header)) {
      break;
    }
    if (std::memcmp(header.magic, wire::kChunkMagic, sizeof header.magic) != 0) return size;
    const std::uint64_t payload = (header.payload_bytes + wire::kChunkAlignment - 1u) /
                                  wire::kChunkAlignment * wire::kChunkAlignment;
    if (end + sizeof header + payload > size) break;
    end += sizeof header + payload;
  }
  return end;
}

// 0, or why not.
int copy_bytes(int from, int to, std::uint64_t bytes) {
  std::vector<char> buffer(1 << 20);
  std::uint64_t done = 0;
  while (done < bytes) {
    const std::size_t wanted = std::min<std::uint64_t>(buffer.size(), bytes - done);
    const ssize_t got = pread(from, buffer.data(), wanted, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;  // it became shorter
    for (ssize_t written = 0; written < got;) {
      const ssize_t count =
          write(to, buffer.data() + written, static_cast<std::size_t>(got - written));
      if (count < 0 && errno != EINTR) return errno;
      if (count > 0) written += count;
    }
    done += static_cast<std::uint64_t>(got);
  }
  return 0;
}

Error cannot_join(const fs::path& target, int error) {
  return {.code = ErrorCode::kCannotWrite,
          .what = error == ENOSPC || error == EDQUOT || error == EFBIG ? "the disk is full"
                                                                       : std::strerror(error),
          .where = target.string(),
          .hint = ""};
}

// The process that a file is named after: the number behind the last dash.
pid_t process_in(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string::npos) return 0;
  const std::size_t end = name.find('.', dash);
  const auto number = parse_whole_number(std::string_view(name).substr(dash + 1, end - dash - 1));
  return number ? process_of_recorder(*number) : 0;
}

// Appends a part and removes it, or does nothing. 0, or why not.
int take_in_part(int to, const fs::path& part) {
  const Descriptor from(open(part.c_str(), O_RDONLY | O_CLOEXEC));
  if (from.value < 0) return errno == ENOENT ? 0 : errno;
  const off_t before = lseek(to, 0, SEEK_END);
  int error = copy_bytes(from.value, to, whole_chunk_bytes(from.value));
  if (error == 0 && unlink(part.c_str()) != 0) error = errno;
  if (error != 0 && ftruncate(to, before) != 0) return errno;
  return error;
}

// What a killed process has left behind its last whole chunk. 0, or why not.
int remove_torn_end(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) return errno;
  const auto whole = static_cast<off_t>(whole_chunk_bytes(file));
  return whole == status.st_size || ftruncate(file, whole) == 0 ? 0 : errno;
}

// Its process may be about to remove the oldest part: as the target, it stays. What is renamed is
// no part any more. "" if there is a target already, or no part is left.
Result<fs::path> rename_oldest(std::vector<fs::path>& parts, const fs::path& target) {
  std::error_code failed;
  if (fs::exists(target, failed)) return fs::path();
  while (!parts.empty()) {
    const fs::path oldest = parts.front();
    fs::rename(oldest, target, failed);
    if (failed && failed != std::errc::no_such_file_or_directory) {
      return cannot_join(target, failed.value());
    }
    parts.erase(parts.begin());
    if (!failed) return oldest;
  }
  return fs::path();
}

// 0, or why not.
int take_in_parts(const std::vector<fs::path>& parts, const fs::path& target, bool is_growing) {
  const Descriptor to(open(target.c_str(), O_RDWR | O_CLOEXEC));
  if (to.value < 0) return errno == ENOENT ? 0 : errno;
  const bool ends_here = !parts.empty() || !is_growing;
  int error = ends_here ? remove_torn_end(to.value) : 0;
  for (const fs::path& part : parts) {
    if (error == 0) error = take_in_part(to.value, part);
  }
  return error;
}

bool has_open(pid_t process, const fs::path& file) {
  std::error_code failed;
  for (const fs::path& link : paths_in(fmt::format("/proc/{}/fd", process))) {
    if (fs::equivalent(link, file, failed) && !failed) return true;
  }
  return false;
}

}  // namespace

std::string recorder_in(const fs::path& path) {
  const auto file = MappedFile::open(path.string());
  if (!file) return "";
  const std::span<const char> bytes = (*file)->bytes();
  wire::ChunkCursor cursor({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  for (int i = 0; i < kChunksBeforeFacts; ++i) {
    const std::optional<wire::Chunk> chunk = cursor.next();
    if (!chunk) break;
    if (chunk->header.kind != wire::ChunkKind::kFacts) continue;
    const std::vector<std::string_view> texts = wire::decode_texts(*chunk);
    for (std::size_t fact = 0; fact + 1 < texts.size(); fact += 2) {
      if (texts[fact] == wire::kFactRecorder) return std::string(texts[fact + 1]);
    }
  }
  return "";
}

std::vector<PartedFile> parted_files(const fs::path& folder, std::optional<std::int64_t> recorder) {
  std::map<std::string, std::map<std::int64_t, fs::path>> found;
  for (const fs::path& path : paths_in(folder)) {
    const std::optional<Part> part = part_of(path.filename().string());
    if (part) found[part->name][part->number] = path;
  }
  std::vector<PartedFile> files;
  for (const auto& [name, parts] : found) {
    PartedFile file{name, {}};
    for (const auto& [number, path] : parts) file.parts.push_back(path);
    if (recorder && recorder_in(file.parts.back()) != std::to_string(*recorder)) continue;
    files.push_back(std::move(file));
  }
  return files;
}

Result<void> join_parts(const PartedFile& file, const fs::path& target) {
  const Descriptor to(open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (to.value < 0) return cannot_join(target, errno);
  for (const fs::path& part : file.parts) {
    const Descriptor from(open(part.c_str(), O_RDONLY | O_CLOEXEC));
    if (from.value < 0) continue;
    if (const int error = copy_bytes(from.value, to.value, whole_chunk_bytes(from.value));
        error != 0) {
      std::error_code ignored;
      fs::remove(target, ignored);
      return cannot_join(target, error);
    }
  }
  return {};
}

Result<void> join_parts_in_place(const PartedFile& file, const fs::path& target) {
  const bool is_growing = writer_of(file).has_value();
  std::vector<fs::path> rest = file.parts;
  STROBE_TRY(const fs::path oldest, rename_oldest(rest, target));
  const int error = take_in_parts(rest, target, is_growing);
  if (error == 0) return {};
  std::error_code ignored;
  if (!oldest.empty()) fs::rename(target, oldest, ignored);
  return cannot_join(target, error);
}

std::optional<pid_t> writer_of(const PartedFile& file) {
  const pid_t process = process_in(file.name);
  if (!is_alive(process) || !has_open(process, file.parts.back())) return std::nullopt;
  return process;
}

PartsWatch::PartsWatch(const fs::path& folder) : folder_(folder), before_(look()) {}

std::vector<PartsWatch::State> PartsWatch::look() const {
  std::vector<State> states;
  for (const PartedFile& file : parted_files(folder_)) {
    if (!is_alive(process_in(file.name))) continue;
    std::error_code ignored;
    states.push_back({file.name, fs::file_size(file.parts.back(), ignored), file.parts.size()});
  }
  return states;
}

void PartsWatch::wait(milliseconds most) {
  const auto deadline = std::chrono::steady_clock::now() + most;
  std::vector<State> last = before_;
  auto last_change = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() < deadline) {
    std::vector<State> now = look();
    if (now != last) last_change = std::chrono::steady_clock::now();
    last = std::move(now);
    const bool is_waiting = std::ranges::any_of(
        before_, [&](const State& state) { return std::ranges::find(last, state) != last.end(); });
    if (!is_waiting && std::chrono::steady_clock::now() - last_change >= kCalm) return;
    std::this_thread::sleep_for(kBetweenPolls);
  }
}

void remove_forgotten_parts(const fs::path& folder, std::int64_t recorder, milliseconds keep) {
  const auto oldest = fs::file_time_type::clock::now() - keep;
  for (const PartedFile& file : parted_files(folder, recorder)) {
    if (is_alive(process_in(file.name))) continue;
    for (const fs::path& part : file.parts) {
      std::error_code failed;
      const auto written = fs::last_write_time(part, failed);
      if (!failed && written < oldest) fs::remove(part, failed);
    }
  }
}

}  // namespace strobe::record
