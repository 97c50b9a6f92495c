#include "strobe/record/sampler/process_tree.h"

#include <cstdio>
#include <utility>

namespace strobe::record {
namespace {

constexpr std::size_t kTreeBufferBytes = 256 * 1024;  // numbers of some 30,000 children
constexpr unsigned kThoroughLooks = 4;
constexpr std::size_t kProcPathBytes = 512;

}  // namespace

ProcessTree::ProcessTree(std::string proc, pid_t root, pid_t adopter)
    : proc_(std::move(proc)), root_(root), adopter_(adopter), buffer_(kTreeBufferBytes) {}

std::optional<TaskStat> ProcessTree::stat_of(pid_t process) {
  char path[kProcPathBytes];
  std::snprintf(path, sizeof path, "%s/%d/stat", proc_.c_str(), process);
  const auto text = read_once(path, buffer_);
  return text ? parse_task_stat(*text) : std::nullopt;
}

void ProcessTree::refresh() {
  remove_ended();
  if (!has_seen_root_) add(root_);
  has_seen_root_ = has_seen_root_ || contains(root_);
  was_thorough_ = looks_++ % kThoroughLooks == 0;
  // The number of the newest process is not to be trusted in every container.
  const bool something_started = look_at_newest() || was_thorough_;
  if (!something_started || (processes_.empty() && adopter_ == 0)) return;
  add_children();
  if (was_thorough_) add_from_all_processes();
}

void ProcessTree::remove_ended() {
  std::erase_if(processes_, [this](TreeProcess& process) {
    const auto stat = stat_of(process.id);
    if (!stat || stat->start_ticks != process.start_ticks || stat->has_ended()) {
      ids_.erase(process.id);
      return true;
    }
    process.parent = stat->parent;
    process.threads = stat->threads;
    if (process.name != stat->name) process.name = stat->name;
    return false;
  });
}

bool ProcessTree::look_at_newest() {
  const auto text = read_once((proc_ + "/loadavg").c_str(), buffer_);
  const auto load = text ? parse_load_average(*text) : std::nullopt;
  if (!load || load->newest == 0) return true;
  return std::exchange(newest_, load->newest) != load->newest;
}

void ProcessTree::add_children() {
  if (adopter_ != 0) add_children_of(adopter_);
  // Those that are added meanwhile have their turn, too.
  for (std::size_t i = 0; i < processes_.size(); ++i) add_children_of(processes_[i].id);
}

// Some kernels have no such list.
void ProcessTree::add_children_of(pid_t process) {
  char path[kProcPathBytes];
  std::snprintf(path, sizeof path, "%s/%d/task/%d/children", proc_.c_str(), process, process);
  const auto text = read_once(path, buffer_);
  if (!text) return;
  listed_.clear();
  std::string_view rest = *text;
  while (const auto child = take_number(rest)) listed_.push_back(static_cast<pid_t>(*child));
  for (const pid_t child : listed_) add(child);
}

void ProcessTree::add_from_all_processes() {
  if (!list_numbers(proc_.c_str(), listed_)) return;
  std::unordered_set<pid_t> others;
  std::vector<Candidate> candidates;
  for (const pid_t id : listed_) {
    if (contains(id)) continue;
    if (others_.contains(id)) {
      others.insert(id);
    } else if (const auto stat = stat_of(id)) {
      candidates.push_back({id, stat->parent});
    }
  }
  add_descendants(candidates);
  for (const Candidate& candidate : candidates) others.insert(candidate.id);
  others_ = std::move(others);
}

// Takes them out of the candidates. Parents may be listed after their children: it goes on until
// nobody is added.
void ProcessTree::add_descendants(std::vector<Candidate>& candidates) {
  for (bool is_done = false; !is_done;) {
    const std::size_t before = processes_.size();
    std::erase_if(candidates, [this](const Candidate& candidate) {
      const bool is_child =
          contains(candidate.parent) || (adopter_ != 0 && candidate.parent == adopter_);
      if (is_child) add(candidate.id);
      return is_child;
    });
    is_done = processes_.size() == before;
  }
}

void ProcessTree::add(pid_t process) {
  if (contains(process)) return;
  const auto stat = stat_of(process);
  if (!stat || stat->has_ended()) return;
  ids_.insert(process);
  processes_.push_back({.id = process,
                        .parent = stat->parent,
                        .start_ticks = stat->start_ticks,
                        .name = std::string(stat->name),
                        .threads = stat->threads});
}

}  // namespace strobe::record
