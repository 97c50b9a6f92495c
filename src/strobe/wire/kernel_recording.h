#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

// The raw recording of `strobe kernels record`, as the injected library writes it in a foreign
// process and as a reader reads it. Layout only, no logic; docs/formats/kernel_recording.md
// describes it.
//
//   recording := section+             one per recorded process
//   section   := SectionHeader record*     body_bytes of records
//   record    := RecordHeader payload padding to 8
//
// All numbers are little-endian. A section is grown record by record while the process runs, and
// its header is kept up to date in shared memory: a process that dies leaves a recording that can
// be read.
namespace strobe::wire {

inline constexpr char kRecordingMagic[8] = {'S', 'T', 'R', 'O', 'B', 'E', 'K', 'R'};
inline constexpr std::uint32_t kRecordingVersion = 1;
inline constexpr std::uint32_t kRecordAlignment = 8;

struct SectionHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;  // records start here
  std::uint64_t body_bytes;    // whole records only
  std::int64_t process_id;
  std::int64_t start_unix_ns;
  char program[64];  // zero-terminated unless full

  // Counted while the process runs.
  std::uint64_t launches_seen;      // every launch call outside of a capture
  std::uint64_t launches_chosen;    // of those, accepted by the filters
  std::uint64_t launches_recorded;  // of those, with a record
  std::uint64_t launches_lost;      // of those, known to have none
  std::uint64_t graph_launches;     // of those seen, whole graphs: they are not measured
  std::uint64_t launches_captured;  // into a graph under construction: they ran nothing
  std::uint64_t overhead_ns;        // spent in the library's own calls, launches not included

  std::uint32_t cupti_version;
  std::uint32_t driver_version;
  std::uint32_t passes;       // runs of each kernel; 0: never configured
  std::uint32_t is_finished;  // 1: the process ended normally and everything was flushed
  std::uint64_t batches;      // times the counters were read out
  char inside[48];  // the call in progress, "" if there is none: where the process hung or died
  std::uint8_t reserved[24];
};
static_assert(sizeof(SectionHeader) == 256);
static_assert(offsetof(SectionHeader, launches_seen) == 104);
static_assert(offsetof(SectionHeader, cupti_version) == 160);

enum class RecordKind : std::uint32_t {
  kMetric = 1,    // payload: the name, in the order of the launches' values
  kDevice = 2,    // DeviceRecord
  kLaunch = 3,    // LaunchRecord, name, padding to 8, one double per metric
  kObstacle = 4,  // ObstacleRecord, text
};

struct RecordHeader {
  RecordKind kind;
  std::uint32_t bytes;  // of the payload, without padding
};
static_assert(sizeof(RecordHeader) == 8);

struct DeviceRecord {
  std::uint32_t index;
  std::uint32_t sm_count;
  std::uint32_t capability_major;
  std::uint32_t capability_minor;
  std::uint64_t most_clock_hz;
  std::uint64_t memory_clock_hz;
  std::uint32_t memory_bus_bits;
  std::uint32_t l2_bytes;
  std::uint64_t memory_bytes;
  char chip[16];   // "GH100"
  char name[112];  // "NVIDIA H200"
};
static_assert(sizeof(DeviceRecord) == 176);

struct LaunchRecord {
  std::uint64_t index;            // the launch's number in its process, from 0, filtered or not
  std::int64_t launched_unix_ns;  // when the host launched it
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t dynamic_shared_bytes;
  std::uint32_t static_shared_bytes;  // kUnknown if not requested, like the next
  std::uint32_t registers_per_thread;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t window;  // between cuProfilerStart and cuProfilerStop, from 1; 0: no windows
  std::uint32_t name_bytes;
  std::uint32_t metrics;  // doubles; NaN is not counted
  std::uint32_t reserved;
};
static_assert(sizeof(LaunchRecord) == 80);
inline constexpr std::uint32_t kUnknown = 0xffffffff;

// What prevented measuring. Numbers are part of the format: new ones go to the end.
enum class Obstacle : std::uint32_t {
  kNone = 0,
  kNoLibrary = 1,          // the counter library was not found
  kOldLibrary = 2,         // found, but required calls are missing
  kOtherTool = 3,          // another tool is already subscribed in this process
  kNoPermission = 4,       // counters are only for administrators
  kCountersBusy = 5,       // another process holds the counters
  kUnsupportedDevice = 6,  // virtual, too old, confidential
  kUnknownMetric = 7,      // text: its name
  kBadSettings = 8,        // a mistake of the launcher
  kSetup = 9,              // a call failed before the first launch was measured
  kMeasure = 10,           // a call failed later: launches of a batch are lost
  kMismatch = 11,          // ranges and launches differ: the batch is lost
  kDropped = 12,           // the counters ran out of room
  kNote = 13,              // not a problem; a note for a closer look
};

struct ObstacleRecord {
  Obstacle what;
  std::int32_t result;     // of the call; 0 if no call was involved
  std::uint64_t launches;  // lost because of it
  std::uint32_t is_fatal;  // 1: nothing was measured after it
  std::uint32_t text_bytes;
};
static_assert(sizeof(ObstacleRecord) == 24);

static_assert(std::is_trivially_copyable_v<SectionHeader> &&
              std::is_trivially_copyable_v<DeviceRecord> &&
              std::is_trivially_copyable_v<LaunchRecord> &&
              std::is_trivially_copyable_v<ObstacleRecord>);

}  // namespace strobe::wire
