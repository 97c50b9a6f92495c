#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/providers/cpu/kernels.h"
#include "strobe/bench/providers/cpu/thread_team.h"
#include "strobe/bench/results/cell_record.h"

// What this machine has, as its kernel says.
namespace strobe::bench {

// The processors that this process may use.
std::vector<int> usable_processors();
// The largest cache that a processor sees; 32 MiB where it is unknown.
std::int64_t last_cache_bytes();
// "MemAvailable" of /proc/meminfo.
std::optional<double> available_bytes();
std::optional<double> available_bytes_in(std::string_view meminfo);
// "Neoverse-V1", "Intel(R) Xeon(R) ...": empty where it is unknown.
std::string processor_name();
std::string_view architecture_name();  // "aarch64", "x86-64"

// How fast this host can be at all, measured with the same threads and vectors as its cells.

Floors measure_host_floors(ThreadTeam& team);
// Bandwidths over buffers of four times the last cache, the best of several calls.
Result<Roofs> measure_host_roofs(ThreadTeam& team, const KernelSet& kernels,
                                 std::int64_t cache_bytes);

}  // namespace strobe::bench
