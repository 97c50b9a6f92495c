#include "strobe/record/inject/recording_writer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace strobe::record {
namespace {

constexpr std::uint32_t kMostObstacles = 64;  // an error in every launch must not fill the disk
constexpr std::size_t kFlushBytes = 1 << 20;

template <class T>
std::string_view bytes_of(const T& value) noexcept {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::size_t padding_after(std::size_t bytes) noexcept {
  return (wire::kRecordAlignment - bytes % wire::kRecordAlignment) % wire::kRecordAlignment;
}

void name_program(char (&program)[64]) noexcept {
  const int descriptor = ::open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  const ssize_t got = ::read(descriptor, program, sizeof program - 1);
  ::close(descriptor);
  if (got > 0 && program[got - 1] == '\n') program[got - 1] = 0;
}

bool write_all(int descriptor, const char* bytes, std::size_t size, std::uint64_t at) noexcept {
  while (size > 0) {
    const ssize_t wrote = ::pwrite(descriptor, bytes, size, static_cast<off_t>(at));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes += wrote;
    size -= static_cast<std::size_t>(wrote);
    at += static_cast<std::uint64_t>(wrote);
  }
  return true;
}

}  // namespace

bool RecordingWriter::open(const std::string& path) noexcept {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  void* shared = MAP_FAILED;
  // Not a hole: on a full disk, writing into it would end the process.
  if (::posix_fallocate(descriptor, 0, sizeof(wire::SectionHeader)) == 0) {
    shared = ::mmap(nullptr, sizeof(wire::SectionHeader), PROT_READ | PROT_WRITE, MAP_SHARED,
                    descriptor, 0);
  }
  if (shared == MAP_FAILED) {
    ::close(descriptor);
    return false;
  }
  header_ = static_cast<wire::SectionHeader*>(shared);
  header_->version = wire::kRecordingVersion;
  header_->header_bytes = sizeof(wire::SectionHeader);
  header_->process_id = ::getpid();
  header_->start_unix_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
  name_program(header_->program);
  std::memcpy(header_->magic, wire::kRecordingMagic, sizeof header_->magic);
  descriptor_ = descriptor;
  return true;
}

void RecordingWriter::append(wire::RecordKind kind,
                             std::span<const std::string_view> parts) noexcept {
  if (!is_open()) return;
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const std::string_view part : parts) bytes += part.size();
  const wire::RecordHeader header = {kind, static_cast<std::uint32_t>(bytes)};
  const std::string_view head = bytes_of(header);
  pending_.insert(pending_.end(), head.begin(), head.end());
  for (const std::string_view part : parts) {
    pending_.insert(pending_.end(), part.begin(), part.end());
  }
  pending_.insert(pending_.end(), padding_after(bytes), 0);
  if (pending_.size() >= kFlushBytes) flush_locked();
}

void RecordingWriter::metric(std::string_view name) noexcept {
  append(wire::RecordKind::kMetric, std::array{name});
}

void RecordingWriter::device(const wire::DeviceRecord& device) noexcept {
  append(wire::RecordKind::kDevice, std::array{bytes_of(device)});
}

void RecordingWriter::launch(const wire::LaunchRecord& launch, std::string_view name,
                             std::span<const double> values) noexcept {
  static constexpr std::array<char, wire::kRecordAlignment> kZeros = {};
  wire::LaunchRecord record = launch;
  record.name_bytes = static_cast<std::uint32_t>(name.size());
  record.metrics = static_cast<std::uint32_t>(values.size());
  append(wire::RecordKind::kLaunch,
         std::array{
             bytes_of(record), name, std::string_view(kZeros.data(), padding_after(name.size())),
             std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes())});
}

void RecordingWriter::obstacle(wire::Obstacle what, std::string_view text, int result,
                               std::uint64_t launches_lost, bool is_fatal) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (obstacles_ == kMostObstacles && !is_fatal) return;
    ++obstacles_;
  }
  const wire::ObstacleRecord record = {what, result, launches_lost, is_fatal ? 1u : 0u,
                                       static_cast<std::uint32_t>(text.size())};
  append(wire::RecordKind::kObstacle, std::array{bytes_of(record), text});
  flush();
}

void RecordingWriter::flush() noexcept {
  if (!is_open()) return;
  const std::lock_guard lock(mutex_);
  flush_locked();
}

void RecordingWriter::flush_locked() noexcept {
  const std::uint64_t end = header_->header_bytes + header_->body_bytes;
  // On a full disk the section ends with its last complete batch.
  if (write_all(descriptor_, pending_.data(), pending_.size(), end)) {
    header_->body_bytes += pending_.size();
  }
  pending_.clear();
}

void RecordingWriter::finish() noexcept {
  if (!is_open()) return;
  flush();
  header_->is_finished = 1;
}

void count(std::uint64_t& counter, std::uint64_t by) noexcept {
  std::atomic_ref(counter).fetch_add(by, std::memory_order_relaxed);
}

Inside::Inside(RecordingWriter& writer, const char* call) noexcept : writer_(&writer) {
  std::strncpy(writer.header().inside, call, sizeof writer.header().inside - 1);
}

Inside::~Inside() { writer_->header().inside[0] = 0; }

}  // namespace strobe::record
