#pragma once

#include "strobe/readers/formats.h"

// Files of AMD's profilers. Their databases are in readers/databases.
namespace strobe::readers {

extern const FileFormat kRocprofSdkJson;  // rocprofv3 --output-format json
extern const FileFormat kRocprofCsv;      // a table of rocprof, rocprofv2 or rocprofv3
extern const FolderFormat kRocprofCsvFolder;

}  // namespace strobe::readers
