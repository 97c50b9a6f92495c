#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "tests/support/sketch.h"

namespace strobe::analysis {

// Steps, ranges, calls and device work thrown onto threads and streams. Ranges overlap, cross or
// lie inside others of their own name; some work has no launch.
class RandomTrace {
 public:
  RandomTrace(unsigned seed, std::int64_t shift_ns) : random_(seed), shift_ns_(shift_ns) {
    TraceTraits traits;
    traits.nested_operators_are_phases = chance(50);
    traits.steps_cover_all_threads = chance(50);
    sketch_.traits(traits);
    const int threads = number(1, 3);
    may_cross_ = chance(60);
    if (chance(80)) {
      std::int64_t start_ns = may_cross_ ? 0 : 10'000;
      for (int i = number(1, 5); i > 0; --i) {
        const std::int64_t length_ns = number(100, 2'000);
        add(1, "Step#" + std::to_string(i), SliceKind::kStep, start_ns, length_ns);
        start_ns += length_ns + number(0, 50);
      }
    }
    for (int thread = 1; thread <= threads; ++thread) {
      for (int i = number(0, 25); i > 0; --i) {
        add_range(thread, may_cross_ ? number(0, 5'000) : 200 * i, may_cross_ ? 800 : 200, 0);
      }
    }
    for (int i = number(0, 60); i > 0; --i) add_work();
  }

  Trace trace() { return sketch_.trace(); }

 private:
  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(int percent) { return number(1, 100) <= percent; }

  void add(int thread, const std::string& name, SliceKind kind, std::int64_t start_ns,
           std::int64_t duration_ns) {
    sketch_.thread(thread).slice(name, kind, shift_ns_ + start_ns, duration_ns);
  }

  // A range with ranges and calls inside; some cross its end.
  void add_range(int thread, std::int64_t start_ns, int longest_ns, int depth) {
    constexpr SliceKind kKinds[] = {SliceKind::kOperator,   SliceKind::kOperator,
                                    SliceKind::kOperator,   SliceKind::kOperatorPhase,
                                    SliceKind::kAnnotation, SliceKind::kForward,
                                    SliceKind::kDataLoader, SliceKind::kCommunication,
                                    SliceKind::kUserRange,  SliceKind::kPythonCall};
    const std::int64_t length_ns = number(0, longest_ns);
    const SliceKind kind = kKinds[number(0, 9)];
    add(thread, "range " + std::to_string(number(0, 8)), kind, start_ns, length_ns);
    if (chance(10)) sketch_.flags(kCommunicates);
    if (chance(10)) sketch_.flags(kBackwardWork);
    for (int i = number(0, 3); i > 0 && depth < 4; --i) {
      // A third of the range each, in its own third, unless they may cross.
      const int third_ns = static_cast<int>(length_ns / 3);
      if (may_cross_) {
        add_range(thread, start_ns + number(0, static_cast<int>(length_ns)),
                  static_cast<int>(length_ns), depth + 1);
      } else {
        add_range(thread, start_ns + (i - 1) * third_ns, third_ns, depth + 1);
      }
    }
    for (int i = number(0, 3); i > 0; --i) {
      add(thread, "call", SliceKind::kRuntimeCall, start_ns + number(0, 100), number(0, 20));
      sketch_.correlation(++correlations_);
    }
  }

  void add_work() {
    constexpr SliceKind kKinds[] = {SliceKind::kKernel, SliceKind::kKernel, SliceKind::kMemcpy,
                                    SliceKind::kMemset};
    sketch_.stream(number(0, 1), number(7, 9));
    sketch_.slice("work " + std::to_string(number(0, 5)), kKinds[number(0, 3)],
                  shift_ns_ + number(0, 9'000), number(0, 500));
    if (chance(90) && correlations_ > 0) {
      sketch_.correlation(static_cast<std::uint32_t>(number(1, static_cast<int>(correlations_))));
    }
    if (chance(20)) sketch_.flags(kCommunicates);
  }

  std::mt19937 random_;
  std::int64_t shift_ns_;
  std::uint32_t correlations_ = 0;
  bool may_cross_ = false;
  Sketch sketch_;
};

}  // namespace strobe::analysis
