#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Where a recording comes from, without the secrets that an environment may hold.
namespace strobe::record {

using Environment = std::map<std::string, std::string>;

Environment own_environment();
Environment environment_of(pid_t process);  // as it was started; empty if strobe may not read it
std::vector<std::string> command_of(pid_t process);  // empty if it has ended

// The variables that a reader of the recording needs: of CUDA, NCCL, OpenMP, PyTorch and of the
// program that starts the ranks. Never one whose name speaks of a token, a key, a secret or a
// password. With `redact`, values with a path are left out.
Environment shown_environment(const Environment& environment, bool redact);

// The job of which a program is a part: several recorders of one job share a folder.
struct Job {
  std::string key;  // "": none; equal for all ranks
  std::optional<int> rank = {};
  std::optional<int> world_size = {};
  int restart = 0;  // how often the job's starter has begun again

  bool is_shared() const { return !key.empty() && rank.has_value(); }
};
Job job_of(const Environment& environment);

std::string host_name();

// 16 digits that are the same for the same name and do not show it.
std::string hashed_name(std::string_view name);

bool is_alive(pid_t process);
// When a process was started, since the machine was: tells it from another one that gets the same
// number later. Nothing if it has ended.
std::optional<std::uint64_t> start_ticks_of(pid_t process);

}  // namespace strobe::record
