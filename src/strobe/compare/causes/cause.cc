#include "strobe/compare/causes/cause.h"

#include <array>

namespace strobe::compare {
namespace {

struct Words {
  std::string_view word;
  std::string_view sentence;
};

// In the order of CauseKind.
constexpr std::array kCauseWords = std::to_array<Words>({
    {"clock", "the device's clock changed"},
    {"memory_bandwidth", "the device's memory became slower"},
    {"other_tenant", "another process uses the device"},
    {"pcie", "copies between host and device became slower"},
    {"fabric", "the links between devices carry less"},
    {"straggler", "one rank keeps the others waiting"},
    {"host_contention", "other processes compete for the host's cores"},
    {"host_slow", "the host became slower"},
    {"launch_bound", "the device waits for the host"},
    {"synchronisation", "the host waits for the device more often"},
    {"disk_io", "reading and writing files takes longer"},
    {"input_pipeline", "the next input comes later"},
    {"memory_pressure", "device memory is short, or allocated all the time"},
    {"kernel_mix", "other kernels run"},
    {"workload", "a cycle does another amount of work"},
    {"communication_wait", "collectives wait longer"},
    {"cold_start", "the run was still warming up"},
    {"measurement", "part of the difference may be the measurement's"},
    {"unattributed", "nothing that was recorded says why"},
});
static_assert(kCauseWords.size() == static_cast<std::size_t>(CauseKind::kUnattributed) + 1);

}  // namespace

std::string_view word_of(CauseKind kind) {
  return kCauseWords[static_cast<std::size_t>(kind)].word;
}
std::string_view sentence_of(CauseKind kind) {
  return kCauseWords[static_cast<std::size_t>(kind)].sentence;
}

}  // namespace strobe::compare
