#include "strobe/record/provenance.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <initializer_list>
#include <iterator>

#include <fmt/format.h>

#include "strobe/base/hash.h"
#include "strobe/base/text.h"
#include "strobe/record/sampler/proc_files.h"

extern char** environ;

namespace strobe::record {
namespace {

constexpr std::string_view kShownBeginnings[] = {"CUDA_",  "NCCL_",    "OMP_",    "MKL_",
                                                 "TORCH_", "PYTORCH_", "NVIDIA_", "TORCHELASTIC_"};
constexpr std::string_view kShownNames[] = {"RANK",
                                            "LOCAL_RANK",
                                            "GROUP_RANK",
                                            "WORLD_SIZE",
                                            "MASTER_ADDR",
                                            "LOCAL_WORLD_SIZE",
                                            "MASTER_PORT",
                                            "SLURM_JOB_ID",
                                            "SLURM_STEP_ID",
                                            "SLURM_PROCID",
                                            "SLURM_NTASKS",
                                            "SLURM_NODEID",
                                            "OMPI_COMM_WORLD_RANK",
                                            "OMPI_COMM_WORLD_SIZE",
                                            "PMIX_RANK"};
constexpr std::string_view kSecretWords[] = {"token",  "key",      "secret",
                                             "passwd", "password", "credential"};

void add_variable(std::string_view variable, Environment& environment) {
  const std::size_t sign = variable.find('=');
  if (sign == std::string_view::npos || sign == 0) return;
  environment.emplace(variable.substr(0, sign), variable.substr(sign + 1));
}

// The texts between zero bytes, as /proc writes them.
std::vector<std::string> zero_ended(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> texts;
  for (std::string text; std::getline(file, text, '\0');) texts.push_back(text);
  return texts;
}

bool is_shown(std::string_view name) {
  const std::string lowered = lower_case(name);
  for (const std::string_view word : kSecretWords) {
    if (lowered.find(word) != std::string::npos) return false;
  }
  return std::ranges::find(kShownNames, name) != std::end(kShownNames) ||
         std::ranges::any_of(kShownBeginnings, [&](std::string_view beginning) {
           return name.starts_with(beginning);
         });
}

std::string value_in(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::optional<int> number_in(const Environment& environment,
                             std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto number = parse_whole_number(value_in(environment, name));
    if (number && *number >= 0 && *number < (1 << 30)) return static_cast<int>(*number);
  }
  return std::nullopt;
}

// The values of these variables joined with ":", or "" if one of them is not set.
std::string key_of(const Environment& environment, std::string_view kind,
                   std::initializer_list<const char*> names) {
  std::string key(kind);
  for (const char* name : names) {
    const std::string value = value_in(environment, name);
    if (value.empty()) return "";
    key += ":" + value;
  }
  return key;
}

}  // namespace

Environment own_environment() {
  Environment environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    add_variable(*variable, environment);
  }
  return environment;
}

Environment environment_of(pid_t process) {
  Environment environment;
  for (const std::string& variable : zero_ended(fmt::format("/proc/{}/environ", process))) {
    add_variable(variable, environment);
  }
  return environment;
}

std::vector<std::string> command_of(pid_t process) {
  return zero_ended(fmt::format("/proc/{}/cmdline", process));
}

Environment shown_environment(const Environment& environment, bool redact) {
  Environment shown = environment;
  std::erase_if(shown, [&](const auto& variable) {
    const auto& [name, value] = variable;
    return !is_shown(name) || (redact && value.find('/') != std::string::npos);
  });
  return shown;
}

Job job_of(const Environment& environment) {
  Job job;
  job.rank = number_in(environment, {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"});
  job.world_size = number_in(environment, {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE"});
  job.key =
      key_of(environment, "torchelastic", {"TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT"});
  if (!job.key.empty()) {
    job.restart = number_in(environment, {"TORCHELASTIC_RESTART_COUNT"}).value_or(0);
    return job;
  }
  job.key = key_of(environment, "slurm", {"SLURM_JOB_ID", "SLURM_STEP_ID"});
  if (!job.key.empty()) {
    if (!job.rank) job.rank = number_in(environment, {"SLURM_PROCID"});
    if (!job.world_size) {
      job.world_size = number_in(environment, {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"});
    }
    return job;
  }
  job.key = key_of(environment, "openmpi", {"OMPI_MCA_ess_base_jobid"});
  if (job.key.empty()) job.key = key_of(environment, "pmix", {"PMIX_NAMESPACE"});
  return job;
}

std::string host_name() {
  std::array<char, 256> name = {};
  if (gethostname(name.data(), name.size() - 1) != 0) return "";
  return name.data();
}

std::string hashed_name(std::string_view name) {
  ContentHasher hasher;
  hasher.add(name);
  return hex_of(hasher.hash()).substr(0, 16);
}

bool is_alive(pid_t process) { return process > 0 && (kill(process, 0) == 0 || errno == EPERM); }

std::optional<std::uint64_t> start_ticks_of(pid_t process) {
  char buffer[kProcBytes];
  const auto text = read_once(fmt::format("/proc/{}/stat", process).c_str(), buffer);
  const auto stat = text ? parse_task_stat(*text) : std::nullopt;
  if (!stat || stat->has_ended()) return std::nullopt;
  return stat->start_ticks;
}

}  // namespace strobe::record
