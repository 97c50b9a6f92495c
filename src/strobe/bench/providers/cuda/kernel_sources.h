#pragma once

#include <string_view>

// CUDA source of the kernels that surround a measurement; none of them is ever inside one. They
// include nothing and need nothing newer than sm_70.
namespace strobe::bench::sources {

// strobe_hold(const unsigned* flag, unsigned* timed_out, unsigned long long limit_ns): one thread
// that waits until the host sets the flag, or records that it waited too long.
extern const std::string_view kHold;

// strobe_clock(unsigned long long* cycles_and_ns): one thread that counts SM cycles between two
// ticks of the global timer, about 30 us apart.
extern const std::string_view kClock;

// strobe_flush(const uint4* data, unsigned long long count, unsigned* sink, int is_to_stay): reads
// all of it through the L2 cache and leaves clean lines, optionally with the priority to stay.
extern const std::string_view kFlush;
// strobe_release(const uint4* data, unsigned long long count): removes that priority.
extern const std::string_view kRelease;

extern const std::string_view kEmpty;  // strobe_empty()

// strobe_fill(void* out, unsigned long long count, unsigned long long seed, unsigned tensor, int
// law, float scale, int type): the values of input_values.h, rounded to nearest, ties to even.
// Plain C++ except for its frame, so that a test runs it on the host.
extern const std::string_view kFill;

// strobe_copy_*, strobe_read_*, strobe_write_*: 16 bytes per thread and step.
extern const std::string_view kRoofs;

}  // namespace strobe::bench::sources
