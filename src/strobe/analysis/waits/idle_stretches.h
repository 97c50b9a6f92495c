#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/waits/cause_list.h"
#include "strobe/analysis/waits/idle_gaps.h"
#include "strobe/analysis/waits/profiler_overhead.h"
#include "strobe/analysis/waits/script_frames.h"
#include "strobe/analysis/waits/thread_activity.h"
#include "strobe/base/interval.h"
#include "strobe/base/row_index.h"

namespace strobe::analysis {

// Finds the causes of idle gaps.
//
//     device    ====|                     |====
//     thread        |--aten::add--|
//                        |-launch-|              the launch of the work that ends the gap
//     cause         ooooo cccccccc lllllll       operator, runtime call, launched
//
// Until its launch has ended, the next work waits for the thread that launches it. If that thread
// shows nothing, it waits for the script's thread, which has yet to start the other one. While the
// profiler does its own work, all of that may be its doing, so nothing else is looked at.
class IdleExplainer {
 public:
  // `idle`: all times that will be asked for.
  IdleExplainer(const AttributedTrace& input, const IntervalSet& idle);
  IdleExplainer(const IdleExplainer&) = delete;  // its parts refer to the list of causes

  // Calls `use` with the stretches of a part of a gap, by time; they cover it once. Parts must come
  // by ascending time. `launch`: of the work that ends the gap.
  template <class Use>
  void explain(const LaunchEnd& launch, Interval part, Use use) {
    overheads_.cut(
        part, [&](Interval program) { explain_program(launch, program, use); },
        [&](Interval overhead, StringId name) {
          const CauseId cause = causes_.id_of({IdleKind::kOverhead, name, {}});
          use(IdleStretch{overhead, cause, {}, OpTree::kNoThread, IdleKind::kOverhead});
        });
  }
  const CauseList& causes() const { return causes_; }

 private:
  template <class Use>
  void explain_program(const LaunchEnd& launch, Interval part, Use& use) {
    const bool is_known = launch.thread != OpTree::kNoThread;
    const std::int64_t launched_ns =
        is_known ? std::clamp(launch.end_ns, part.start_ns, part.end_ns) : part.end_ns;
    follow(is_known ? launch.thread : threads_.busiest, {part.start_ns, launched_ns}, use);
    if (launched_ns < part.end_ns) {
      use(IdleStretch{
          {launched_ns, part.end_ns}, launched_, {}, launch.thread, IdleKind::kLaunched});
    }
  }

  template <class Use>
  void follow(std::uint32_t thread, Interval part, Use& use) {
    if (part.length_ns() <= 0) return;
    if (thread == OpTree::kNoThread) {
      use(IdleStretch{part, nothing_, {}, thread, IdleKind::kNothing});
    } else if (threads_.script_threads[thread] == thread && frames_[thread].empty()) {
      activities_[thread].list(part, use);  // nobody knows more
    } else {
      static_assert(IdleKind::kOperator < IdleKind::kRange && IdleKind::kRange < IdleKind::kNothing,
                    "frames say more than the last ones");
      activities_[thread].list(part, [&](const IdleStretch& stretch) {
        if (stretch.kind < IdleKind::kRange) {
          use(stretch);
        } else if (stretch.kind == IdleKind::kRange) {
          explain_range(stretch, use);
        } else {
          explain_nothing(stretch, use);
        }
      });
    }
  }

  // A frame of the script that was opened inside the range says more.
  template <class Use>
  void explain_range(const IdleStretch& range, Use& use) {
    ThreadFrames& frames = frames_[range.thread];
    if (frames.empty()) {
      use(range);
      return;
    }
    const auto is_of_script = [&](StringId name) { return place_of_(name) == FramePlace::kScript; };
    StretchJoiner<Use> joiner(range.thread, use);
    for (std::int64_t time_ns = range.interval.start_ns; time_ns < range.interval.end_ns;) {
      const ThreadFrames::Answer frame = frames.script_at(time_ns, is_of_script);
      if (frame.name.valid()) {
        joiner.show(time_ns, causes_.id_of({IdleKind::kScript, frame.name, {}}), IdleKind::kScript);
      } else {
        joiner.show(time_ns, range.cause, IdleKind::kRange);
      }
      time_ns = std::min(frame.until_ns, range.interval.end_ns);
    }
    joiner.end(range.interval.end_ns);
  }

  // What the thread's calls and ranges do not explain: its frames, then all of the script's thread.
  template <class Use>
  void explain_nothing(const IdleStretch& nothing, Use& use) {
    const std::uint32_t script = threads_.script_threads[nothing.thread];
    list_frames(nothing.thread, nothing.interval, [&](const IdleStretch& stretch) {
      if (stretch.kind != IdleKind::kNothing || script == nothing.thread) {
        use(stretch);
        return;
      }
      activities_[script].list(stretch.interval, [&](const IdleStretch& other) {
        if (other.kind < IdleKind::kRange) {
          use(other);
        } else if (other.kind == IdleKind::kRange) {
          explain_range(other, use);
        } else {
          list_frames(script, other.interval, std::ref(use));
        }
      });
    });
  }

  template <class Use>
  void list_frames(std::uint32_t thread, Interval part, Use use) {
    StretchJoiner<Use> joiner(thread, use);
    for (std::int64_t time_ns = part.start_ns; time_ns < part.end_ns;) {
      const ThreadFrames::Answer frame = frames_[thread].at(time_ns);
      const IdleKind kind = frame.name.valid() ? IdleKind::kScript : IdleKind::kNothing;
      joiner.show(time_ns, causes_.id_of({kind, frame.name, {}}), kind);
      time_ns = std::min(frame.until_ns, part.end_ns);
    }
    joiner.end(part.end_ns);
  }

  CauseList causes_;
  CauseId nothing_;
  CauseId launched_;
  OverheadTimes overheads_;
  LaunchingThreads threads_;
  std::vector<ThreadActivity> activities_;  // per thread
  std::vector<ThreadFrames> frames_;
  OncePerName<FramePlace (*)(std::string_view)> place_of_;
};

}  // namespace strobe::analysis
