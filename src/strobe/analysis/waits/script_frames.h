#pragma once

#include <algorithm>
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
// them, so they are looked at only where no call, data loading or operator explains the time.
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

// The frames of one thread, from the outermost to the innermost at each moment, and between them
// the ranges that show as such (IdleKind::kRange).
class ThreadFrames {
 public:
  struct Answer {
    StringId name;                                                     // invalid if none is open
    std::int64_t until_ns = std::numeric_limits<std::int64_t>::max();  // the same until then
  };
  void add(Interval interval, StringId name) { frames_.push_back({interval, name}); }
  void add_range(Interval interval) { frames_.push_back({interval, {}}); }
  bool empty() const { return frames_.empty(); }
  void sort();  // once, after the last of them
  // The innermost open frame, outside of ranges. By ascending time, with the questions below.
  Answer at(std::int64_t time_ns);
  // In a range: the innermost open frame of a script that was opened after it.
  template <class IsOfScript>
  Answer script_at(std::int64_t time_ns, IsOfScript is_of_script) {
    move_to(time_ns);
    Answer answer = until_next();
    for (auto open = open_.rbegin(); open != open_.rend(); ++open) {
      const Frame& frame = frames_[*open];
      if (frame.interval.end_ns <= time_ns) continue;
      answer.until_ns = std::min(answer.until_ns, frame.interval.end_ns);
      if (frame.is_range()) break;
      if (!is_of_script(frame.name)) continue;
      answer.name = frame.name;
      break;
    }
    return answer;
  }

 private:
  struct Frame {
    Interval interval;
    StringId name;  // invalid for a range

    bool is_range() const { return !name.valid(); }
  };
  void move_to(std::int64_t time_ns);
  Answer until_next() const;

  std::vector<Frame> frames_;
  std::size_t next_ = 0;
  std::vector<std::size_t> open_;
};

// The frames of the watched threads that meet `times`, per thread of the tree, and the ranges of
// threads that have frames. `times`: sorted and disjoint; they may touch.
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
