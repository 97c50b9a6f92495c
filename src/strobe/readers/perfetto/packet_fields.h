#pragma once

#include <cstdint>
#include <string>

// The numbers of the fields in a Perfetto trace that strobe reads, by message.
namespace strobe::readers::perfetto {

inline constexpr std::uint32_t kTracePacket = 1;

enum PacketField : std::uint32_t {
  kPacketProcessTree = 2,
  kPacketClockSnapshot = 6,
  kPacketTime = 8,
  kPacketSequence = 10,
  kPacketTrackEvent = 11,
  kPacketInternedData = 12,
  kPacketSequenceFlags = 13,
  kPacketStateCleared = 41,  // in older traces
  kPacketPreviousDropped = 42,
  kPacketProcessDescriptor = 43,  // these two, too
  kPacketThreadDescriptor = 44,
  kPacketCompressed = 50,
  kPacketGpuCounter = 52,
  kPacketGpuStage = 53,
  kPacketClock = 58,
  kPacketDefaults = 59,
  kPacketTrackDescriptor = 60,
  kPacketFirstOnSequence = 87,
  kPacketCompressedZstd = 133,
};
enum SequenceFlag : std::uint64_t { kStateCleared = 1, kNeedsState = 2 };

enum DefaultsField : std::uint32_t { kDefaultsTrackEvent = 11, kDefaultsClock = 58 };

enum ClockSnapshotField : std::uint32_t { kSnapshotClocks = 1, kSnapshotPrimary = 2 };
enum ClockField : std::uint32_t {
  kClockId = 1,
  kClockTime = 2,
  kClockIsIncremental = 3,
  kClockUnit_ns = 4,
};

enum InternedField : std::uint32_t {
  kInternedCategories = 1,
  kInternedEventNames = 2,
  kInternedAnnotationNames = 3,
  kInternedContexts = 23,
  kInternedGpuSpecs = 24,
  kInternedAnnotationTexts = 29,
  kInternedCounterDescriptors = 47,
  kInternedComputeKernels = 1000,
  kInternedComputeArgNames = 1001,
};
// Most interned things: an id, a text, and in kernels and stages a second one.
enum InternedTextField : std::uint32_t {
  kTextId = 1,
  kText = 2,
  kSecondText = 3,
  kTextCategory = 4
};

enum TrackField : std::uint32_t {
  kTrackId = 1,
  kTrackName = 2,
  kTrackProcess = 3,
  kTrackThread = 4,
  kTrackParent = 5,
  kTrackCounter = 8,
  kTrackStaticName = 10,
};
enum ProcessField : std::uint32_t { kProcessId = 1, kProcessCommand = 2, kProcessName = 6 };
enum ThreadField : std::uint32_t {
  kThreadProcess = 1,
  kThreadId = 2,
  kThreadName = 5,
  kThreadReference_us = 6,
};
enum CounterField : std::uint32_t {
  kCounterType = 1,
  kCounterUnit = 3,
  kCounterFactor = 4,
  kCounterIsIncremental = 5,
  kCounterUnitName = 6,
};

enum TrackEventField : std::uint32_t {
  kEventDelta_us = 1,
  kEventCategoryIds = 3,
  kEventAnnotations = 4,
  kEventLegacy = 6,
  kEventType = 9,
  kEventNameId = 10,
  kEventTrack = 11,
  kEventExtraValues = 12,
  kEventAbsolute_us = 16,
  kEventCategories = 22,
  kEventName = 23,
  kEventCounterValue = 30,
  kEventExtraTracks = 31,
  kEventOldFlows = 36,
  kEventOldLastFlows = 42,
  kEventRealCounterValue = 44,
  kEventExtraRealTracks = 45,
  kEventExtraRealValues = 46,
  kEventFlows = 47,
  kEventLastFlows = 48,
  kEventGpuCorrelation = 3000,
  kEventGpuApi = 3001,
};
enum class EventType : std::uint64_t {
  kNone = 0,
  kBegin = 1,
  kEnd = 2,
  kInstant = 3,
  kCounter = 4
};
enum GpuCorrelationField : std::uint32_t { kSubmits = 1, kWaitsFor = 2 };

enum LegacyField : std::uint32_t {
  kLegacyNameId = 1,
  kLegacyPhase = 2,
  kLegacyDuration_us = 3,
  kLegacyUnscopedId = 6,
  kLegacyScope = 7,
  kLegacyBindId = 8,
  kLegacyLocalId = 10,
  kLegacyGlobalId = 11,
  kLegacyFlowDirection = 13,
  kLegacyProcess = 18,
  kLegacyThread = 19,
};

enum AnnotationField : std::uint32_t {
  kAnnotationNameId = 1,
  kAnnotationBool = 2,
  kAnnotationUnsigned = 3,
  kAnnotationSigned = 4,
  kAnnotationReal = 5,
  kAnnotationText = 6,
  kAnnotationPointer = 7,
  kAnnotationNested = 8,
  kAnnotationJson = 9,
  kAnnotationName = 10,
  kAnnotationEntries = 11,
  kAnnotationElements = 12,
  kAnnotationTextId = 17,
};
enum NestedField : std::uint32_t {
  kNestedKeys = 2,
  kNestedValues = 3,
  kNestedElements = 4,
  kNestedInt = 5,
  kNestedReal = 6,
  kNestedBool = 7,
  kNestedText = 8,
};

enum GpuStageField : std::uint32_t {
  kStageEventId = 1,
  kStageDuration_ns = 2,
  kStageOldQueue = 3,
  kStageOldStage = 4,
  kStageContext = 5,
  kStageExtra = 6,
  kStageOldSpecs = 7,
  kStageSubmission = 10,
  kStageGpu = 11,
  kStageQueueId = 13,
  kStageStageId = 14,
  kStageName = 17,
  kStageWaitsFor = 18,
  kStageKernelId = 19,
  kStageNameId = 20,
  kStageLaunch = 21,
};
enum OldSpecsField : std::uint32_t { kOldQueues = 2, kOldStages = 3, kOldDescriptionName = 1 };
enum ExtraField : std::uint32_t { kExtraName = 1, kExtraValue = 2 };
enum LaunchField : std::uint32_t { kLaunchGrid = 1, kLaunchBlock = 2, kLaunchArgs = 3 };
enum LaunchArgField : std::uint32_t {
  kLaunchArgNameId = 1,
  kLaunchArgName = 2,
  kLaunchArgSigned = 3,
  kLaunchArgUnsigned = 4,
  kLaunchArgReal = 5,
  kLaunchArgText = 6,
};

enum GpuCounterField : std::uint32_t {
  kGpuCounterDescriptor = 1,
  kGpuCounters = 2,
  kGpuCounterGpu = 3,
  kGpuCounterDescriptorId = 4,
};
enum GpuCounterValueField : std::uint32_t { kValueCounter = 1, kValueInt = 2, kValueReal = 3 };
inline constexpr std::uint32_t kDescriptorSpecs = 1;
enum GpuCounterSpecField : std::uint32_t {
  kSpecCounter = 1,
  kSpecName = 2,
  kSpecNumerators = 7,
  kSpecDenominators = 8,
};

// "ftrace_events", for the report of what is not read.
std::string packet_type(std::uint32_t field);
// Packets about the recording itself: nothing of the program is in them.
bool is_about_recording(std::uint32_t field);
// Whether a packet may have this field: its number is one of a packet's own.
bool is_packet_data(std::uint32_t field);

}  // namespace strobe::readers::perfetto
