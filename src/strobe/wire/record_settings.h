#pragma once

// How `strobe kernels record` tells the injected library what to do: environment variables, because
// the library wakes up in processes that nobody of strobe has started.
namespace strobe::wire {

inline constexpr char kRecordFolder[] = "STROBE_RECORD_FOLDER";  // where <pid>.strobe is written
// Names, comma between. With a window, several lists with semicolons between: the first window
// counts the first list, the next the next, and behind the last it begins again.
inline constexpr char kRecordMetrics[] = "STROBE_RECORD_METRICS";
// "1": a metric that the chip does not have stops the recording instead of leaving a column empty.
inline constexpr char kRecordStrict[] = "STROBE_RECORD_STRICT";
inline constexpr char kRecordKernel[] = "STROBE_RECORD_KERNEL";  // POSIX extended expression
// Another one: the counters are stopped and started before each launch whose name matches.
inline constexpr char kRecordIsolate[] = "STROBE_RECORD_ISOLATE";
inline constexpr char kRecordLaunches[] =
    "STROBE_RECORD_LAUNCHES";  // "A:B", both count; "A:"; ":B"
// "1": only what is launched between cuProfilerStart and cuProfilerStop. A second start inside of a
// window begins it anew: what was launched in it so far is measured and left out.
inline constexpr char kRecordWindow[] = "STROBE_RECORD_WINDOW";
inline constexpr char kRecordCupti[] =
    "STROBE_RECORD_CUPTI";  // the library, if not found by itself
// For trying things out; the launcher passes them on as it finds them.
inline constexpr char kRecordBatch[] = "STROBE_RECORD_BATCH";  // launches between two read-outs
// "kernel" or "user": who runs a kernel again; unset, the library only if there is an again.
inline constexpr char kRecordReplay[] = "STROBE_RECORD_REPLAY";
inline constexpr char kRecordRegisters[] =
    "STROBE_RECORD_REGISTERS";  // "0": do not ask each function

inline constexpr char kInjectionLibrary[] = "libstrobe_inject.so";
inline constexpr char kRecordingSuffix[] = ".strobe";

}  // namespace strobe::wire
