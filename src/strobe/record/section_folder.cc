#include "strobe/record/section_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/file.h"
#include "strobe/wire/kernel_recording.h"
#include "strobe/wire/record_settings.h"

namespace strobe::record {
namespace {

namespace fs = std::filesystem;

struct Section {
  std::int64_t start_unix_ns;
  std::string bytes;
};

}  // namespace

Result<SectionFolder> SectionFolder::make() {
  std::error_code no_folder;
  std::string path = (fs::temp_directory_path(no_folder) / "strobe-record-XXXXXX").string();
  if (no_folder || mkdtemp(path.data()) == nullptr) {
    return Error{
        .code = ErrorCode::kCannotWrite,
        .what = fmt::format("cannot make a folder for temporary files: {}", std::strerror(errno)),
        .where = "",
        .hint = ""};
  }
  return SectionFolder(path);
}

SectionFolder::SectionFolder(SectionFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

SectionFolder::~SectionFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<Sections> SectionFolder::collect() const {
  std::vector<Section> sections;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, ignored)) {
    if (entry.path().extension() != wire::kRecordingSuffix) continue;
    STROBE_TRY(const auto file, MappedFile::open(entry.path()));
    const std::span<const char> bytes = file->bytes();
    wire::SectionHeader header = {};
    if (bytes.size() < sizeof header) continue;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.magic, wire::kRecordingMagic, sizeof header.magic) != 0) continue;
    const std::uint64_t end =
        std::min<std::uint64_t>(bytes.size(), header.header_bytes + header.body_bytes);
    sections.push_back({header.start_unix_ns, std::string(bytes.data(), end)});
  }
  std::ranges::sort(sections, {}, &Section::start_unix_ns);
  Sections collected;
  for (const Section& section : sections) collected.bytes += section.bytes;
  collected.processes = sections.size();
  return collected;
}

}  // namespace strobe::record
