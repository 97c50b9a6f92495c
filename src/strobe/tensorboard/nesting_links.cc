#include "strobe/tensorboard/nesting_links.h"

#include <map>
#include <unordered_map>

namespace strobe::tensorboard {
namespace {

enum class Repair : std::uint8_t { kRepeatedOnly, kAll };

bool has_link(Link ext) { return ext != kNoLink && ext != 0; }

class NestingLinker {
 public:
  NestingLinker(Events& events, Repair repair) : events_(events), repair_(repair) {}

  void run() {
    std::vector<Event>& all = events_.all;
    for (std::size_t first = 0; first < all.size();) {
      std::size_t last = first;
      for (; last < all.size() && all[last].ts_us == all[first].ts_us; ++last) open(last);
      for (std::size_t row = first; row < last; ++row) {
        if (all[row].type == EventType::kRuntime) relink(all[row]);
      }
      first = last;
    }
  }

 private:
  using Place = std::pair<StringId, StringId>;

  bool may_enclose(const Event& event) const {
    return event.type != EventType::kMemory && !is_device_work(event.type) &&
           (repair_ == Repair::kAll || event.type != EventType::kRuntime);
  }

  void open(std::size_t row) {
    const Event& event = events_.all[row];
    if (!may_enclose(event)) return;
    std::vector<std::size_t>& around = open_[{event.pid, event.tid}];
    while (!around.empty() && events_.all[around.back()].end() < event.start()) around.pop_back();
    around.push_back(row);
  }

  // Whether `call` takes the external id of `other`.
  bool takes(const Event& call, const Event& other) const {
    if (other.corr == call.corr) return false;
    const Number end = call.end();
    const bool starts_equal = other.ts_us == call.ts_us;
    const bool ends_equal = other.end() == end;
    if (other.type == EventType::kRuntime && starts_equal && ends_equal) {
      return other.corr < call.corr && other.corr != other.ext;
    }
    const bool encloses = starts_equal ? other.end() > end || ends_equal : other.end() >= end;
    return encloses && has_link(other.ext);
  }

  void relink(Event& call) {
    if (repair_ == Repair::kRepeatedOnly && (call.ext != call.corr || call.corr == kNoLink)) return;
    const auto around = open_.find({call.pid, call.tid});
    if (around == open_.end()) return;
    for (auto row = around->second.rbegin(); row != around->second.rend(); ++row) {
      const Event& other = events_.all[*row];
      if (!takes(call, other)) continue;
      call.ext = other.ext;
      return;
    }
  }

  Events& events_;
  const Repair repair_;
  std::map<Place, std::vector<std::size_t>> open_;  // what may still go on, by start
};

}  // namespace

void link_all_by_nesting(Events& events) { NestingLinker(events, Repair::kAll).run(); }

void link_repeated_correlations(Events& events) {
  NestingLinker(events, Repair::kRepeatedOnly).run();
  std::unordered_map<Link, Link> ext_of_call;
  for (const Event& event : events.all) {
    if (event.type == EventType::kRuntime) ext_of_call[event.corr] = event.ext;
  }
  for (Event& event : events.all) {
    if (!is_device_work(event.type) || event.ext != event.corr) continue;
    const auto call = ext_of_call.find(event.corr);
    if (call != ext_of_call.end()) event.ext = call->second;
  }
}

}  // namespace strobe::tensorboard
