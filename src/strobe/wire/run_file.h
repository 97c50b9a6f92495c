#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

// A file of a recorded run, as `strobe record` and the library it injects write it, and as a reader
// reads it. Layout only; docs/formats/run_file.md describes it.
//
//   file    := chunk+
//   chunk   := ChunkHeader payload padding to 8
//   payload := for each column: its bytes as a 32-bit number, then one varint per row
//
// All numbers are little-endian. Chunks are only appended, each with a checksum: what a killed
// process has written can be read. Times are nanoseconds of CLOCK_MONOTONIC; the fact `clock`
// gives the difference to the wall clock.
//
// Texts, threads, shapes and series are numbered from 0 in the order in which their chunks define
// them; a chunk says the number of its first row, so that a lost one shifts no others. A chunk
// kSegment starts again from 0, so that files of segments can be joined or cut.
namespace strobe::wire {

inline constexpr char kChunkMagic[8] = {'\x89', 'S', 'T', 'R', 'R', 'U', 'N', '\n'};
inline constexpr std::uint16_t kRunFileVersion = 1;
inline constexpr std::uint32_t kChunkAlignment = 8;
inline constexpr std::uint32_t kMostChunkBytes = 64u << 20;  // a longer payload is damage

enum class ChunkKind : std::uint16_t {
  kSegment = 1,       // payload: no columns
  kFacts = 2,         // payload: texts in pairs, key and value; a later one replaces an earlier one
  kTexts = 3,         // payload: texts
  kThreads = 4,       // ThreadColumn
  kShapes = 5,        // ShapeColumn
  kWork = 6,          // WorkColumn: kernels and whole graphs
  kCopies = 7,        // CopyColumn: copies and memsets
  kCalls = 8,         // CallColumn
  kSyncs = 9,         // SyncColumn
  kAllocations = 10,  // AllocationColumn
  kRanges = 11,       // RangeColumn
  kSeries = 12,       // SeriesColumn
  kSamples = 13,      // SampleColumn
  kWaits = 14,        // WaitColumn
  kProcesses = 15,    // ProcessColumn
  kNotes = 16,        // NoteColumn
};
inline constexpr std::size_t kChunkKinds = 17;  // with 0, which no chunk has

struct ChunkHeader {
  char magic[8];
  std::uint16_t version;
  ChunkKind kind;
  std::uint32_t rows;
  std::uint32_t payload_bytes;  // without padding
  std::uint32_t columns;
  std::uint64_t first_row;  // rows of this kind in the segment before this chunk, lost ones too
  std::uint64_t checksum;   // XXH3 of the header with 0 here, then of the payload
};
static_assert(sizeof(ChunkHeader) == 40 && std::is_trivially_copyable_v<ChunkHeader>);

// A text in the payload of kFacts and kTexts: a varint with its bytes, then these.

// How the numbers of a column are written.
enum class Coding : std::uint8_t {
  kPlain,  // as they are, without a sign
  kDelta,  // signed, as the difference from the row before; 0 stands before the first row
};

// A range or a call whose thread is not known.
inline constexpr std::uint64_t kNoThread = 0xffffffff;

enum ThreadColumn : std::size_t { kThreadId, kThreadName, kThreadColumns };
inline constexpr Coding kThreadCodings[] = {Coding::kPlain, Coding::kPlain};

// What device work has in common whenever it runs.
enum class ShapeWhat : std::uint8_t { kKernel = 0, kGraph = 1, kCopy = 2, kMemset = 3 };
enum ShapeColumn : std::size_t {
  kShapeWhat,
  kShapeName,  // text; of a kernel as the compiler wrote it
  kShapeDevice,
  kShapeContext,
  kShapeStream,
  kShapeGraph,  // 0: not part of a graph
  kShapeNode,   // of the graph; 0: none
  kShapeGridX,
  kShapeGridY,
  kShapeGridZ,
  kShapeBlockX,
  kShapeBlockY,
  kShapeBlockZ,
  kShapeRegisters,  // per thread
  kShapeStaticShared,
  kShapeDynamicShared,
  kShapeColumns
};
inline constexpr Coding kShapeCodings[] = {
    Coding::kPlain, Coding::kPlain, Coding::kPlain, Coding::kPlain, Coding::kPlain, Coding::kPlain,
    Coding::kPlain, Coding::kPlain, Coding::kPlain, Coding::kPlain, Coding::kPlain, Coding::kPlain,
    Coding::kPlain, Coding::kPlain, Coding::kPlain, Coding::kPlain};

// The correlation joins device work with the call that started it; 0 if there is none.
enum WorkColumn : std::size_t {
  kWorkShape,
  kWorkStart,
  kWorkDuration,
  kWorkCorrelation,
  kWorkColumns
};
inline constexpr Coding kWorkCodings[] = {Coding::kPlain, Coding::kDelta, Coding::kPlain,
                                          Coding::kDelta};

enum CopyColumn : std::size_t {
  kCopyShape,
  kCopyStart,
  kCopyDuration,
  kCopyCorrelation,
  kCopyBytes,
  kCopyColumns
};
inline constexpr Coding kCopyCodings[] = {Coding::kPlain, Coding::kDelta, Coding::kPlain,
                                          Coding::kDelta, Coding::kPlain};

enum CallColumn : std::size_t {
  kCallThread,  // number of a thread in kThreads
  kCallName,
  kCallStart,
  kCallDuration,
  kCallCorrelation,
  kCallResult,  // 0: success
  kCallColumns
};
inline constexpr Coding kCallCodings[] = {Coding::kPlain, Coding::kPlain, Coding::kDelta,
                                          Coding::kPlain, Coding::kDelta, Coding::kPlain};

// A wait for a stream, an event or a whole context, as the device's library reports it.
enum SyncColumn : std::size_t {
  kSyncName,
  kSyncContext,
  kSyncStream,  // kNoStream for a whole context
  kSyncStart,
  kSyncDuration,
  kSyncCorrelation,
  kSyncColumns
};
inline constexpr Coding kSyncCodings[] = {Coding::kPlain, Coding::kPlain, Coding::kPlain,
                                          Coding::kDelta, Coding::kPlain, Coding::kDelta};
inline constexpr std::uint64_t kNoStream = 0xffffffff;

enum AllocationColumn : std::size_t {
  kAllocationTime,
  kAllocationIsFree,  // 1: freed
  kAllocationDevice,
  kAllocationPlace,  // text: "device", "pinned", "managed"
  kAllocationBytes,
  kAllocationAddress,
  kAllocationCorrelation,
  kAllocationColumns
};
inline constexpr Coding kAllocationCodings[] = {Coding::kDelta, Coding::kPlain, Coding::kPlain,
                                                Coding::kPlain, Coding::kPlain, Coding::kDelta,
                                                Coding::kDelta};

// Ranges of the program itself.
enum class RangeWhat : std::uint8_t { kNested = 0, kFree = 1, kMark = 2 };
enum class PayloadType : std::uint8_t { kNone = 0, kUnsigned = 1, kSigned = 2, kReal = 3 };
enum RangeColumn : std::size_t {
  kRangeThread,  // where it began
  kRangeName,
  kRangeDomain,  // text; "" for the default domain
  kRangeWhat,
  kRangeCategory,  // text; "" for none
  kRangeStart,
  kRangeDuration,
  kRangePayloadType,
  kRangePayload,  // its 64 bits
  kRangeColumns
};
inline constexpr Coding kRangeCodings[] = {Coding::kPlain, Coding::kPlain, Coding::kPlain,
                                           Coding::kPlain, Coding::kPlain, Coding::kDelta,
                                           Coding::kPlain, Coding::kPlain, Coding::kPlain};

enum class SeriesOf : std::uint8_t { kMachine = 0, kDevice = 1, kProcess = 2, kThread = 3 };
enum SeriesColumn : std::size_t {
  kSeriesOf,
  kSeriesNumber,  // the device's index, or the process's id
  kSeriesThread,  // the thread's id, for kThread
  kSeriesMetric,  // text
  kSeriesKey,     // text; "" unless several things have this metric: "python3 (4711)"
  kSeriesScale,   // a value times 10 to the power of this, as a difference: may be negative
  kSeriesColumns
};
inline constexpr Coding kSeriesCodings[] = {Coding::kPlain, Coding::kPlain, Coding::kPlain,
                                            Coding::kPlain, Coding::kPlain, Coding::kDelta};

// All samples of a series together: differences stay small.
enum SampleColumn : std::size_t { kSampleSeries, kSampleTime, kSampleValue, kSampleColumns };
inline constexpr Coding kSampleCodings[] = {Coding::kPlain, Coding::kDelta, Coding::kDelta};

// A time in which a thread was ready to run and had no core.
enum WaitColumn : std::size_t {
  kWaitProcess,
  kWaitThread,
  kWaitStart,
  kWaitDuration,
  kWaitOtherProcess,  // who ran on its core instead; 0 if not known
  kWaitOtherName,     // text
  kWaitColumns
};
inline constexpr Coding kWaitCodings[] = {Coding::kPlain, Coding::kPlain, Coding::kDelta,
                                          Coding::kPlain, Coding::kPlain, Coding::kPlain};

enum ProcessColumn : std::size_t {
  kProcessId,
  kProcessParent,
  kProcessName,       // text: its program without arguments
  kProcessIsForeign,  // 1: not started by the recorded program
  kProcessColumns
};
inline constexpr Coding kProcessCodings[] = {Coding::kPlain, Coding::kPlain, Coding::kPlain,
                                             Coding::kPlain};

// What the recording lacks or what happened to it. Numbers are part of the format: new ones go to
// the end.
enum class NoteWhat : std::uint8_t {
  kRemark = 0,
  kNoLibrary = 1,     // the device's tracing library was not found or is too old
  kOtherTool = 2,     // another tool in the process holds it
  kRefused = 3,       // a call failed; a source is missing from here on
  kDropped = 4,       // the library lost records for want of room; count
  kDiskFull = 5,      // chunks could not be written; count: rows
  kNotPermitted = 6,  // a source needs a permission
  kDeviceError = 7,   // the device reported an error (Xid); count: its code
  kForked = 8,        // the process was forked from a recorded one: its ranges are not recorded
};
enum NoteColumn : std::size_t { kNoteWhat, kNoteTime, kNoteCount, kNoteText, kNoteColumns };
inline constexpr Coding kNoteCodings[] = {Coding::kPlain, Coding::kDelta, Coding::kPlain,
                                          Coding::kPlain};

// The columns of a kind; none for kinds without columns and for unknown kinds.
std::span<const Coding> codings_of(ChunkKind kind) noexcept;

// Keys of kFacts.
inline constexpr char kFactClock[] = "clock";        // wall clock minus CLOCK_MONOTONIC, ns
inline constexpr char kFactProcess[] = "process";    // id
inline constexpr char kFactProgram[] = "program";    // name without arguments
inline constexpr char kFactRecorder[] = "recorder";  // id of the process of strobe
inline constexpr char kFactRank[] = "rank";          // absent if there is none
inline constexpr char kFactWorldSize[] = "world_size";
inline constexpr char kFactHost[] = "host";
inline constexpr char kFactGraphs[] = "graphs";    // "launches" or "nodes"
inline constexpr char kFactCalls[] = "calls";      // "launches", "all" or "none"
inline constexpr char kFactLibrary[] = "library";  // path of the tracing library
inline constexpr char kFactLibraryVersion[] = "library_version";
inline constexpr char kFactDriverVersion[] = "driver_version";
inline constexpr char kFactFinished[] = "finished";  // "1": the process ended normally
inline constexpr char kFactRedacted[] = "redacted";  // "1": names are hashes
// Devices: "device.0.name", "device.0.memory_bytes", "device.0.multiprocessors", ...
inline constexpr char kFactDevice[] = "device.";
// Names of threads: "thread.4711.name". A program renames its threads at any time, but a file
// numbers a thread once, so that the name cannot be part of its definition.
inline constexpr char kFactThread[] = "thread.";
inline constexpr char kFactThreadName[] = ".name";

}  // namespace strobe::wire
