#include "strobe/readers/perfetto/track_event_message.h"

#include "strobe/base/protobuf.h"

namespace strobe::readers::perfetto {
namespace {

void read_legacy(std::string_view message, LegacyEvent& legacy) {
  for (ProtobufFields fields(message); fields.next();) {
    const std::uint64_t number = fields.number();
    switch (fields.field()) {
      case kLegacyNameId:
        legacy.name_id = number;
        break;
      case kLegacyPhase:
        legacy.phase = static_cast<char>(number & 0x7F);
        break;
      case kLegacyDuration_us:
        legacy.duration_us = fields.signed_number();
        break;
      case kLegacyUnscopedId:
      case kLegacyLocalId:
      case kLegacyGlobalId:
        legacy.id = number;
        legacy.id_is_local = fields.field() == kLegacyLocalId;
        break;
      case kLegacyScope:
        if (fields.kind() == ProtobufFields::Kind::kBytes) legacy.scope = fields.bytes();
        break;
      case kLegacyBindId:
        legacy.bind_id = number;
        break;
      case kLegacyFlowDirection:
        legacy.flow_direction = number;
        break;
      case kLegacyProcess:
        legacy.process = static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
        break;
      case kLegacyThread:
        legacy.thread = static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
        break;
      default:
        break;
    }
  }
}

}  // namespace

TrackEventMessage read_track_event(std::string_view message) {
  TrackEventMessage event;
  for (ProtobufFields fields(message); fields.next();) {
    switch (fields.field()) {
      case kEventType:
        event.type = static_cast<EventType>(fields.number());
        break;
      case kEventTrack:
        event.track = fields.number();
        break;
      case kEventCategoryIds:
        for_each_number(fields, [&](std::uint64_t id) {
          if (!event.category_id) event.category_id = id;
        });
        break;
      case kEventCategories:
        if (event.category.empty()) event.category = fields.bytes();
        break;
      case kEventNameId:
        event.name_id = fields.number();
        break;
      case kEventName:
        event.name = fields.bytes();
        event.has_name = true;
        break;
      case kEventDelta_us:
        event.delta_us = fields.signed_number();
        break;
      case kEventAbsolute_us:
        event.absolute_us = fields.signed_number();
        break;
      case kEventCounterValue:
        event.value = static_cast<double>(fields.signed_number());
        break;
      case kEventRealCounterValue:
        event.value = fields.real();
        break;
      case kEventAnnotations:
        event.has_annotations = true;
        break;
      case kEventExtraValues:
      case kEventExtraRealValues:
        event.has_extra_values = true;
        break;
      case kEventFlows:
      case kEventLastFlows:
      case kEventOldFlows:
      case kEventOldLastFlows:
        event.has_flows = true;
        break;
      case kEventLegacy:
        event.legacy.emplace();
        read_legacy(fields.bytes(), *event.legacy);
        break;
      case kEventGpuApi:
        event.is_gpu_call = true;
        break;
      case kEventGpuCorrelation:
        for (ProtobufFields one(fields.bytes()); one.next();) {
          if (one.field() == kSubmits) {
            for_each_number(one, [&](std::uint64_t id) { event.submits.push_back(id); });
          } else if (one.field() == kWaitsFor) {
            for_each_number(one, [&](std::uint64_t id) { event.waits_for.push_back(id); });
          }
        }
        break;
      default:
        break;
    }
  }
  return event;
}

}  // namespace strobe::readers::perfetto
