// The views of worker `All`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/tensorboard/answer.h"
#include "strobe/tensorboard/profile.h"

namespace strobe::tensorboard {

// One call of a communication library, as one worker saw it.
struct CommCall {
  EventId event;
  std::optional<std::string> step;  // none: outside all steps
  Ranges ranges;                    // host and device, by start
  Ranges transfers;                 // of these, without waiting for others
};

// The time that several calls covered, not merged.
struct CallRanges {
  Ranges all;
  Ranges transfers;

  void add(const CommCall& call) {
    all.insert(all.end(), call.ranges.begin(), call.ranges.end());
    transfers.insert(transfers.end(), call.transfers.begin(), call.transfers.end());
  }
};

struct WorkerCommunication {
  std::string worker;
  const Profile* profile = nullptr;
  std::vector<CommCall> calls;  // by start
};

// The calls of all workers of one span, matched by index: call i of one worker is call i of the
// others.
struct SpanCommunication {
  std::vector<WorkerCommunication> workers;  // by name
};

// Nothing if the workers' calls do not match, or if one has none. Points into the run's profiles.
std::optional<SpanCommunication> join_workers(const Run& run, std::string_view span);

// Calls by time; none if more than one library was used.
std::vector<CommCall> list_calls(const Profile& profile);

Answer answer_device_info(const SpanCommunication& span);
Answer answer_overlap(const SpanCommunication& span);
Answer answer_wait_time(const SpanCommunication& span);
Answer answer_operations(const SpanCommunication& span);

}  // namespace strobe::tensorboard
