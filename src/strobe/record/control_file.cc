#include "strobe/record/control_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "strobe/wire/run_settings.h"

namespace strobe::record {
namespace {

using Number = std::atomic<std::uint64_t>;
static_assert(sizeof(Number) == sizeof(std::uint64_t) && Number::is_always_lock_free,
              "other processes see the same eight bytes");

// The bytes are 0, or what another recorder has there. The disk must really have them: to write
// into a hole of a mapped file on a full disk ends the process. 0, or why not.
int reserve_number(int descriptor) {
  int error = 0;
  do {
    error = posix_fallocate(descriptor, 0, sizeof(Number));
  } while (error == EINTR);
  return error;
}

}  // namespace

Result<ControlFile> ControlFile::open(const std::filesystem::path& folder) {
  const std::string path = (folder / wire::kRunControl).string();
  const auto failed = [&](int error) {
    return Error{
        .code = ErrorCode::kCannotWrite, .what = std::strerror(error), .where = path, .hint = ""};
  };
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return failed(errno);
  void* memory = MAP_FAILED;
  int error = reserve_number(descriptor);
  if (error == 0) {
    memory = mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) error = errno;
  }
  if (error != 0) {
    close(descriptor);
    return failed(error);
  }
  return ControlFile(descriptor, static_cast<Number*>(memory));
}

ControlFile::ControlFile(ControlFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      number_(std::exchange(other.number_, nullptr)) {}

ControlFile::~ControlFile() {
  if (number_ != nullptr) munmap(number_, sizeof(Number));
  if (descriptor_ >= 0) close(descriptor_);
}

void ControlFile::ask() const { number_->fetch_add(1); }

std::uint64_t ControlFile::requests() const { return number_->load(); }

}  // namespace strobe::record
