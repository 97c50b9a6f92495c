#include "strobe/readers/perfetto/sequence.h"

#include <algorithm>
#include <array>
#include <limits>

#include "strobe/base/json_text.h"
#include "strobe/base/protobuf.h"
#include "strobe/device/name_parts.h"
#include "strobe/readers/perfetto/packet_fields.h"

namespace strobe::readers::perfetto {
namespace {

// By their numbers in the file.
constexpr std::array<std::string_view, 41> kGpuUnits = {
    "",     "bit", "kilobit", "megabit",   "gigabit",  "terabit",    "petabit",
    "byte", "KB",  "MB",      "GB",        "TB",       "PB",         "Hz",
    "kHz",  "MHz", "GHz",     "THz",       "PHz",      "ns",         "us",
    "ms",   "s",   "min",     "h",         "vertex",   "pixel",      "triangle",
    "mW",   "W",   "kW",      "J",         "V",        "A",          "C",
    "F",    "K",   "%",       "primitive", "fragment", "instruction"};

void add_unit(std::uint64_t number, std::string& units) {
  const std::string_view word =
      number < kGpuUnits.size() ? kGpuUnits[number] : std::string_view("?");
  if (word.empty()) return;
  if (!units.empty()) units += ' ';
  units += word;
}

struct InternedText {
  std::uint64_t id = 0;
  std::string_view text;
  std::string_view second;
};

InternedText read_text(std::string_view message) {
  InternedText read;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_number(kTextId)) read.id = fields.number();
    if (fields.is_bytes(kText)) read.text = fields.bytes();
    if (fields.is_bytes(kSecondText)) read.second = fields.bytes();
  }
  return read;
}

}  // namespace

void GpuCounterSpecs::add(std::string_view descriptor) {
  for (ProtobufFields fields(descriptor); fields.next();) {
    if (!fields.is_bytes(kDescriptorSpecs)) continue;
    std::uint64_t counter = 0;
    GpuCounterSpec spec;
    std::string denominators;
    for (ProtobufFields one(fields.bytes()); one.next();) {
      if (one.is_number(kSpecCounter)) counter = one.number();
      if (one.is_bytes(kSpecName)) spec.name = sanitize_utf8(one.bytes());
      if (one.field() == kSpecNumerators) {
        for_each_number(one, [&](std::uint64_t unit) { add_unit(unit, spec.unit); });
      }
      if (one.field() == kSpecDenominators) {
        for_each_number(one, [&](std::uint64_t unit) { add_unit(unit, denominators); });
      }
    }
    if (!denominators.empty()) spec.unit += "/" + denominators;
    by_counter[counter] = std::move(spec);
  }
}

void Interned::add(std::string_view message, TraceBuilder& builder) {
  const auto add_to = [&](ById<StringId>& texts, std::string_view entry) {
    const InternedText read = read_text(entry);
    texts.add(read.id) = builder.intern(sanitize_utf8(read.text));
  };
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.kind() != ProtobufFields::Kind::kBytes) continue;
    switch (fields.field()) {
      case kInternedCategories:
        add_to(categories, fields.bytes());
        break;
      case kInternedEventNames:
        add_to(event_names, fields.bytes());
        break;
      case kInternedAnnotationNames:
        add_to(annotation_names, fields.bytes());
        break;
      case kInternedAnnotationTexts:
        add_to(annotation_texts, fields.bytes());
        break;
      case kInternedComputeArgNames:
        add_to(launch_args, fields.bytes());
        break;
      case kInternedComputeKernels: {
        const InternedText read = read_text(fields.bytes());
        const std::string_view name = read.second.empty() ? read.text : read.second;
        kernels.add(read.id) = builder.intern(device::readable_name(sanitize_utf8(name)));
        break;
      }
      case kInternedGpuSpecs: {
        const InternedText read = read_text(fields.bytes());
        gpu_specs.add(read.id) = {sanitize_utf8(read.text), true};
        break;
      }
      case kInternedCounterDescriptors: {
        std::uint64_t id = 0;
        GpuCounterSpecs specs;
        for (ProtobufFields one(fields.bytes()); one.next();) {
          if (one.is_number(kTextId)) {
            id = one.number();
          } else if (one.kind() == ProtobufFields::Kind::kBytes) {
            specs.add(one.bytes());
          } else if (one.kind() == ProtobufFields::Kind::kNumber) {
            specs.gpu = static_cast<std::int32_t>(
                std::min<std::uint64_t>(one.number(), std::numeric_limits<std::int32_t>::max()));
          }
        }
        gpu_counters[id] = std::move(specs);
        break;
      }
      default:
        break;
    }
  }
}

void Sequence::clear() {
  is_valid = true;
  interned = {};
  clock.reset();
  track.reset();
  extra_tracks.clear();
  extra_real_tracks.clear();
  counters.clear();
}

void Sequence::set_defaults(std::string_view message) {
  track.reset();
  extra_tracks.clear();
  extra_real_tracks.clear();
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_number(kDefaultsClock)) clock = fields.number();
    if (!fields.is_bytes(kDefaultsTrackEvent)) continue;
    for (ProtobufFields event(fields.bytes()); event.next();) {
      if (event.is_number(kEventTrack)) track = event.number();
      const auto add = [&](std::vector<std::uint64_t>& to) {
        for_each_number(event, [&](std::uint64_t value) { to.push_back(value); });
      };
      if (event.field() == kEventExtraTracks) add(extra_tracks);
      if (event.field() == kEventExtraRealTracks) add(extra_real_tracks);
    }
  }
}

}  // namespace strobe::readers::perfetto
