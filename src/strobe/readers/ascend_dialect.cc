#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/readers/ascend/launch_arrows.h"
#include "strobe/readers/ascend/tasks.h"
#include "strobe/readers/classify.h"
#include "strobe/readers/dialect.h"

// PyTorch on NPUs, and their own profiler: a bare array whose times are texts. What an event is
// depends on the process that it stands in: the layers of the software stack are processes.
namespace strobe::readers {
namespace {

enum class NpuLayer : std::uint8_t {
  kHost,         // the framework, under its own process number
  kCalls,        // runtime calls of the same threads
  kDevice,       // streams
  kCollectives,  // one line per group, and one per plane with the parts
  kDerived,      // computed from the others
};

struct NpuLayerName {
  std::string_view process;
  NpuLayer layer;
};
constexpr NpuLayerName kLayerNames[] = {
    {"CANN", NpuLayer::kCalls},
    {"Ascend Hardware", NpuLayer::kDevice},
    {"HCCL", NpuLayer::kCollectives},
    {"Communication", NpuLayer::kCollectives},
    {"Overlap Analysis", NpuLayer::kDerived},
};

const NpuLayerName* layer_named(std::string_view process) {
  const auto found = std::ranges::find(kLayerNames, process, &NpuLayerName::process);
  return found == std::end(kLayerNames) ? nullptr : found;
}

// Calls are named after their layer: "AscendCL@aclrtMemcpyAsync", "Node@launch".
struct CallPrefix {
  std::string_view prefix;
  std::string_view layer;
};
constexpr CallPrefix kCallPrefixes[] = {
    {"AscendCL@", kProgramLayer},
    {"Model@", "model"},
    {"Node@", "node"},
    {"Hccl@", "hccl"},
    {"Communication@", "communication"},
    {"Runtime@", "runtime"},
};

const CallPrefix* prefix_of_call(std::string_view name) {
  const auto found = std::ranges::find_if(
      kCallPrefixes, [&](const CallPrefix& one) { return name.starts_with(one.prefix); });
  return found == std::end(kCallPrefixes) ? nullptr : found;
}

std::string_view name_without_layer(std::string_view name) {
  if (const CallPrefix* prefix = prefix_of_call(name)) name.remove_prefix(prefix->prefix.size());
  return name;
}

bool has_any_word(const std::vector<std::string>& list, const auto& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return std::ranges::find(list, word) != list.end(); });
}

// A bare array in which a layer has its process, or with times as texts and a framework's words.
bool is_ascend_head(const TraceHead& head) {
  if (!head.members.empty()) return false;
  if (std::ranges::any_of(head.process_names, [](const std::string& name) {
        const NpuLayerName* layer = layer_named(name);
        // Others might have a process called "Communication".
        return layer != nullptr && layer->process != "Communication";
      })) {
    return true;
  }
  constexpr std::string_view kOwnWords[] = {kQueueArrow, kOperatorArrow};
  constexpr std::string_view kSharedWords[] = {kQueueing, kUnqueueing, kLaunchArrow, "cpu_op",
                                               "python_function"};
  return has_any_word(head.categories, kOwnWords) ||
         (head.has_text_times && has_any_word(head.categories, kSharedWords));
}

CategoryRule ascend_category_rule(std::string_view category) {
  if (category.empty()) return {SliceKind::kOther, false, true};
  return npu_host_rule(category);
}

// Of an event without a category.
std::string_view ascend_category_by_args(const RawEvent& event) {
  if (event.phase != 'X') return {};
  if (const CallPrefix* prefix = prefix_of_call(event.name.text)) return prefix->layer;
  std::string_view category;
  for_each_member(event.args, [&](std::string_view key, const JsonValue& value) {
    if (!category.empty()) return;
    if (key == "Task Type") category = npu_task_category(value.text);
    if (key == "level") category = npu_call_layer(value.text);
    if (key == "task type") category = kCollectiveTask;
    if (key == "alg_type" || key == "data_type") category = kCollective;
  });
  return category;
}

// The number of a layer's process holds the program's own, the layer and the device.
constexpr int kProgramShift = 10;
constexpr std::int64_t kDeviceMask = 31;

std::int32_t npu_of(const Track& track) {
  return static_cast<std::int32_t>(track.process_number.value_or(0) & kDeviceMask);
}

class NpuLayers {
 public:
  explicit NpuLayers(TraceBuilder& builder) : builder_(builder) {
    for (const Track& track : builder.tracks()) {
      const NpuLayerName* layer =
          track.process_name.valid() ? layer_named(builder.strings()[track.process_name]) : nullptr;
      if (layer == nullptr && track.process_number) {
        threads_.try_emplace({*track.process_number, track.thread}, TrackId(layers_.size()));
        if (track.process_name.valid()) program_names_[*track.process_number] = track.process_name;
      }
      layers_.push_back(layer == nullptr ? NpuLayer::kHost : layer->layer);
    }
  }

  void decide_kinds() {
    SliceVectors& slices = builder_.slices();
    for (std::size_t row = 0; row < slices.size(); ++row) {
      const TrackId track = slices.tracks[row];
      if (layers_[track.index()] == NpuLayer::kHost) continue;
      const NameRule rule = rule_of(track, slices.categories[row], slices.names[row]);
      slices.kinds[row] = rule.kind;
      slices.flags[row] = static_cast<std::uint8_t>((slices.flags[row] & kUnfinished) | rule.flags);
    }
  }

  // Calls go to the thread that made them, which the framework's process has under the same number.
  void place_tracks() {
    std::vector<Track>& tracks = builder_.tracks();
    std::vector<TrackId> places(tracks.size());
    bool has_moved = false;
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      places[i] = TrackId(i);
      Track& track = tracks[i];
      switch (layers_[i]) {
        case NpuLayer::kHost:
          break;
        case NpuLayer::kCalls:
          places[i] = thread_of_calls(track, TrackId(i));
          has_moved = has_moved || places[i] != TrackId(i);
          break;
        case NpuLayer::kCollectives:
          if (track.thread_name.valid()) track.thread = track.thread_name;
          [[fallthrough]];
        case NpuLayer::kDevice:
          track.kind = TrackKind::kDeviceStream;
          track.device = npu_of(track);
          break;
        case NpuLayer::kDerived:
          track.kind = TrackKind::kOther;
          track.device = npu_of(track);
          break;
      }
    }
    if (has_moved) move_rows(places);
    mark_machine_tracks();
  }

 private:
  // PERF: neighbours on a stream often are the same kernel, but its name is looked at once.
  NameRule rule_of(TrackId track, CategoryId category, StringId name) {
    const std::string_view type = builder_.strings()[builder_.categories()[category.index()].name];
    switch (layers_[track.index()]) {
      case NpuLayer::kHost:
        break;
      case NpuLayer::kCalls:
        return {SliceKind::kRuntimeCall, kNoFlags};
      case NpuLayer::kDevice:
        return task_rule(type, category, name);
      case NpuLayer::kCollectives:
        if (type == kCollectiveTask || is_plane(track)) break;
        return {SliceKind::kKernel, kCommunicates};
      case NpuLayer::kDerived:
        break;
    }
    return {SliceKind::kDeviceAnnotation, kNoFlags};
  }

  NameRule task_rule(std::string_view type, CategoryId category, StringId name) {
    if (by_name_.size() <= category.index()) by_name_.resize(category.index() + 1);
    auto& rules = by_name_[category.index()];
    if (rules.size() <= name.index()) rules.resize(builder_.strings().size());
    std::optional<NameRule>& rule = rules[name.index()];
    if (!rule) rule = npu_task_rule(builder_.strings()[name], type);
    return *rule;
  }

  bool is_plane(TrackId track) const {
    const StringId name = builder_.tracks()[track.index()].thread_name;
    return name.valid() && builder_.strings()[name].starts_with("Plane");
  }

  TrackId thread_of_calls(Track& calls, TrackId own) {
    calls.kind = TrackKind::kHostThread;
    const std::int64_t program = calls.process_number.value_or(0) >> kProgramShift;
    if (program <= 0) return own;
    if (const auto name = program_names_.find(program); name != program_names_.end()) {
      calls.process_name = name->second;
    }
    const auto thread = threads_.find({program, calls.thread});
    if (thread != threads_.end()) return thread->second;
    calls.process = builder_.intern(std::to_string(program));
    calls.process_number = program;
    return own;
  }

  void move_rows(const std::vector<TrackId>& places) {
    const auto move = [&](std::vector<TrackId>& tracks) {
      for (TrackId& track : tracks) track = places[track.index()];
    };
    move(builder_.slices().tracks);
    move(builder_.instants().tracks);
    move(builder_.flows().tracks);
    move(builder_.counters().tracks);
    move(builder_.memory().tracks);
  }

  // Processes of the machine have counters only.
  void mark_machine_tracks() {
    std::vector<bool> has_slices(builder_.tracks().size());
    for (const TrackId track : builder_.slices().tracks) has_slices[track.index()] = true;
    std::vector<bool> has_counters(builder_.tracks().size());
    for (const TrackId track : builder_.counters().tracks) has_counters[track.index()] = true;
    for (std::size_t i = 0; i < has_slices.size(); ++i) {
      Track& track = builder_.tracks()[i];
      if (layers_[i] != NpuLayer::kHost || has_slices[i] || !has_counters[i]) continue;
      track.kind = TrackKind::kOther;
      track.device = npu_of(track);
    }
  }

  TraceBuilder& builder_;
  std::vector<NpuLayer> layers_;                                  // of tracks
  std::map<std::pair<std::int64_t, StringId>, TrackId> threads_;  // of programs
  std::map<std::int64_t, StringId> program_names_;
  std::vector<std::vector<std::optional<NameRule>>> by_name_;  // of tasks, by category
};

void complete_ascend(TraceBuilder& builder) {
  NpuLayers layers(builder);
  layers.decide_kinds();
  layers.place_tracks();
  join_npu_launches(builder);
}

void finish_ascend(TraceBuilder& builder, const FileOrder&, ImportReport&) {
  demangle_kernels(builder);
}

}  // namespace

const Dialect kAscendDialect = {
    .traits = npu_traits(),
    .recognises = is_ascend_head,
    .category_rule = ascend_category_rule,
    .name_rule = npu_host_name_rule,
    .plain_name = name_without_layer,
    .category_by_args = ascend_category_by_args,
    .complete = complete_ascend,
    .finish = finish_ascend,
};

}  // namespace strobe::readers
