#include "strobe/tensorboard/linking.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace strobe::tensorboard {
namespace {

class Linker {
 public:
  Linker(const Events& events, Variant variant, Links& links, std::map<Link, std::size_t>& comms)
      : events_(events), variant_(variant), links_(links), comm_by_ext_(comms) {}

  void run() {
    for (std::size_t row = 0; row < events_.all.size(); ++row) add(EventId(row));
    if (links_.comm_libraries.contains(CommLibrary::kNccl) ||
        links_.comm_libraries.contains(CommLibrary::kCncl)) {
      add_device_ranges();
    }
    hand_out_runtimes();
    for (const std::vector<DeviceWorkId>& works : parked_) {
      std::ranges::copy_if(works, std::back_inserter(links_.stale_kernels), [&](DeviceWorkId id) {
        return event_of(id).type == EventType::kKernel;
      });
    }
  }

 private:
  const Event& event_of(DeviceWorkId id) const { return events_[links_.forest[id].event]; }

  void add(EventId id) {
    const Event& event = events_[id];
    switch (event.type) {
      case EventType::kKernel:
      case EventType::kMemcpy:
      case EventType::kMemset:
        add_device_work(id, event);
        break;
      case EventType::kRuntime:
        add_runtime(id, event);
        break;
      case EventType::kOperator:
      case EventType::kPython:
      case EventType::kProfilerStep:
      case EventType::kModule:
      case EventType::kLightningModule:
      case EventType::kUserAnnotation:
        add_host_work(id, event);
        break;
      case EventType::kLightningProfile:
        file_node(id, event, NodeClass::kOp, links_.lightning_threads, lightning_rows_);
        break;
      default:
        break;
    }
  }

  void add_device_work(EventId id, const Event& event) {
    const DeviceWorkId work(links_.forest.device_works.size());
    links_.forest.device_works.push_back({.event = id, .op_name = {}});
    if (event.pid != last_device_pid_) {
      links_.device_pids.emplace(events_.text(event.pid));
      last_device_pid_ = event.pid;
    }
    if (const auto owner = owners_.find(event.corr); owner != owners_.end()) {
      links_.forest.runtimes[owner->second.index()].launched.push_back(work);
      return;
    }
    const auto [place, is_new] = parked_rows_.try_emplace(event.corr, parked_.size());
    if (is_new) parked_.emplace_back();
    parked_[place->second].push_back(work);
  }

  void add_runtime(EventId id, const Event& event) {
    const RuntimeId runtime(links_.forest.runtimes.size());
    Runtime& row = links_.forest.runtimes.emplace_back();
    row.event = id;
    if (const auto place = parked_rows_.find(event.corr); place != parked_rows_.end()) {
      row.launched = std::exchange(parked_[place->second], {});
      parked_rows_.erase(place);
      std::ranges::stable_sort(row.launched, [&](DeviceWorkId a, DeviceWorkId b) {
        return starts_before(event_of(a), event_of(b));
      });
    }
    owners_[event.corr] = runtime;
    runtimes_by_ext_[event.ext].push_back(runtime);
    const std::string_view tid = events_.text(event.tid);
    if (event.ext != 0 || is_quoted(tid)) return;
    if (const auto thread = thread_number(tid)) links_.root_runtimes[*thread].push_back(runtime);
  }

  void add_host_work(EventId id, const Event& event) {
    const std::string_view name = events_.text(event.name);
    const CommLibrary library = comm_library(name, variant_);
    if (event.type != EventType::kUserAnnotation || library != CommLibrary::kNone ||
        is_data_loader(name) || is_optimizer(name)) {
      file_node(id, event, class_of(event, name), links_.threads, thread_rows_);
    }
    if (library != CommLibrary::kNone) add_comm_node(id, event, library);
    if (name == "DataParallel.forward") links_.uses_data_parallel = true;
    if (name == "DistributedDataParallel.forward") links_.uses_distributed_data_parallel = true;
  }

  static NodeClass class_of(const Event& event, std::string_view name) {
    switch (event.type) {
      case EventType::kProfilerStep:
        return NodeClass::kStep;
      case EventType::kModule:
        return NodeClass::kModule;
      case EventType::kLightningModule:
        return NodeClass::kLightningModule;
      default:
        return is_data_loader(name) ? NodeClass::kLoader
               : is_optimizer(name) ? NodeClass::kOptimizer
                                    : NodeClass::kOp;
    }
  }

  void file_node(EventId id, const Event& event, NodeClass node_class,
                 std::vector<ThreadNodes>& threads, std::map<std::int64_t, std::size_t>& rows) {
    const auto thread = thread_number(events_.text(event.tid));
    if (!thread) return;
    const NodeId node_id(links_.forest.nodes.size());
    Node& node = links_.forest.nodes.emplace_back();
    node.node_class = node_class;
    node.type = event.type;
    node.name = event.name;
    node.tid = event.tid;
    node.event = id;
    node.start = event.start();
    node.end = event.end();
    const auto [row, is_new] = rows.try_emplace(*thread, threads.size());
    if (is_new) threads.push_back({.thread = *thread, .nodes = {}});
    threads[row->second].nodes.push_back(node_id);
  }

  void add_comm_node(EventId id, const Event& event, CommLibrary library) {
    links_.comm_libraries.insert(library);
    const auto [row, is_new] = comm_by_ext_.try_emplace(event.ext, links_.comm_nodes.size());
    if (is_new) links_.comm_nodes.emplace_back();
    links_.comm_nodes[row->second] = {.ext = event.ext,
                                      .event = id,
                                      .start = event.start(),
                                      .end = event.end(),
                                      .ranges = {{event.start(), event.end()}}};
  }

  void add_device_ranges() {
    const bool copies_count = rules_of(variant_).copies_communicate;
    for (const Event& event : events_.all) {
      const bool counts =
          event.type == EventType::kKernel || (copies_count && event.type == EventType::kMemcpy);
      if (!counts) continue;
      if (const auto row = comm_by_ext_.find(event.ext); row != comm_by_ext_.end()) {
        links_.comm_nodes[row->second].ranges.push_back({event.start(), event.end()});
      }
    }
  }

  // The first node with an external id gets all its calls. Modules have lost theirs.
  void hand_out_runtimes() {
    for (const ThreadNodes& thread : links_.threads) {
      for (const NodeId id : thread.nodes) {
        Node& node = links_.forest[id];
        const Link ext = node.node_class == NodeClass::kModule ? kNoLink : events_[node.event].ext;
        const auto calls = runtimes_by_ext_.find(ext);
        if (calls == runtimes_by_ext_.end()) continue;
        node.runtimes = std::move(calls->second);
        runtimes_by_ext_.erase(calls);
      }
    }
  }

  const Events& events_;
  const Variant variant_;
  Links& links_;
  std::map<Link, std::size_t>& comm_by_ext_;
  std::unordered_map<Link, RuntimeId> owners_;  // of a correlation
  std::unordered_map<Link, std::vector<RuntimeId>> runtimes_by_ext_;
  std::unordered_map<Link, std::size_t> parked_rows_;
  std::vector<std::vector<DeviceWorkId>> parked_;  // by first appearance of their correlation
  std::map<std::int64_t, std::size_t> thread_rows_;
  std::map<std::int64_t, std::size_t> lightning_rows_;
  StringId last_device_pid_;
};

}  // namespace

const CommNode* Links::comm_node(Link ext) const {
  const auto row = comm_by_ext_.find(ext);
  return row == comm_by_ext_.end() ? nullptr : &comm_nodes[row->second];
}

Links link(const Events& events, Variant variant) {
  Links links;
  Linker(events, variant, links, links.comm_by_ext_).run();
  return links;
}

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

  // Whether `call` gets the external id of `other`.
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
  std::map<Place, std::vector<std::size_t>> open_;  // candidates that are still open, by start
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
