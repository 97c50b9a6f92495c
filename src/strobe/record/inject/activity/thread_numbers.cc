#include "strobe/record/inject/activity/thread_numbers.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

namespace strobe::record {
namespace {

std::string_view name_of_thread(std::uint64_t thread_id, char* room, std::size_t size) noexcept {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%llu/comm",
                static_cast<unsigned long long>(thread_id));
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  const ssize_t bytes = ::read(descriptor, room, size);
  ::close(descriptor);
  std::string_view name(room, bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return name.substr(0, name.find('\n'));
}

}  // namespace

std::uint64_t ThreadNumbers::mine() noexcept {
  static thread_local const auto id = static_cast<std::uint64_t>(::syscall(SYS_gettid));
  return of(id);
}

std::uint64_t ThreadNumbers::of(std::uint64_t thread_id) noexcept {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = numbers_.try_emplace(thread_id, numbers_.size());
  if (is_new) {
    char room[32];
    wire::ChunkRows rows(wire::ChunkKind::kThreads);
    rows.add({thread_id, file_->text(name_of_thread(thread_id, room, sizeof room))});
    file_->write(rows);
  }
  return entry->second;
}

void ThreadNumbers::restart() noexcept {
  const std::lock_guard lock(mutex_);
  numbers_.clear();
}

}  // namespace strobe::record
