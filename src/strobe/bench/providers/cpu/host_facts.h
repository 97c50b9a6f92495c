#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What this machine has, as its kernel says.
namespace strobe::bench {

// The processors that this process may use.
std::vector<int> usable_processors();
// The largest cache that a processor sees; 32 MiB where nobody says.
std::int64_t last_cache_bytes();
// "MemAvailable" of /proc/meminfo.
std::optional<double> available_bytes();
std::optional<double> available_bytes_in(std::string_view meminfo);
// "Neoverse-V1", "Intel(R) Xeon(R) ...": empty where nobody says.
std::string processor_name();
std::string_view architecture_name();  // "aarch64", "x86-64"

}  // namespace strobe::bench
