#pragma once

#include <cstdint>
#include <map>

#include "strobe/readers/recording/recorded_file.h"
#include "strobe/readers/recording/recording_samples.h"
#include "strobe/trace/trace.h"

// What a recording says about itself.
namespace strobe::readers {

bool is_recorded(const Trace& trace);

// A fact that cannot be used goes to the report.
Metadata metadata_of(const RecordedFile& file, ImportReport& report);

void report_notes(const RecordedFile& file, ImportReport& report);
void report_ending(const RecordedFile& file, ImportReport& report);

// The names of threads in a file of the run.
void name_threads(const RecordedFile& file, TrackFinder& tracks);

// A process numbers the devices that it may see, strobe those of the machine: joined by the
// devices' unique ids, where both files have them.
void match_devices(const RecordedFile& process, const RecordedFile& samples, WantedSamples& wanted);

}  // namespace strobe::readers
