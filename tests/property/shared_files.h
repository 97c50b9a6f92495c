#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "strobe/base/byte_stream.h"
#include "strobe/base/file.h"
#include "tests/support/needs_shared.h"

// Files that several properties use.
namespace strobe {

inline const std::filesystem::path kShared = STROBE_SOURCE_DIR "/../shared";
inline const std::filesystem::path kPair = kShared / "data/sglang_gpu_instability";
inline const std::filesystem::path kGrids = kShared / "data/fusion_grids.csv";

// The whole text of a file, decompressed.
inline std::string file_text(const std::filesystem::path& path) {
  const auto stream = open_stream(File::open(path).value()).value();
  std::string text;
  for (std::size_t filled = 0;;) {
    text.resize(filled + (4 << 20));
    const std::size_t bytes = stream->read({text.data() + filled, text.size() - filled}).value();
    filled += bytes;
    text.resize(filled);
    if (bytes == 0) return text;
  }
}

}  // namespace strobe
