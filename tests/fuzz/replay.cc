// Runs files through the fuzz targets, each once: the committed corpora as a regression test, or
// one finding under a debugger. Needs no clang.
//
//   fuzz_replay FILE|FOLDER...     a file's target is the name of a folder that it lies in
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// STROBE_FUZZ_TARGETS: TARGET(trace_reader_fuzz) TARGET(...) ..., from tests/fuzz/CMakeLists.txt.
#define TARGET(name) extern "C" int name(const std::uint8_t* data, std::size_t size);
STROBE_FUZZ_TARGETS
#undef TARGET

namespace {

struct Target {
  const char* name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

constexpr Target kTargets[] = {
#define TARGET(name) {#name, name},
    STROBE_FUZZ_TARGETS
#undef TARGET
};

const Target* target_of(const std::filesystem::path& file) {
  const std::filesystem::path whole = std::filesystem::absolute(file);
  for (const Target& target : kTargets) {
    if (std::find(whole.begin(), whole.end(), target.name) != whole.end()) return &target;
  }
  return nullptr;
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& place) {
  if (!std::filesystem::is_directory(place)) return {place};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t inputs = 0;
  for (int i = 1; i < argc; ++i) {
    const std::vector<std::filesystem::path> files = files_of(argv[i]);
    if (files.empty()) {
      std::fprintf(stderr, "replay: nothing in %s\n", argv[i]);
      return 1;
    }
    for (const std::filesystem::path& path : files) {
      const Target* target = target_of(path);
      std::ifstream file(path, std::ios::binary);
      if (target == nullptr || !file) {
        std::fprintf(stderr, "replay: %s %s\n", target == nullptr ? "no target for" : "cannot read",
                     path.c_str());
        return 1;
      }
      const std::string bytes((std::istreambuf_iterator<char>(file)), {});
      std::printf("%s (%zu bytes)\n", path.c_str(), bytes.size());
      std::fflush(stdout);
      target->run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++inputs;
    }
  }
  std::printf("replay: %zu inputs\n", inputs);
  return inputs == 0 ? 1 : 0;
}
