#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/providers/cpu/kernels.h"
#include "strobe/bench/providers/cpu/thread_team.h"
#include "strobe/bench/results/cell_record.h"

// Facts about this machine, as its kernel reports them.
namespace strobe::bench {

// The processors that this process may use.
std::vector<int> usable_processors();
// The largest cache of a processor; 32 MiB if unknown.
std::int64_t last_cache_bytes();
// "MemAvailable" of /proc/meminfo.
std::optional<double> available_bytes();
std::optional<double> available_bytes_in(std::string_view meminfo);
// "Intel(R) Xeon(R) ..."; empty if unknown, as on aarch64, where Linux does not name it.
std::string processor_name();
std::string_view architecture_name();  // "aarch64", "x86-64"

Floors measure_host_floors(ThreadTeam& team);
// The peak rates of this host, measured with the same threads and vectors as its cells: bandwidths
// over buffers of four times the last cache, the best of several calls.
Result<Roofs> measure_host_roofs(ThreadTeam& team, const KernelSet& kernels,
                                 std::int64_t cache_bytes);

}  // namespace strobe::bench
