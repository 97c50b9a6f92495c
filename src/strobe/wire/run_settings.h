#pragma once

#include <sys/types.h>

#include <cstdint>

// How `strobe record` passes settings to the injected library, see record_settings.h.
namespace strobe::wire {

inline constexpr char kRunFolder[] = "STROBE_RUN_FOLDER";      // where the processes' files go
inline constexpr char kRunRecorder[] = "STROBE_RUN_RECORDER";  // id of strobe's own process
// Which calls are recorded: "launches" (what starts, copies, waits or allocates), "all", "none".
inline constexpr char kRunCalls[] = "STROBE_RUN_CALLS";
inline constexpr char kRunGraphs[] = "STROBE_RUN_GRAPHS";  // "launches" or "nodes"
inline constexpr char kRunRanges[] = "STROBE_RUN_RANGES";  // "0": ranges are not recorded
inline constexpr char kRunRedact[] = "STROBE_RUN_REDACT";  // "1": names are replaced by hashes
// Milliseconds. Keep: the file is cut into parts, and parts older than this are removed. Every and
// For: windows of this length, one in each period, with the library detached in between.
inline constexpr char kRunKeep[] = "STROBE_RUN_KEEP_MS";
inline constexpr char kRunEvery[] = "STROBE_RUN_EVERY_MS";
inline constexpr char kRunFor[] = "STROBE_RUN_FOR_MS";

// A process writes <kRunFolder>/process-<pid>.strobe; with a rank, rank<R>-process-<pid>.strobe.
// With kRunKeep the name of a part is that of the file and its number: process-17.strobe.part3.
inline constexpr char kProcessFilePrefix[] = "process-";
inline constexpr char kRunFileSuffix[] = ".strobe";
inline constexpr char kPartSuffix[] = ".part";
// strobe's own samples: host-<pid>.strobe.
inline constexpr char kHostFilePrefix[] = "host-";
inline constexpr char kRunManifest[] = "run.json";
// A recorder's number is that of its process. Several machines may share a folder: one whose number
// is taken adds kMostProcesses until it is free.
inline constexpr std::int64_t kMostProcesses = 1 << 22;  // no process of Linux has a higher number
constexpr pid_t process_of_recorder(std::int64_t recorder) {
  return static_cast<pid_t>(recorder % kMostProcesses);
}
// strobe increments a number in this file of 8 bytes to ask every process to write out what it has;
// mapped by all of them.
inline constexpr char kRunControl[] = ".control";

}  // namespace strobe::wire
