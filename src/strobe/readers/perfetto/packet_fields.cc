#include "strobe/readers/perfetto/packet_fields.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace strobe::readers::perfetto {
namespace {

struct PacketType {
  std::uint32_t field;
  std::string_view word;
};

constexpr PacketType kTypes[] = {
    {1, "ftrace_events"},
    {2, "process_tree"},
    {4, "inode_file_map"},
    {5, "chrome_events"},
    {6, "clock_snapshot"},
    {7, "sys_stats"},
    {9, "process_stats"},
    {11, "track_event"},
    {37, "profile_packet"},
    {38, "battery"},
    {39, "android_log"},
    {40, "power_rails"},
    {46, "trigger"},
    {47, "packages_list"},
    {48, "chrome_benchmark_metadata"},
    {49, "perfetto_metatrace"},
    {51, "chrome_metadata"},
    {52, "gpu_counter_event"},
    {53, "gpu_render_stage_event"},
    {54, "streaming_profile_packet"},
    {56, "heap_graph"},
    {57, "graphics_frame_event"},
    {61, "module_symbols"},
    {62, "vulkan_memory_event"},
    {63, "gpu_log"},
    {64, "deobfuscation_mapping"},
    {65, "vulkan_api_event"},
    {66, "perf_sample"},
    {67, "cpu_info"},
    {68, "smaps_packet"},
    {70, "initial_display_state"},
    {71, "gpu_mem_total_event"},
    {73, "memory_tracker_snapshot"},
    {74, "streaming_allocation"},
    {75, "streaming_free"},
    {76, "frame_timeline_event"},
    {82, "translation_table"},
    {84, "statsd_atom"},
    {88, "network_packet"},
    {90, "track_event_range_of_interest"},
    {95, "etw_events"},
    {107, "remote_clock_sync"},
    {117, "generic_kernel_task_state_event"},
    {118, "generic_kernel_cpu_freq_event"},
    {128, "gpu_info"},
    {129, "generic_gpu_frequency_event"},
    {135, "stack_sample"},
};

// Configuration, statistics, marks and the like; and what every packet has besides its data.
constexpr std::uint32_t kAboutRecording[] = {3,  8,  10, 12, 13, 33, 34, 35, 36,  41,  42,  45, 58,
                                             59, 69, 72, 78, 79, 87, 89, 98, 124, 126, 127, 900};

}  // namespace

std::string packet_type(std::uint32_t field) {
  const auto* const known = std::ranges::find(kTypes, field, &PacketType::field);
  if (known != std::end(kTypes)) return std::string(known->word);
  return fmt::format("packet with field {}", field);
}

bool is_about_recording(std::uint32_t field) {
  return std::ranges::find(kAboutRecording, field) != std::end(kAboutRecording);
}

bool is_packet_data(std::uint32_t field) {
  return field < 200 || field == 900 || (field >= 1000 && field < 2000);
}

}  // namespace strobe::readers::perfetto
