#pragma once

#include <filesystem>

#include "strobe/trace/kernel_table.h"

namespace strobe::readers {

// rocprof-compute writes what its chip is into sysinfo.csv, beside its CSV with a row per kernel:
// adds it to such a table if that names no device.
void describe_rocm_machine(const std::filesystem::path& kernels, KernelTable& table);

}  // namespace strobe::readers
