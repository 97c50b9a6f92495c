#pragma once

#include <optional>
#include <variant>

#include "strobe/tensorboard/answer.h"
#include "strobe/tensorboard/metric_unit.h"

namespace strobe::tensorboard {

// What the memory views can be asked: a stretch of time, both ends included, and units.
struct MemoryQuestion {
  std::optional<Number> start_ts;
  std::optional<Number> end_ts;
  MetricUnit time;
  MetricUnit memory;

  bool includes(Number ts) const {
    return !(start_ts && ts < *start_ts) && !(end_ts && ts > *end_ts);
  }
  Number show_bytes(double bytes) const { return Number::real(memory.factor * bytes); }
  Number show_time(Number us) const { return Number::real(time.factor * us.value); }
};

// A refusal if a parameter makes no sense or the profile has no memory events.
std::variant<MemoryQuestion, Answer> read_memory_question(const Question& question,
                                                          std::string_view default_memory_unit);

}  // namespace strobe::tensorboard
