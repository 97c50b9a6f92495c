#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "strobe/record/provenance.h"

namespace strobe::record {

// Whose process it is. A wrong "foreign" would be worse than none: what is not sure is unknown.
enum class Owner : std::uint8_t { kOwn, kForeign, kUnknown };

// The driver gives numbers of processes in two ways. In a container, either of them may mean the
// processes of the machine outside.
enum class NumberSource : std::uint8_t { kList, kUse };

// How processes are looked at.
struct ProcessAccess {
  std::string proc = "/proc";
  std::function<bool(pid_t)> is_alive = record::is_alive;
  // How names of processes are written: as they are, or hashed.
  std::function<std::string(std::string_view)> shown_name = [](std::string_view name) {
    return std::string(name);
  };
};

// Tells the recorded processes from others that use a device.
class ProcessOwners {
 public:
  explicit ProcessOwners(ProcessAccess access = {});

  // The recorded processes; their descendants are own, too. Who was seen as own stays own.
  void set_own(std::span<const pid_t> processes);

  // The driver gave this number.
  Owner see(NumberSource source, pid_t process);
  // Whether the numbers of a source are those of this machine: true where nothing lies outside, and
  // once an own process was seen there.
  bool are_of_this_machine(NumberSource source) const;
  // Whether no process can be hidden: this is no container.
  bool sees_all() const { return sees_all_; }

  // Whether an own process has opened the device's memory manager, as every program that computes
  // on the device does. Reads a folder per process.
  bool own_process_uses_device() const;

  std::string name_of(pid_t process);  // "python3 (4711)", "MPS server (12)"
  bool is_mps_server(pid_t process);

 private:
  struct Known {
    Owner owner = Owner::kUnknown;
    std::string name;  // "" if it cannot be read
  };

  const Known& look_at(pid_t process);
  Known examine(pid_t process) const;

  ProcessAccess access_;
  bool sees_all_;
  std::set<pid_t> own_;
  std::map<pid_t, Known> known_;
  std::array<bool, 2> has_seen_own_ = {};
};

}  // namespace strobe::record
