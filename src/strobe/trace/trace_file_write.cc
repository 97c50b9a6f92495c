#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "strobe/base/check.h"
#include "strobe/trace/trace_facts.h"
#include "strobe/trace/trace_file.h"
#include "strobe/trace/trace_file_layout.h"

namespace strobe {
namespace {

using trace_file::Header;
using trace_file::Section;

template <class T>
std::span<const char> bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}
template <class T>
std::span<const char> bytes_of(const std::vector<T>& values) {
  return bytes_of(std::span<const T>(values));
}

// Writes section after section. The header, without which the file is invalid, comes last.
class FileWriter {
 public:
  explicit FileWriter(const std::filesystem::path& path)
      : path_(path),
        descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {
    if (descriptor_ < 0) error_ = errno;
    const std::vector<char> front(trace_file::kFirstOffset);
    write(front);
    offset_ = front.size();
  }
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  void section(std::span<const char> bytes) {
    begin_section();
    append(bytes);
    end_section();
  }
  void begin_section() {
    checksummer_ = Checksummer(sections_.size());
    sections_.push_back({offset_, 0, 0});
  }
  void append(std::span<const char> bytes) {
    checksummer_.add(bytes);
    offset_ += bytes.size();
    if (bytes.size() >= kBufferBytes) {
      flush();
      write(bytes);
      return;
    }
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() >= kBufferBytes) flush();
  }
  void end_section() {
    static constexpr char kZeros[trace_file::kAlignment] = {};
    sections_.back().bytes = offset_ - sections_.back().offset;
    append(std::span(kZeros).first(trace_file::padded(offset_) - offset_));
    sections_.back().checksum = checksummer_.checksum();
  }

  Result<void> finish(const ContentHash& source) {
    STROBE_CHECK(sections_.size() == trace_file::kSectionCount, "every section is written once");
    std::vector<char> front(trace_file::kFirstOffset);
    std::memcpy(front.data() + sizeof(Header), sections_.data(),
                sections_.size() * sizeof(Section));
    Header header;
    header.file_bytes = offset_;
    header.section_count = trace_file::kSectionCount;
    header.schema = trace_file::schema_of_this_build();
    header.source = source;
    std::memcpy(front.data(), &header, sizeof header);
    header.checksum = checksum_of(front, trace_file::kSectionCount);
    std::memcpy(front.data(), &header, sizeof header);
    flush();
    if (error_ == 0 && ::lseek(descriptor_, 0, SEEK_SET) != 0) error_ = errno;
    write(front);
    if (descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) != 0 && error_ == 0) {
      error_ = errno;
    }
    if (error_ == 0) return {};
    std::error_code ignored;
    if (error_ != EEXIST) std::filesystem::remove(path_, ignored);
    return Error{
        ErrorCode::kCannotWrite, std::generic_category().message(error_), path_.string(), {}};
  }

 private:
  static constexpr std::size_t kBufferBytes = 1 << 18;

  void flush() {
    write(buffer_);
    buffer_.clear();
  }
  void write(std::span<const char> bytes) {
    while (!bytes.empty() && error_ == 0) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written >= 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
  }

  std::filesystem::path path_;
  int descriptor_ = -1;
  int error_ = 0;  // the first one; nothing is written after it
  std::uint64_t offset_ = 0;
  std::vector<char> buffer_;
  std::vector<Section> sections_;
  Checksummer checksummer_{0};
};

// A packed column is written as any other.
template <class T>
void write_column(const Column<T>& column, FileWriter& file) {
  file.begin_section();
  file.append(bytes_of(column.unpacked()));
  std::vector<T> some;
  for (std::size_t row = column.unpacked().size(); row < column.size(); ++row) {
    some.push_back(column[row]);
    if (some.size() < kPackedPageRows && row + 1 < column.size()) continue;
    file.append(bytes_of(some));
    some.clear();
  }
  file.end_section();
}

void write_texts(const StringPool& strings, FileWriter& file) {
  std::vector<std::uint64_t> ends;
  ends.reserve(strings.size());
  std::uint64_t end = 0;
  for (const std::string_view text : strings.texts()) ends.push_back(end += text.size());
  file.section(bytes_of(ends));
  file.begin_section();
  for (const std::string_view text : strings.texts()) file.append(text);
  file.end_section();
  file.section(bytes_of(strings.slots()));
}

void write_args(const ArgsStore& args, FileWriter& file) {
  std::vector<trace_file::ArgsBlock> blocks;
  std::uint64_t packed_end = 0;
  for (const ArgsStore::Block& block : args.blocks()) {
    if (!blocks.empty()) blocks.back().text_end = block.first;
    blocks.push_back({block.raw_bytes, packed_end += block.packed.size(), 0, 0});
  }
  if (!blocks.empty()) blocks.back().text_end = static_cast<std::uint32_t>(args.size());
  file.section(bytes_of(blocks));
  file.begin_section();
  for (const ArgsStore::Block& block : args.blocks()) file.append(block.packed);
  file.end_section();
}

}  // namespace

Result<void> write_trace_file(const std::string& path, const Trace& trace,
                              const ImportReport& report, const ContentHash& source) {
  FileWriter file(path);
  std::apply([&](const auto&... columns) { (write_column(columns, file), ...); },
             trace_file::all_columns(trace));
  write_texts(trace.strings(), file);
  write_args(trace.args(), file);
  file.section(trace_file::encode_facts(trace, report));
  return file.finish(source);
}

}  // namespace strobe
