#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/launches/op_tree.h"
#include "strobe/base/interval.h"
#include "strobe/trace/trace.h"

// What the interpreter did. Its frames are not in the trees: they are most of a trace that has
// them, so they are looked at only where nothing else explains the time.
namespace strobe::analysis {

// Interpreter frames and slices of unknown kind.
constexpr bool is_script_kind(SliceKind kind) {
  return kind == SliceKind::kPythonCall || kind == SliceKind::kOther;
}

// How well the name of a frame tells a user where it is.
enum class FramePlace : std::uint8_t {
  kNone,     // no source line: "<built-in method item of ...>"
  kLibrary,  // "torch/nn/modules/module.py(1501): _call_impl"
  kScript,   // "train.py(31): step"
};
FramePlace frame_place(std::string_view name);

// The frames of one thread, from the outermost to the innermost at each moment.
class ThreadFrames {
 public:
  struct Answer {
    StringId name;                                                     // invalid if none is open
    std::int64_t until_ns = std::numeric_limits<std::int64_t>::max();  // the same until then
  };
  void add(Interval interval, StringId name) { frames_.push_back({interval, name}); }
  bool empty() const { return frames_.empty(); }
  void sort();  // once, after the last add()
  // The innermost open frame. By ascending time.
  Answer at(std::int64_t time_ns);

 private:
  struct Frame {
    Interval interval;
    StringId name;
  };
  std::vector<Frame> frames_;
  std::size_t next_ = 0;
  std::vector<std::size_t> open_;
};

// The frames of the watched threads that meet `times`, per thread of the tree. `times`: sorted and
// disjoint; they may touch.
std::vector<ThreadFrames> find_frames(const AttributedTrace& input,
                                      const std::vector<char>& watched, const IntervalSet& times);

// Where a thread was in the script.
struct SourceQuery {
  std::uint32_t thread = OpTree::kNoThread;
  Interval interval;
};
// Per query the name of the innermost frame with a source line that contains the whole interval. A
// frame of a library is the answer only if no frame of a script lies around it. "" if none.
std::vector<std::string> find_sources(const AttributedTrace& input,
                                      const std::vector<SourceQuery>& queries);

}  // namespace strobe::analysis
