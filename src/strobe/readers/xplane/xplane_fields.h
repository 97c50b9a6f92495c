#pragma once

#include <cstdint>

// The numbers of the fields in an XPlane file. A field whose value is 0 is left out by its writer.
namespace strobe::readers::xplane {

enum SpaceField : std::uint32_t { kSpacePlanes = 1, kSpaceHostNames = 4 };

enum PlaneField : std::uint32_t {
  kPlaneId = 1,
  kPlaneName = 2,
  kPlaneLines = 3,
  kPlaneEventMetadata = 4,  // both are maps: a key and a value
  kPlaneStatMetadata = 5,
  kPlaneStats = 6,
};

enum MapField : std::uint32_t { kMapKey = 1, kMapValue = 2 };

enum LineField : std::uint32_t {
  kLineId = 1,
  kLineName = 2,
  kLineTime_ns = 3,
  kLineEvents = 4,
  kLineDisplayName = 11,
};

enum EventField : std::uint32_t {
  kEventMetadataId = 1,
  kEventOffset_ps = 2,  // from the line's time
  kEventDuration_ps = 3,
  kEventStats = 4,
  kEventOccurrences = 5,  // of an event without a time: a sum of several
};

enum StatField : std::uint32_t {
  kStatMetadataId = 1,
  kStatReal = 2,
  kStatUnsigned = 3,
  kStatSigned = 4,
  kStatText = 5,
  kStatBytes = 6,
  kStatReference = 7,  // to the name of another statistic
};

enum EventMetadataField : std::uint32_t {
  kMetadataId = 1,
  kMetadataName = 2,
  kMetadataDisplayName = 4,
  kMetadataStats = 5,
};

enum StatMetadataField : std::uint32_t { kStatNameId = 1, kStatName = 2 };

}  // namespace strobe::readers::xplane
