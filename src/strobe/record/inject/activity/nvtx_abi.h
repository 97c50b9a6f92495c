#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

// The part of NVTX that a tool sees, as nvToolsExt.h of version 3 lays it out. Programs carry their
// own copy of NVTX, of any age, so that this cannot change; with declarations of our own the
// library builds without the vendor's header.
namespace strobe::record {

struct NvtxAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t reserved;
  union Payload {
    std::uint64_t unsigned_64;
    std::int64_t signed_64;
    double real_64;
    std::uint32_t unsigned_32;
    std::int32_t signed_32;
    float real_32;
  } payload;
  std::int32_t message_type;
  const void* message;
};
static_assert(sizeof(NvtxAttributes) == 48 && offsetof(NvtxAttributes, payload) == 24 &&
              offsetof(NvtxAttributes, message) == 40);
static_assert(std::is_trivially_copyable_v<NvtxAttributes>);

enum class NvtxMessageType : std::int32_t { kText = 1, kWide = 2, kRegistered = 3 };
enum class NvtxPayloadType : std::int32_t {
  kUnsigned64 = 1,
  kSigned64 = 2,
  kReal64 = 3,
  kUnsigned32 = 4,
  kSigned32 = 5,
  kReal32 = 6,
};

// NVTX asks a table of pointers before each call; a tool fills it in.
using NvtxFunction = void (*)();
inline constexpr std::uint32_t kNvtxCallbacks = 1;  // the export table below
struct NvtxCallbackTable {
  std::size_t bytes;
  // Of a module: where its function pointers are, by the number of the function, and how many.
  int (*functions_of)(std::int32_t module, NvtxFunction*** functions, unsigned* count);
};
using NvtxExportTables = const void* (*)(std::uint32_t which);

enum class NvtxModule : std::int32_t { kCore = 1, kCore2 = 5 };
enum NvtxCore : unsigned {
  kNvtxMarkEx = 1,
  kNvtxMarkA = 2,
  kNvtxMarkW = 3,
  kNvtxRangeStartEx = 4,
  kNvtxRangeStartA = 5,
  kNvtxRangeStartW = 6,
  kNvtxRangeEnd = 7,
  kNvtxRangePushEx = 8,
  kNvtxRangePushA = 9,
  kNvtxRangePushW = 10,
  kNvtxRangePop = 11,
  kNvtxNameCategoryA = 12,
  kNvtxNameCategoryW = 13,
  kNvtxNameOsThreadA = 14,
  kNvtxNameOsThreadW = 15,
};
enum NvtxCore2 : unsigned {
  kNvtxDomainMarkEx = 1,
  kNvtxDomainRangeStartEx = 2,
  kNvtxDomainRangeEnd = 3,
  kNvtxDomainRangePushEx = 4,
  kNvtxDomainRangePop = 5,
  kNvtxDomainNameCategoryA = 8,
  kNvtxDomainNameCategoryW = 9,
  kNvtxDomainRegisterStringA = 10,
  kNvtxDomainRegisterStringW = 11,
  kNvtxDomainCreateA = 12,
  kNvtxDomainCreateW = 13,
  kNvtxDomainDestroy = 14,
  kNvtxInitialize = 15,
};

}  // namespace strobe::record
