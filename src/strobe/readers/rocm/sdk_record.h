#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/readers/rocm/json_leaves.h"

namespace strobe::readers {

// What strobe reads of a record of rocprofv3's JSON.
enum class SdkField : std::uint8_t {
  kKind,
  kOperation,
  kThread,
  kCorrelation,
  kStart,
  kEnd,
  kAgent,
  kQueue,
  kStream,
  kKernel,
  kDispatch,
  kScratchBytes,
  kSharedBytes,
  kBlockX,
  kBlockY,
  kBlockZ,
  kGridX,
  kGridY,
  kGridZ,
  kCopyBytes,
  kSource,
  kDestination,
  kAllocatedBytes,
  kAddress,
  kCount_,
};

// One record: numbers by field.
class SdkRecord {
 public:
  bool has(SdkField field) const { return (present_ >> index(field) & 1u) != 0; }
  std::uint64_t operator[](SdkField field) const { return has(field) ? values_[index(field)] : 0; }
  std::optional<std::int64_t> time(SdkField field) const;

 private:
  friend class SdkRecordReader;
  static std::size_t index(SdkField field) { return static_cast<std::size_t>(field); }

  std::array<std::uint64_t, static_cast<std::size_t>(SdkField::kCount_)> values_;
  std::uint32_t present_ = 0;
};

// Reads records of one array, which all have the same layout.
class SdkRecordReader {
 public:
  // False if it is no object. A value that is no whole number from 0 on is absent.
  bool read(std::string_view json, SdkRecord& record);

 private:
  struct Known {
    std::string parent;
    std::string key;
    SdkField field = SdkField::kCount_;  // none
  };
  SdkField field_of(const JsonLeaf& leaf, std::size_t place);

  std::vector<Known> layout_;  // what the leaf at this place was in the record before
};

}  // namespace strobe::readers
