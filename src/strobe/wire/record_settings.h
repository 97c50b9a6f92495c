#pragma once

// How `strobe kernels record` passes settings to the injected library: by environment variables,
// because the library is also loaded into processes that strobe did not start itself.
namespace strobe::wire {

inline constexpr char kRecordFolder[] = "STROBE_RECORD_FOLDER";  // where <pid>.strobe is written
// Names, separated by commas. With windows, several lists separated by semicolons: the first window
// counts the first list, the next one the next, and after the last it starts again.
inline constexpr char kRecordMetrics[] = "STROBE_RECORD_METRICS";
// "1": a metric that the chip does not have stops the recording instead of leaving a column empty.
inline constexpr char kRecordStrict[] = "STROBE_RECORD_STRICT";
inline constexpr char kRecordKernel[] = "STROBE_RECORD_KERNEL";  // POSIX extended expression
// Another expression: the counters are stopped and started before each launch whose name matches.
inline constexpr char kRecordIsolate[] = "STROBE_RECORD_ISOLATE";
inline constexpr char kRecordLaunches[] =
    "STROBE_RECORD_LAUNCHES";  // "A:B", both included; "A:"; ":B"
// "1": only launches between cuProfilerStart and cuProfilerStop. A second start inside a window
// restarts it: earlier launches in it are measured and left out.
inline constexpr char kRecordWindow[] = "STROBE_RECORD_WINDOW";
inline constexpr char kRecordCupti[] =
    "STROBE_RECORD_CUPTI";  // the library, if not found by itself
// For experiments; the launcher passes them on unchanged.
inline constexpr char kRecordBatch[] = "STROBE_RECORD_BATCH";  // launches between two read-outs
// "kernel" or "user": who runs a kernel again; unset: the library, but only if it must run again.
inline constexpr char kRecordReplay[] = "STROBE_RECORD_REPLAY";
inline constexpr char kRecordRegisters[] =
    "STROBE_RECORD_REGISTERS";  // "0": do not query each function

inline constexpr char kInjectionLibrary[] = "libstrobe_inject.so";
inline constexpr char kRecordingSuffix[] = ".strobe";

}  // namespace strobe::wire
