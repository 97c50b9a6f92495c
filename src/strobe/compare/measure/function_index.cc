#include "strobe/compare/measure/function_index.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "strobe/base/text.h"
#include "strobe/compare/measure/measure.h"
#include "strobe/device/name_parts.h"

namespace strobe::compare {
namespace {

std::string_view without_trailing_blanks(std::string_view name) {
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  return name;
}

std::string_view without_trailing_digits(std::string_view name) {
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  return name;
}

// ".constprop.0", ".cold", ".lto_priv.3.llvm.1234": one at a time, from the back.
std::string_view without_clone_suffix(std::string_view name) {
  constexpr std::string_view kWords[] = {".constprop", ".isra", ".part",  ".cold",
                                         ".lto_priv",  ".llvm", ".clone", ".localalias"};
  std::string_view stem = without_trailing_digits(name);
  const bool is_numbered = stem.size() < name.size() && stem.ends_with('.');
  if (is_numbered) {
    stem.remove_suffix(1);
  } else if (stem.size() < name.size()) {
    return name;
  }
  for (const std::string_view word : kWords) {
    if (stem.ends_with(word)) return stem.substr(0, stem.size() - word.size());
  }
  return name;
}

std::string_view without_clone_bracket(std::string_view name) {
  if (!name.ends_with(']')) return name;
  const std::size_t open = name.rfind("[clone ");
  if (open == std::string_view::npos || name.find(']', open) != name.size() - 1) return name;
  return without_trailing_blanks(name.substr(0, open));
}

// "f+0x1a", "f @ 0x7f00", "f (0x7f00)", "f [0x7f00]". A plain hexadecimal word is kept unless
// something separates it: it may be the name.
std::string_view without_address(std::string_view name) {
  std::string_view stem = name;
  const char closing = stem.empty() ? '\0' : stem.back();
  const bool is_bracketed = closing == ')' || closing == ']';
  if (is_bracketed) stem.remove_suffix(1);
  const std::size_t digits_end = stem.size();
  while (!stem.empty() && is_hex_digit(stem.back())) stem.remove_suffix(1);
  if (stem.size() == digits_end || !stem.ends_with("0x")) return name;
  stem.remove_suffix(2);
  if (is_bracketed) {
    if (!stem.ends_with(closing == ')' ? '(' : '[')) return name;
    stem.remove_suffix(1);
  } else if (!stem.ends_with('+') && !stem.ends_with('@') && !stem.ends_with(' ')) {
    return name;
  }
  while (!stem.empty() && (stem.back() == '+' || stem.back() == '@' || stem.back() == ' ')) {
    stem.remove_suffix(1);
  }
  return stem;
}

std::string_view without_decoration(std::string_view name) {
  for (std::string_view before; before != name && !name.empty();) {
    before = name;
    name = without_clone_suffix(without_clone_bracket(without_address(name)));
  }
  return name;
}

}  // namespace

std::string canonical_name(std::string_view name) {
  const std::string_view stem = without_decoration(without_trailing_blanks(name));
  if (stem.empty()) return std::string(name);
  // The demangler also recognises clones, and writes them in brackets.
  const std::string plain = device::demangled(stem);
  return std::string(without_decoration(plain));
}

std::string_view word_of(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::kKernel:
      return "kernel";
    case FunctionKind::kCollective:
      return "collective";
    case FunctionKind::kMemcpy:
      return "memcpy";
    case FunctionKind::kMemset:
      return "memset";
    case FunctionKind::kHostOperator:
      return "host_operator";
    case FunctionKind::kDataLoading:
      return "data_loading";
    case FunctionKind::kRuntimeCall:
      return "runtime_call";
    case FunctionKind::kScheduling:
      return "scheduling";
    case FunctionKind::kInputOutput:
      return "input_output";
    case FunctionKind::kOverhead:
      return "overhead";
  }
  return "";
}

std::optional<FunctionKind> function_kind(SliceKind kind, std::uint8_t flags,
                                          std::string_view category, TrackKind track) {
  switch (kind) {
    case SliceKind::kKernel:
      return (flags & kCommunicates) != 0 ? FunctionKind::kCollective : FunctionKind::kKernel;
    case SliceKind::kMemcpy:
      return FunctionKind::kMemcpy;
    case SliceKind::kMemset:
      return FunctionKind::kMemset;
    case SliceKind::kRuntimeCall:
      return FunctionKind::kRuntimeCall;
    case SliceKind::kOverhead:
      return FunctionKind::kOverhead;
    case SliceKind::kStep:
    case SliceKind::kPythonCall:
    case SliceKind::kSync:
    case SliceKind::kProfiler:
    case SliceKind::kCondition:
    case SliceKind::kDeviceAnnotation:
      return std::nullopt;
    default:
      break;
  }
  if (category == "os_sched") return FunctionKind::kScheduling;
  if (category == "os_io") return FunctionKind::kInputOutput;
  if (track == TrackKind::kDeviceStream) return std::nullopt;
  return kind == SliceKind::kDataLoader ? FunctionKind::kDataLoading : FunctionKind::kHostOperator;
}

namespace {

// The devices of a trace's tracks: "Host" and those that have streams.
class TrackDevices {
 public:
  explicit TrackDevices(const Trace& trace) {
    std::map<std::int32_t, std::uint32_t> numbers;
    for (const Track& track : trace.tracks()) {
      if (track.kind == TrackKind::kDeviceStream) numbers.emplace(track.device.value_or(-1), 0);
    }
    names_.emplace_back(kHostDevice);
    const std::string& label = trace.traits().device_label;
    for (auto& [number, device] : numbers) {
      device = static_cast<std::uint32_t>(names_.size());
      names_.push_back(number < 0 ? label : label + " " + std::to_string(number));
    }
    for (const Track& track : trace.tracks()) {
      of_track_.push_back(
          track.kind == TrackKind::kDeviceStream ? numbers[track.device.value_or(-1)] : 0);
    }
  }

  std::uint32_t operator[](TrackId track) const { return of_track_[track.index()]; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::uint32_t> of_track_;
};

// Functions in the order of their first slice. Nearly every name is one function, so it is found in
// one step from the name's number.
class FunctionFinder {
 public:
  FunctionFinder(const Trace& trace, const TrackDevices& devices)
      : trace_(trace), devices_(devices), first_(trace.strings().size(), FunctionIndex::kNone) {}

  std::uint32_t find(StringId name, FunctionKind kind, std::uint32_t device) {
    std::uint32_t* next = &first_[name.index()];
    while (*next != FunctionIndex::kNone) {
      Entry& entry = entries_[*next];
      if (entry.kind == kind && entry.device == device) return entry.function;
      next = &entry.next;
    }
    const auto added = static_cast<std::uint32_t>(entries_.size());
    *next = added;  // before the entries move
    entries_.push_back({kind, device, function_of(name, kind, device), FunctionIndex::kNone});
    return entries_.back().function;
  }

  // Sorts the functions by key; returns the new number of each.
  std::vector<std::uint32_t> finish(FunctionIndex& index) {
    std::vector<std::uint32_t> renumbered(functions_.size());
    for (const auto& [key, function] : functions_) {
      renumbered[function] = static_cast<std::uint32_t>(index.keys.size());
      index.keys.push_back(key);
      index.device_of.push_back(device_of_[function]);
    }
    return renumbered;
  }

 private:
  struct Entry {
    FunctionKind kind;
    std::uint32_t device;
    std::uint32_t function;
    std::uint32_t next;  // of the same name
  };

  std::uint32_t function_of(StringId name, FunctionKind kind, std::uint32_t device) {
    FunctionKey key{canonical_name(trace_.strings()[name]), kind, devices_.names()[device]};
    const auto [at, is_new] =
        functions_.emplace(std::move(key), static_cast<std::uint32_t>(functions_.size()));
    if (is_new) device_of_.push_back(device);
    return at->second;
  }

  const Trace& trace_;
  const TrackDevices& devices_;
  std::vector<std::uint32_t> first_;  // per name, of entries_
  std::vector<Entry> entries_;
  std::map<FunctionKey, std::uint32_t> functions_;
  std::vector<std::uint32_t> device_of_;
};

// A lookup table for function_kind, which depends on few properties.
class KindTable {
 public:
  explicit KindTable(const Trace& trace) {
    std::vector<std::string_view> categories;
    for (const Category& category : trace.categories()) {
      categories.push_back(trace.strings()[category.name]);
    }
    categories.emplace_back();  // of slices without one
    for (const std::string_view category : categories) {
      for (int kind = 0; kind < kSliceKinds; ++kind) {
        for (const bool communicates : {false, true}) {
          for (const TrackKind track : {TrackKind::kHostThread, TrackKind::kDeviceStream}) {
            kinds_.push_back(function_kind(static_cast<SliceKind>(kind),
                                           communicates ? kCommunicates : kNoFlags, category,
                                           track));
          }
        }
      }
    }
    categories_ = categories.size();
  }

  std::optional<FunctionKind> find(CategoryId category, SliceKind kind, std::uint8_t flags,
                                   bool on_stream) const {
    const std::size_t row =
        std::min(category.index(), categories_ - 1) * kSliceKinds + static_cast<std::size_t>(kind);
    return kinds_[row * 4 + ((flags & kCommunicates) != 0 ? 2 : 0) + (on_stream ? 1 : 0)];
  }

 private:
  std::size_t categories_ = 0;
  std::vector<std::optional<FunctionKind>> kinds_;
};

}  // namespace

FunctionIndex index_functions(const Trace& trace, const std::vector<SliceId>& markers,
                              Interval window, LateWork late) {
  const TrackDevices devices(trace);
  const KindTable kinds(trace);
  FunctionFinder finder(trace, devices);
  FunctionIndex index;
  index.devices = devices.names();
  index.of_slice.assign(trace.slice_count(), FunctionIndex::kNone);

  const SliceColumns& slices = trace.slices();
  auto marker = markers.begin();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (marker != markers.end() && marker->index() == i) {
      ++marker;
      continue;
    }
    const std::int64_t start_ns = slices.starts_ns[i];
    const bool is_late = start_ns >= window.end_ns;
    if (is_late && (late == LateWork::kLeftOut || !is_device_work(slices.kinds[i]))) continue;
    if (start_ns + slices.durations_ns[i] < window.start_ns) continue;
    const std::uint32_t device = devices[slices.tracks[i]];
    const auto kind =
        kinds.find(slices.categories[i], slices.kinds[i], slices.flags[i], device != 0);
    if (!kind) continue;
    index.of_slice[i] = finder.find(slices.names[i], *kind, device);
  }
  const std::vector<std::uint32_t> renumbered = finder.finish(index);
  index.is_operator.resize(index.keys.size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    std::uint32_t& function = index.of_slice[i];
    if (function == FunctionIndex::kNone) continue;
    function = renumbered[function];
    if (slices.kinds[i] == SliceKind::kOperator) index.is_operator[function] = true;
  }
  return index;
}

}  // namespace strobe::compare
