#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/result.h"

// Values sent from a worker to the check: a file of f32, little endian, and nothing else.
namespace strobe::bench {

// All of it, into an open file or pipe; false: `errno` says why not.
bool write_all(int file, std::string_view bytes);

Result<void> write_row_file(const std::string& path, std::span<const float> values);
// Exactly `count` values, or what is wrong with the file.
Result<std::vector<float>> read_row_file(const std::string& path, std::size_t count);

// A folder for such files, in memory if possible, removed by the destructor.
class RowFolder {
 public:
  static Result<RowFolder> make();
  RowFolder(RowFolder&& other) noexcept;
  RowFolder& operator=(RowFolder&&) = delete;
  ~RowFolder();
  std::string file(std::string_view name) const { return path_ + '/' + std::string(name); }

 private:
  explicit RowFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace strobe::bench
