#include "strobe/record/inject/activity/run_settings_reader.h"

#include <cstdlib>
#include <initializer_list>

#include "strobe/wire/record_settings.h"
#include "strobe/wire/run_settings.h"

namespace strobe::record {
namespace {

// The value of the first variable that is set.
std::string first_of(std::initializer_list<const char*> variables) noexcept {
  for (const char* variable : variables) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != 0) return value;
  }
  return "";
}

std::string whole_number(std::string text) noexcept {
  return text.find_first_not_of("0123456789") == std::string::npos ? text : "";
}

std::chrono::milliseconds milliseconds_of(const char* variable) noexcept {
  const std::string text = whole_number(first_of({variable}));
  return std::chrono::milliseconds(
      text.empty() || text.size() > 12 ? 0 : std::strtoll(text.c_str(), nullptr, 10));
}

CallSet call_set_of(const std::string& text) noexcept {
  if (text == "all") return CallSet::kAll;
  return text == "none" ? CallSet::kNone : CallSet::kLaunches;
}

}  // namespace

RunSettings read_run_settings() noexcept {
  RunSettings settings;
  settings.folder = first_of({wire::kRunFolder});
  settings.recorder = first_of({wire::kRunRecorder});
  settings.cupti_path = first_of({wire::kRecordCupti});
  settings.rank = whole_number(
      first_of({"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}));
  settings.world_size =
      whole_number(first_of({"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}));
  settings.calls = call_set_of(first_of({wire::kRunCalls}));
  settings.with_graph_nodes = first_of({wire::kRunGraphs}) == "nodes";
  settings.with_ranges = first_of({wire::kRunRanges}) != "0";
  settings.is_redacting = first_of({wire::kRunRedact}) == "1";
  settings.keep = milliseconds_of(wire::kRunKeep);
  settings.every = milliseconds_of(wire::kRunEvery);
  settings.window = milliseconds_of(wire::kRunFor);
  // The end of a window is heard at the end of a call.
  if (settings.has_windows() && settings.calls == CallSet::kNone) {
    settings.calls = CallSet::kLaunches;
  }
  return settings;
}

}  // namespace strobe::record
