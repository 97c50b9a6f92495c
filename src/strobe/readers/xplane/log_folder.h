#pragma once

#include <filesystem>
#include <vector>

// The folders that the profiler of JAX, TensorFlow and PyTorch/XLA writes. LOGS/plugins/profile/RUN
// has one profile per host, and often the same again as Chrome's JSON, without some of the events.
namespace strobe::readers::xplane {

// The recordings of a folder of logs, by name, which is their date.
std::vector<std::filesystem::path> recordings_in(const std::filesystem::path& logs);

// Whether a folder is one of these recordings.
bool is_recording(const std::filesystem::path& folder);

// Drops the files of a folder that repeat what a profile in it says.
void drop_copies(std::vector<std::filesystem::path>& files);

}  // namespace strobe::readers::xplane
