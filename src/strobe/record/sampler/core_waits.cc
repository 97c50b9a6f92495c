#include "strobe/record/sampler/core_waits.h"

#include <algorithm>

namespace strobe::record {
namespace {

// Of one core while somebody waits for it. Of a longer wait, the last part decides who ran.
constexpr std::size_t kMostTurns = 4096;

}  // namespace

void CoreWaits::add_own(const SwitchRecord& record, std::vector<CoreWait>& ended) {
  if (!record.is_out) {
    end(record.thread, record.time_ns, ended);
    return;
  }
  // It cannot leave twice: a record between the two is missing.
  forget(record.thread);
  if (record.is_ready) begin(record);
  add_turn(record);
}

void CoreWaits::add_other(const SwitchRecord& record) {
  if (record.is_out) add_turn(record);
}

void CoreWaits::begin(const SwitchRecord& record) {
  waiting_[record.thread] = {record.process, record.time_ns, record.core};
  ++cores_[record.core].waiting;
}

void CoreWaits::add_turn(const SwitchRecord& record) {
  const auto core = cores_.find(record.core);
  if (core == cores_.end()) return;
  std::vector<Turn>& turns = core->second.turns;
  if (turns.size() >= kMostTurns) turns.erase(turns.begin(), turns.begin() + kMostTurns / 2);
  turns.push_back({record.time_ns, record.other_process});
}

void CoreWaits::end(pid_t thread, std::int64_t now_ns, std::vector<CoreWait>& ended) {
  const auto found = waiting_.find(thread);
  if (found == waiting_.end()) return;
  const Open open = found->second;
  waiting_.erase(found);
  const pid_t other = longest_on(cores_[open.core], open.start_ns, now_ns);
  ended.push_back({open.process, thread, open.start_ns, std::max(now_ns, open.start_ns), other});
  leave(open.core);
}

pid_t CoreWaits::longest_on(const Core& core, std::int64_t start_ns, std::int64_t end_ns) {
  // The first turn of a wait begins with it.
  const auto first = std::lower_bound(
      core.turns.begin(), core.turns.end(), start_ns,
      [](const Turn& turn, std::int64_t time_ns) { return turn.start_ns < time_ns; });
  std::map<pid_t, std::int64_t> times;
  for (auto turn = first; turn != core.turns.end() && turn->start_ns <= end_ns; ++turn) {
    const bool is_last = turn + 1 == core.turns.end();
    times[turn->process] += (is_last ? end_ns : (turn + 1)->start_ns) - turn->start_ns;
  }
  const auto longest = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return longest == times.end() ? CoreWait::kNotKnown : longest->first;
}

void CoreWaits::leave(std::uint32_t core) {
  const auto found = cores_.find(core);
  if (found == cores_.end()) return;
  if (--found->second.waiting == 0) cores_.erase(found);
}

void CoreWaits::forget_all() {
  waiting_.clear();
  cores_.clear();
}

void CoreWaits::forget(pid_t thread) {
  const auto open = waiting_.find(thread);
  if (open == waiting_.end()) return;
  leave(open->second.core);
  waiting_.erase(open);
}

void CoreWaits::end_all(std::int64_t now_ns, std::vector<CoreWait>& ended) {
  std::vector<pid_t> threads;
  for (const auto& [thread, open] : waiting_) threads.push_back(thread);
  std::sort(threads.begin(), threads.end());
  for (const pid_t thread : threads) end(thread, now_ns, ended);
}

}  // namespace strobe::record
