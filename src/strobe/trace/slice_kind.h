#pragma once

#include <cstdint>
#include <string_view>

namespace strobe {

// The kind of a slice, in words that all frameworks share. The reader's dialect decides, from
// category and name.
enum class SliceKind : std::uint8_t {
  kOther,  // a slice of unknown kind
  // Host ranges: they nest on their thread and form the operator tree.
  kStep,           // one training or inference step
  kOperator,       // one framework operator call (nested ones too, see TraceTraits)
  kOperatorPhase,  // a phase inside an operator: shape inference, compute, ...
  kUserRange,      // a range opened by the framework's own native code
  kAnnotation,     // a range opened by the user's script
  kDataLoader,
  kForward,
  kBackward,
  kOptimizer,
  kCommunication,
  kPythonOp,
  kDynamicLaunch,  // range around a launch, eager mode
  kStaticLaunch,   // range around a launch, graph mode
  // Host, but outside the operator tree.
  kPythonCall,   // an interpreter frame; frames and steps cross, so they never nest with the ranges
                 // above
  kRuntimeCall,  // a call into the driver or runtime; attaches to the innermost host range
  kOverhead,     // the profiler's own work
  kSync,         // a wait, as the profiler draws it
  kProfiler,     // the span of the whole capture and the like
  kCondition,    // a state of the machine during the run: not the program's own time
  // Device work.
  kKernel,
  kMemcpy,
  kMemset,
  kDeviceAnnotation,  // a host range projected onto the device: not work
};

inline constexpr int kSliceKinds = static_cast<int>(SliceKind::kDeviceAnnotation) + 1;

constexpr bool is_tree_kind(SliceKind kind) {
  return kind >= SliceKind::kStep && kind <= SliceKind::kStaticLaunch;
}
constexpr bool is_device_work(SliceKind kind) {
  return kind == SliceKind::kKernel || kind == SliceKind::kMemcpy || kind == SliceKind::kMemset;
}
// Whether a track is busy during such a slice; a range projected from elsewhere is not work, nor is
// a state of the machine.
constexpr bool is_busy(SliceKind kind) {
  return kind != SliceKind::kDeviceAnnotation && kind != SliceKind::kCondition;
}
// Whether such a slice belongs to the time that a trace covers. The profiler's own slices begin
// before the program's and end after them, as the machine's states do, and projected ranges show
// nothing new.
constexpr bool stretches_extent(SliceKind kind) {
  return kind != SliceKind::kProfiler && kind != SliceKind::kOverhead &&
         kind != SliceKind::kDeviceAnnotation && kind != SliceKind::kCondition;
}
constexpr bool is_on_device(SliceKind kind) { return kind >= SliceKind::kKernel; }
// The four phases of a model besides its steps.
constexpr bool is_model_phase(SliceKind kind) {
  return kind == SliceKind::kDataLoader || kind == SliceKind::kForward ||
         kind == SliceKind::kBackward || kind == SliceKind::kOptimizer;
}

// "operator phase", "kernel": the word used in tables, JSON keys (with underscores) and on the
// page.
std::string_view word_of(SliceKind kind);

// What the dialect knows about one slice beyond its kind.
enum SliceFlag : std::uint8_t {
  kNoFlags = 0,
  kCommunicates = 1,     // an operator or a kernel that moves data between processes or devices
  kBackwardWork = 2,     // an operator run by the autograd engine
  kUnfinished = 4,       // its end was not recorded: it ends where the trace ends
  kModule = 8,           // a call of one module of the model
  kClassicDiffers = 16,  // the classic tables decide otherwise than kCommunicates
};

// Whether a slice communicates according to the classic tables, which know fewer names.
constexpr bool communicates_in_classic_tables(std::uint8_t flags) {
  return ((flags & kCommunicates) != 0) != ((flags & kClassicDiffers) != 0);
}

}  // namespace strobe
