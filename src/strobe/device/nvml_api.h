#pragma once

#include <string>

// The calls of NVML that strobe uses, as NVIDIA documents them; its header is not needed to build.
// Numbers, structures and names of functions are part of the library's binary interface.
namespace strobe::device {

using NvmlDevice = struct NvmlDeviceTag*;
using NvmlEventSet = struct NvmlEventSetTag*;

// What a call returns.
enum NvmlResult : int {
  kNvmlSuccess = 0,
  kNvmlInvalidArgument = 2,
  kNvmlNotSupported = 3,
  kNvmlNoPermission = 4,
  kNvmlNotFound = 6,
  kNvmlInsufficientSize = 7,
  kNvmlDriverNotLoaded = 9,
  kNvmlTimeout = 10,
  kNvmlFunctionNotFound = 13,
  kNvmlGpuIsLost = 15,
  kNvmlResetRequired = 16,
  kNvmlVersionMismatch = 18,  // of the library and the kernel module
  kNvmlEccNotSupported = 22,  // by a virtual GPU
  kNvmlArgumentVersionMismatch = 25,
  kNvmlDeprecated = 26,
};

// What a result means for the caller.
enum class NvmlAnswer {
  kGiven,
  kNotNow,  // another time, perhaps
  kNever,   // this device or driver does not know it, or this process may not
  kLost,    // the device does not answer any more
};
NvmlAnswer answer_of(int result);

enum NvmlClock : int { kNvmlSmClock = 1, kNvmlMemoryClock = 2 };
inline constexpr int kNvmlGpuSensor = 0;
enum NvmlPcieDirection : int { kNvmlPcieTransmit = 0, kNvmlPcieReceive = 1 };

struct NvmlUtilization {
  unsigned gpu;     // percent of the time in which a kernel ran
  unsigned memory;  // percent of the time in which memory was read or written
};

struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;  // what the driver reserves included
};

struct NvmlMemoryV2 {
  unsigned version = static_cast<unsigned>(sizeof(NvmlMemoryV2)) | (2u << 24);
  unsigned long long total = 0;
  unsigned long long reserved = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;  // without what is reserved
};
static_assert(sizeof(NvmlMemoryV2) == 40);

struct NvmlProcess {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};
static_assert(sizeof(NvmlProcess) == 24);
inline constexpr unsigned long long kNvmlNotAvailable = ~0ull;  // in used_bytes

struct NvmlProcessUtilization {
  unsigned pid;
  unsigned long long time_us;  // of the wall clock
  unsigned sm_percent;
  unsigned memory_percent;
  unsigned encoder_percent;
  unsigned decoder_percent;
};
static_assert(sizeof(NvmlProcessUtilization) == 32);

// A value that is asked for by its number, several in one call.
enum class NvmlValueType : int {
  kDouble = 0,
  kUnsignedInt = 1,
  kUnsignedLong = 2,
  kUnsignedLongLong = 3,
  kSignedLongLong = 4,
  kSignedInt = 5,
  kUnsignedShort = 6,
};
union NvmlValue {
  double real;
  unsigned unsigned_int;
  unsigned long unsigned_long;
  unsigned long long unsigned_long_long;
  long long signed_long_long;
  int signed_int;
  unsigned short unsigned_short;
};
struct NvmlFieldValue {
  unsigned field = 0;
  unsigned scope = 0;
  long long time_us = 0;
  long long latency_us = 0;
  NvmlValueType type = NvmlValueType::kDouble;
  int result = kNvmlNotSupported;  // each field has its own
  NvmlValue value = {};

  long long whole_number() const;
};
static_assert(sizeof(NvmlFieldValue) == 40);

enum NvmlField : unsigned {
  kNvmlCorrectedErrors = 3,    // of memory, since the driver was loaded
  kNvmlUncorrectedErrors = 4,  // likewise
  kNvmlLinkCount = 91,
  kNvmlPcieReplays = 94,
  kNvmlLinkTransmitted = 138,       // KiB; scope: a link or kNvmlAllLinks
  kNvmlLinkReceived = 139,          // KiB; likewise
  kNvmlPowerNow = 186,              // mW; the call for power gives the mean of a second
  kNvmlPcieTransmittedBytes = 197,  // 32 bits that wrap
  kNvmlPcieReceivedBytes = 198,     // likewise
  kNvmlLinkTransmittedBytes = 202,  // scope: a link
  kNvmlLinkReceivedBytes = 204,     // likewise
};
inline constexpr unsigned kNvmlAllLinks = ~0u;

enum NvmlEventType : unsigned long long {
  kNvmlCorrectedErrorEvent = 0x1,
  kNvmlUncorrectedErrorEvent = 0x2,
  kNvmlXidEvent = 0x8,
};
struct NvmlEvent {
  NvmlDevice device;
  unsigned long long type;
  unsigned long long data;  // the code of an Xid
  unsigned gpu_instance;
  unsigned compute_instance;
};
static_assert(sizeof(NvmlEvent) == 32);

struct NvmlApi {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_text)(int result) = nullptr;
  int (*driver_version)(char*, unsigned bytes) = nullptr;
  int (*cuda_version)(int*) = nullptr;  // 13000 for 13.0

  int (*device_count)(unsigned*) = nullptr;
  int (*device_by_index)(unsigned, NvmlDevice*) = nullptr;
  int (*device_by_pci_id)(const char*, NvmlDevice*) = nullptr;
  int (*device_name)(NvmlDevice, char*, unsigned bytes) = nullptr;
  int (*device_uuid)(NvmlDevice, char*, unsigned bytes) = nullptr;

  int (*clock_mhz)(NvmlDevice, int which, unsigned*) = nullptr;
  int (*clock_reasons)(NvmlDevice, unsigned long long*) = nullptr;
  int (*power_mw)(NvmlDevice, unsigned*) = nullptr;
  int (*power_limit_mw)(NvmlDevice, unsigned*) = nullptr;
  int (*temperature_c)(NvmlDevice, int sensor, unsigned*) = nullptr;
  int (*utilization)(NvmlDevice, NvmlUtilization*) = nullptr;
  int (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
  int (*memory_v2)(NvmlDevice, NvmlMemoryV2*) = nullptr;
  int (*field_values)(NvmlDevice, int count, NvmlFieldValue*) = nullptr;
  int (*pcie_kilobytes_per_second)(NvmlDevice, int direction, unsigned*) = nullptr;  // blocks 20 ms

  // `count`: room, then how many there are.
  int (*compute_processes)(NvmlDevice, unsigned* count, NvmlProcess*) = nullptr;
  int (*graphics_processes)(NvmlDevice, unsigned* count, NvmlProcess*) = nullptr;
  int (*mps_processes)(NvmlDevice, unsigned* count, NvmlProcess*) = nullptr;
  int (*process_utilization)(NvmlDevice, NvmlProcessUtilization*, unsigned* count,
                             unsigned long long since_us) = nullptr;

  int (*create_event_set)(NvmlEventSet*) = nullptr;
  int (*free_event_set)(NvmlEventSet) = nullptr;
  int (*supported_events)(NvmlDevice, unsigned long long*) = nullptr;
  int (*register_events)(NvmlDevice, unsigned long long types, NvmlEventSet) = nullptr;
  int (*wait_for_event)(NvmlEventSet, NvmlEvent*, unsigned timeout_ms) = nullptr;

  explicit operator bool() const { return init != nullptr; }
};

// Calls that are not found stay null; all of them if there is no library.
NvmlApi open_nvml(const std::string& library = "libnvidia-ml.so.1");

}  // namespace strobe::device
