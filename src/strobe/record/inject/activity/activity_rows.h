#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <utility>

#include "strobe/record/inject/activity/shape_table.h"
#include "strobe/wire/run_file_writer.h"

namespace strobe::record {

// CUPTI's records of device work, as rows of the file of a run.
class ActivityRows {
 public:
  ActivityRows(wire::RunFileWriter& file, bool is_redacting) noexcept;

  void add(const CUpti_Activity& record) noexcept;
  void write() noexcept;    // all rows so far
  void restart() noexcept;  // the file has started again from 0; rows were written before
  std::mutex& mutex() noexcept { return mutex_; }  // the caller of the above holds it

  const std::set<std::uint32_t>& devices() const noexcept { return devices_; }
  // How many were left out since the last time, because they had not ended.
  std::uint64_t take_without_times() noexcept { return std::exchange(without_times_, 0); }

 private:
  void add_kernel(const CUpti_ActivityKernel10& kernel) noexcept;
  void add_graph(const CUpti_ActivityGraphTrace2& graph) noexcept;
  template <class Copy>
  void add_copy(const Copy& copy, std::uint64_t graph_node) noexcept;
  void add_memset(const CUpti_ActivityMemset4& memset) noexcept;
  void add_work(const Shape& shape, std::uint64_t start, std::uint64_t end,
                std::uint64_t correlation) noexcept;
  void add_bytes(const Shape& shape, std::uint64_t start, std::uint64_t end,
                 std::uint64_t correlation, std::uint64_t bytes) noexcept;
  void saw_device(std::uint32_t device) noexcept;
  bool has_times(std::uint64_t start, std::uint64_t end) noexcept;

  wire::RunFileWriter* file_;
  std::mutex mutex_;
  NameTexts names_;
  ShapeTable shapes_;
  wire::ChunkRows work_{wire::ChunkKind::kWork};
  wire::ChunkRows copies_{wire::ChunkKind::kCopies};
  std::set<std::uint32_t> devices_;
  std::uint32_t last_device_ = ~0u;
  std::uint64_t without_times_ = 0;
};

}  // namespace strobe::record
