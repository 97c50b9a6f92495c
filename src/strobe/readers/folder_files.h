#pragma once

#include <filesystem>
#include <vector>

#include "strobe/trace/import_report.h"

// The files of a folder that is one trace.
namespace strobe::readers {

// The regular files in a folder, by name; none if it cannot be read.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

// Names what lies in these folders, looks like a trace or a table of one, and was not read.
void report_unread_files(const std::vector<std::filesystem::path>& folders,
                         const std::vector<std::filesystem::path>& read, ImportReport& report);

}  // namespace strobe::readers
