#pragma once

#include <filesystem>

#include "strobe/trace/kernel_table.h"

namespace strobe::readers {

// rocprof-compute writes what its chip is into sysinfo.csv, beside the table of kernels: adds it to
// a table that names no device.
void describe_rocm_machine(const std::filesystem::path& kernels, KernelTable& table);

}  // namespace strobe::readers
