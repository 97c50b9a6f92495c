#include "strobe/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace strobe {
namespace {

Error cannot_map(const std::filesystem::path& path, int error_number) {
  return {ErrorCode::kNotFound,
          "cannot be mapped: " + std::generic_category().message(error_number),
          path.string(),
          {}};
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot_map(path, errno);
  struct stat status {};
  void* address = MAP_FAILED;
  int error_number = EINVAL;  // what mmap says of an empty file
  if (::fstat(descriptor, &status) != 0) {
    error_number = errno;
  } else if (status.st_size > 0) {
    address = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE,
                     descriptor, 0);
    error_number = errno;
  }
  ::close(descriptor);
  if (address == MAP_FAILED) return cannot_map(path, error_number);
  return std::shared_ptr<const MappedFile>(new MappedFile(
      {static_cast<const char*>(address), static_cast<std::size_t>(status.st_size)}));
}

MappedFile::~MappedFile() { ::munmap(const_cast<char*>(bytes_.data()), bytes_.size()); }

}  // namespace strobe
