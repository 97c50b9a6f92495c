#pragma once

#include "strobe/readers/databases/nsys/nsys_file.h"

// What an export measured besides events. All return false if reading must end.
namespace strobe::readers {

bool add_nsys_cpu_samples(NsysFile& file);     // as instants
bool add_nsys_device_metrics(NsysFile& file);  // as counters
bool add_nsys_network_metrics(NsysFile& file);
bool add_nsys_memory_use(NsysFile& file);

}  // namespace strobe::readers
