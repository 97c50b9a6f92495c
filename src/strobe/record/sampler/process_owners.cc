#include "strobe/record/sampler/process_owners.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/record/sampler/proc_files.h"

namespace strobe::record {
namespace {

namespace fs = std::filesystem;

// The kernel cuts names off at 15 letters, so this is also the name of "nvidia-cuda-mps-server".
constexpr std::string_view kMpsServer = "nvidia-cuda-mps";
// The number that the kernel gives to the first namespace of processes, since Linux 3.8.
constexpr std::string_view kFirstNamespace = "pid:[4026531836]";
constexpr int kMostAncestors = 64;

bool is_first_namespace(const std::string& proc) {
  std::error_code unreadable;
  return fs::read_symlink(proc + "/self/ns/pid", unreadable).string() == kFirstNamespace;
}

struct Ancestry {
  pid_t parent = 0;
  std::string name;
};

std::optional<Ancestry> ancestry_of(const std::string& proc, pid_t process) {
  std::array<char, 1024> buffer;
  const auto text = read_once(fmt::format("{}/{}/stat", proc, process).c_str(), buffer);
  const auto stat = text ? parse_task_stat(*text) : std::nullopt;
  if (!stat || stat->has_ended()) return std::nullopt;
  return Ancestry{stat->parent, std::string(stat->name)};
}

}  // namespace

ProcessOwners::ProcessOwners(ProcessAccess access)
    : access_(std::move(access)), sees_all_(is_first_namespace(access_.proc)) {}

void ProcessOwners::set_own(std::span<const pid_t> processes) {
  std::set<pid_t> own(processes.begin(), processes.end());
  // A process that was foreign may be a child of a new one.
  if (!std::ranges::includes(own_, own)) {
    std::erase_if(known_, [](const auto& one) { return one.second.owner != Owner::kOwn; });
  }
  own_ = std::move(own);
}

ProcessOwners::Known ProcessOwners::examine(pid_t process) const {
  const auto found = ancestry_of(access_.proc, process);
  if (!found) {
    // Alive, but not shown: another user's, where each user sees only the own processes.
    const bool is_hidden = sees_all_ && access_.is_alive(process);
    return {is_hidden ? Owner::kForeign : Owner::kUnknown, ""};
  }
  auto ancestor = found;
  for (int step = 0; ancestor && ancestor->parent > 1 && step < kMostAncestors; ++step) {
    if (own_.contains(ancestor->parent)) return {Owner::kOwn, found->name};
    ancestor = ancestry_of(access_.proc, ancestor->parent);
  }
  return {Owner::kForeign, found->name};
}

// What is unknown is not kept: it may be a process that has just started.
const ProcessOwners::Known& ProcessOwners::look_at(pid_t process) {
  static const Known kUnknown;
  if (process <= 0) return kUnknown;
  if (const auto found = known_.find(process); found != known_.end()) return found->second;
  Known known = examine(process);
  if (own_.contains(process)) known.owner = Owner::kOwn;
  if (known.owner == Owner::kUnknown) return kUnknown;
  return known_.emplace(process, std::move(known)).first->second;
}

Owner ProcessOwners::see(NumberSource source, pid_t process) {
  const Owner owner = look_at(process).owner;
  if (owner == Owner::kOwn) has_seen_own_[static_cast<std::size_t>(source)] = true;
  return owner;
}

bool ProcessOwners::are_of_this_machine(NumberSource source) const {
  return sees_all_ || has_seen_own_[static_cast<std::size_t>(source)];
}

bool ProcessOwners::own_process_uses_device() const {
  for (const pid_t process : own_) {
    // A process may end while its folder is read.
    std::error_code gone;
    fs::directory_iterator file(fmt::format("{}/{}/fd", access_.proc, process), gone);
    for (; !gone && file != fs::directory_iterator(); file.increment(gone)) {
      std::error_code closed;
      if (fs::read_symlink(file->path(), closed) == "/dev/nvidia-uvm") return true;
    }
  }
  return false;
}

bool ProcessOwners::is_mps_server(pid_t process) {
  return look_at(process).name.starts_with(kMpsServer);
}

std::string ProcessOwners::name_of(pid_t process) {
  if (is_mps_server(process)) return fmt::format("MPS server ({})", process);
  const std::string& name = look_at(process).name;
  if (name.empty()) return fmt::format("another user's process ({})", process);
  return fmt::format("{} ({})", access_.shown_name(excerpt(name)), process);
}

}  // namespace strobe::record
