#pragma once

#include <string>

#include "strobe/trace/import_report.h"

namespace strobe::report {

// One line about losses while reading a trace: "'run8.json' ends inside entry 91204 (byte
// 48213110); kept 91203 events". "" if nothing was lost.
std::string import_warning(const std::string& path, const ImportReport& report);

}  // namespace strobe::report
