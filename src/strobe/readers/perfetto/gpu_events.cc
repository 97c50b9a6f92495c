#include "strobe/readers/perfetto/gpu_events.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/base/protobuf.h"
#include "strobe/base/text.h"
#include "strobe/device/vendor_names.h"
#include "strobe/readers/perfetto/packet_fields.h"

namespace strobe::readers::perfetto {
namespace {

std::int32_t gpu_number(std::uint64_t number) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::min(number, kMost));
}

// What a stage of the GPU's work is, by its name; most are named after what they draw or compute.
SliceKind stage_kind(std::string_view stage) {
  const std::string word = lower_case(stage);
  if (word.starts_with("memcpy") || word == "copy" || word.starts_with("memory copy") ||
      word.starts_with("memorytransfer")) {
    return SliceKind::kMemcpy;
  }
  if (word.starts_with("memset") || word.starts_with("memory set")) return SliceKind::kMemset;
  if (word.ends_with("annotation")) return SliceKind::kDeviceAnnotation;
  return SliceKind::kKernel;
}

std::string_view stage_category(SliceKind kind) {
  switch (kind) {
    case SliceKind::kMemcpy:
      return "gpu_memcpy";
    case SliceKind::kMemset:
      return "gpu_memset";
    case SliceKind::kDeviceAnnotation:
      return "gpu_user_annotation";
    default:
      return "kernel";
  }
}

// "stream 0007" is stream 7; other queues keep their names.
std::string queue_word(std::string_view name) {
  if (!name.starts_with("stream ") && !name.starts_with("Stream ")) return std::string(name);
  const auto number = parse_whole_number(trimmed(name.substr(7)));
  return number && *number >= 0 ? std::to_string(*number) : std::string(name);
}

std::string sides_of(std::string_view message) {
  std::uint64_t sides[3] = {1, 1, 1};
  for (ProtobufFields fields(message); fields.next();) {
    const std::uint32_t side = fields.field() - 1;
    if (side < 3 && fields.kind() == ProtobufFields::Kind::kNumber) sides[side] = fields.number();
  }
  return fmt::format("[{},{},{}]", sides[0], sides[1], sides[2]);
}

}  // namespace

struct GpuEvents::Stage {
  std::uint64_t event_id = 0;
  std::uint64_t duration_ns = 0;
  std::int32_t gpu = 0;
  std::optional<std::uint64_t> queue_id;
  std::optional<std::uint64_t> stage_id;
  std::uint64_t old_queue = 0;
  std::uint64_t old_stage = 0;
  std::string_view name;
  std::optional<std::uint64_t> name_id;
  std::optional<std::uint64_t> kernel_id;
  std::optional<std::uint64_t> context;
  std::optional<std::uint64_t> submission;
  std::vector<std::uint64_t> waits_for;
};

GpuEvents::Stage GpuEvents::read_stage(std::string_view message) {
  Stage stage;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.field() == kStageWaitsFor) {
      for_each_number(fields, [&](std::uint64_t id) { stage.waits_for.push_back(id); });
    }
    if (fields.is_bytes(kStageName)) stage.name = fields.bytes();
    if (fields.kind() != ProtobufFields::Kind::kNumber) continue;
    const std::uint64_t number = fields.number();
    switch (fields.field()) {
      case kStageEventId:
        stage.event_id = number;
        break;
      case kStageDuration_ns:
        stage.duration_ns = number;
        break;
      case kStageGpu:
        stage.gpu = gpu_number(number);
        break;
      case kStageQueueId:
        stage.queue_id = number;
        break;
      case kStageStageId:
        stage.stage_id = number;
        break;
      case kStageOldQueue:
        stage.old_queue = number;
        break;
      case kStageOldStage:
        stage.old_stage = number;
        break;
      case kStageNameId:
        stage.name_id = number;
        break;
      case kStageKernelId:
        stage.kernel_id = number;
        break;
      case kStageContext:
        stage.context = number;
        break;
      case kStageSubmission:
        stage.submission = number;
        break;
      default:
        break;
    }
  }
  return stage;
}

void GpuEvents::add_old_specs(std::string_view message) {
  for (ProtobufFields fields(message); fields.next();) {
    if (!fields.is_bytes(kOldQueues) && !fields.is_bytes(kOldStages)) continue;
    std::string name;
    for (ProtobufFields one(fields.bytes()); one.next();) {
      if (one.is_bytes(kOldDescriptionName)) name = sanitize_utf8(one.bytes());
    }
    (fields.field() == kOldQueues ? old_queues_ : old_stages_).push_back(std::move(name));
  }
}

std::string GpuEvents::queue_of(const Stage& stage, const Sequence& sequence,
                                std::uint64_t offset) {
  if (!stage.queue_id) {
    if (stage.old_queue < old_queues_.size()) return old_queues_[stage.old_queue];
    return fmt::format("queue {}", stage.old_queue);
  }
  const GpuSpec* spec = sequence.interned.gpu_specs.find(*stage.queue_id);
  if (spec != nullptr && spec->is_known) return queue_word(spec->name);
  sink_.report.add(ImportIssue::kLostName, offset, fmt::format("queue {}", *stage.queue_id));
  return fmt::format("queue {}", *stage.queue_id);
}

std::string GpuEvents::stage_name(const Stage& stage, const Sequence& sequence,
                                  std::uint64_t offset) {
  if (!stage.stage_id) {
    if (stage.old_stage < old_stages_.size()) return old_stages_[stage.old_stage];
    return fmt::format("stage {}", stage.old_stage);
  }
  const GpuSpec* spec = sequence.interned.gpu_specs.find(*stage.stage_id);
  if (spec != nullptr && spec->is_known) return spec->name;
  sink_.report.add(ImportIssue::kLostName, offset, fmt::format("stage {}", *stage.stage_id));
  return fmt::format("stage {}", *stage.stage_id);
}

StringId GpuEvents::name_of(const Stage& stage, const std::string& stage_name,
                            const Sequence& sequence) {
  if (!stage.name.empty()) return sink_.name(stage.name);
  const auto interned = [](const ById<StringId>& names, std::optional<std::uint64_t> id) {
    const StringId* found = id ? names.find(*id) : nullptr;
    return found == nullptr ? StringId() : *found;
  };
  const StringId name = interned(sequence.interned.event_names, stage.name_id);
  if (name.valid()) return name;
  const StringId kernel = interned(sequence.interned.kernels, stage.kernel_id);
  return kernel.valid() ? kernel : sink_.name(stage_name);
}

std::uint8_t GpuEvents::flags_of(StringId name) {
  const auto [entry, is_new] = flags_.try_emplace(name, kNoFlags);
  if (is_new && device::is_any_collective(sink_.builder.strings()[name])) {
    entry->second = kCommunicates;
  }
  return entry->second;
}

void GpuEvents::add_stage(std::string_view message, std::int64_t time_ns, const Sequence& sequence,
                          std::uint64_t offset) {
  const Stage stage = read_stage(message);
  const std::string stage_word = stage_name(stage, sequence, offset);
  TraceBuilder::SliceRow row;
  row.kind = stage_kind(stage_word);
  row.start_ns = time_ns;
  row.name = name_of(stage, stage_word, sequence);
  if (row.kind == SliceKind::kKernel) row.flags = flags_of(row.name);
  row.category = sink_.builder.category(stage_category(row.kind));
  row.track = TrackId(tracks_.of_stream(stage.gpu, queue_of(stage, sequence, offset)));
  row.args = args_of(stage, message, sequence);
  if (stage.duration_ns > static_cast<std::uint64_t>(kLongestDuration_ns)) {
    sink_.report.add(ImportIssue::kAbsurdTime, offset);
  } else {
    row.duration_ns = static_cast<std::int64_t>(stage.duration_ns);
  }
  const SliceId slice = sink_.builder.add_slice(row);
  if (is_device_work(row.kind)) {
    links_.work(static_cast<std::uint32_t>(slice.index()), stage.event_id);
  }
  for (const std::uint64_t other : stage.waits_for) {
    links_.waits(static_cast<std::uint32_t>(slice.index()), other);
  }
}

ArgsId GpuEvents::args_of(const Stage& stage, std::string_view message, const Sequence& sequence) {
  if (!sink_.keeps_args()) return {};
  args_.begin();
  args_.add_number("device", static_cast<std::uint64_t>(stage.gpu));
  if (stage.context) args_.add_number("context", *stage.context);
  if (stage.submission) args_.add_number("submission", *stage.submission);
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_bytes(kStageLaunch)) add_launch(fields.bytes(), sequence);
    if (!fields.is_bytes(kStageExtra)) continue;
    std::string_view key;
    std::string_view value;
    for (ProtobufFields extra(fields.bytes()); extra.next();) {
      if (extra.is_bytes(kExtraName)) key = extra.bytes();
      if (extra.is_bytes(kExtraValue)) value = extra.bytes();
    }
    if (!key.empty()) args_.add_text(key, value);
  }
  return sink_.keep(args_.finish());
}

void GpuEvents::add_launch(std::string_view message, const Sequence& sequence) {
  std::uint64_t shared_bytes = 0;
  bool has_shared = false;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_bytes(kLaunchGrid)) args_.add_json("grid", sides_of(fields.bytes()));
    if (fields.is_bytes(kLaunchBlock)) args_.add_json("block", sides_of(fields.bytes()));
    if (!fields.is_bytes(kLaunchArgs)) continue;
    std::string_view key;
    std::string value;
    std::uint64_t number = 0;
    for (ProtobufFields arg(fields.bytes()); arg.next();) {
      switch (arg.field()) {
        case kLaunchArgNameId:
          if (const StringId* name = sequence.interned.launch_args.find(arg.number());
              name != nullptr && name->valid()) {
            key = sink_.builder.strings()[*name];
          }
          break;
        case kLaunchArgName:
          key = arg.bytes();
          break;
        case kLaunchArgSigned:
          value = std::to_string(arg.signed_number());
          break;
        case kLaunchArgUnsigned:
          number = arg.number();
          value = std::to_string(number);
          break;
        case kLaunchArgReal:
          value = fmt::format("{}", arg.real());
          break;
        case kLaunchArgText:
          value = arg.bytes();
          break;
        default:
          break;
      }
    }
    if (key == "shared_mem_dynamic" || key == "shared_mem_static") {
      shared_bytes += number;
      has_shared = true;
    } else if (key == "registers_per_thread") {
      args_.add_text("registers per thread", value);
    } else if (!key.empty()) {
      args_.add_text(key, value);
    }
  }
  if (has_shared) args_.add_number("shared memory", shared_bytes);
}

const GpuCounterSpec* GpuEvents::spec_of(const GpuCounterSpecs* specs, std::int32_t gpu,
                                         std::uint64_t counter) const {
  if (specs == nullptr) {
    const auto of_gpu = counter_specs_.find(gpu);
    if (of_gpu == counter_specs_.end()) return nullptr;
    specs = &of_gpu->second;
  }
  const auto found = specs->by_counter.find(counter);
  return found == specs->by_counter.end() ? nullptr : &found->second;
}

void GpuEvents::add_counters(std::string_view message, std::int64_t time_ns, bool has_time,
                             const Sequence& sequence, std::uint64_t offset) {
  std::int32_t gpu = 0;
  const GpuCounterSpecs* specs = nullptr;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_number(kGpuCounterGpu)) gpu = gpu_number(fields.number());
    if (!fields.is_number(kGpuCounterDescriptorId)) continue;
    const auto found = sequence.interned.gpu_counters.find(fields.number());
    if (found == sequence.interned.gpu_counters.end()) continue;
    specs = &found->second;
    gpu = specs->gpu;
  }
  CounterVectors& counters = sink_.builder.counters();
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_bytes(kGpuCounterDescriptor)) counter_specs_[gpu].add(fields.bytes());
    if (!fields.is_bytes(kGpuCounters)) continue;
    std::uint64_t counter = 0;
    std::optional<double> value;
    for (ProtobufFields one(fields.bytes()); one.next();) {
      if (one.is_number(kValueCounter)) counter = one.number();
      if (one.is_number(kValueInt)) value = static_cast<double>(one.signed_number());
      if (one.is_fixed(kValueReal)) value = one.real();
    }
    if (!value || !has_time) {
      sink_.report.add(has_time ? ImportIssue::kBadNumber : ImportIssue::kMissingTime, offset,
                       "a GPU counter");
      continue;
    }
    const GpuCounterSpec* spec = spec_of(specs, gpu, counter);
    const std::string name = spec != nullptr && !spec->name.empty()
                                 ? spec->name
                                 : fmt::format("GPU counter {}", counter);
    counters.times_ns.push_back(time_ns);
    counters.tracks.push_back(sink_.tracks.about_device(gpu, "counters"));
    counters.names.push_back(sink_.builder.intern(name));
    const bool has_unit = spec != nullptr && !spec->unit.empty();
    counters.series.push_back(sink_.builder.intern(has_unit ? spec->unit : "value"));
    counters.values.push_back(*value);
  }
}

}  // namespace strobe::readers::perfetto
