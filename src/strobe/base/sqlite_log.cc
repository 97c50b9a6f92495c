#include "strobe/base/sqlite_log.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "strobe/base/file.h"
#include "strobe/base/sqlite.h"

// The layout of the log is described at https://www.sqlite.org/fileformat2.html#walformat.
namespace strobe::sqlite {
namespace {

constexpr std::size_t kHeadBytes = 32;
constexpr std::size_t kFrameHeadBytes = 24;

std::uint32_t big_endian_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return number;
}

// Of the head and all frames so far; each frame carries it.
class Checksum {
 public:
  explicit Checksum(bool is_big_endian) : is_big_endian_(is_big_endian) {}

  void add(std::string_view bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first_ += word_at(bytes, at) + second_;
      second_ += word_at(bytes, at + 4) + first_;
    }
  }
  bool is(std::string_view stored) const {
    return big_endian_at(stored, 0) == first_ && big_endian_at(stored, 4) == second_;
  }

 private:
  std::uint32_t word_at(std::string_view bytes, std::size_t at) const {
    const std::uint32_t word = big_endian_at(bytes, at);
    return is_big_endian_ ? word : __builtin_bswap32(word);
  }

  bool is_big_endian_;
  std::uint32_t first_ = 0;
  std::uint32_t second_ = 0;
};

struct Log {
  std::uint32_t page_bytes = 0;
  std::uint32_t pages = 0;                        // of the database after the last transaction
  std::map<std::uint32_t, std::uint64_t> newest;  // where the last version of a page stands
};

bool read_exactly(const File& file, std::uint64_t offset, std::vector<char>& out) {
  const Result<std::size_t> bytes = file.read_at(offset, out);
  return bytes && *bytes == out.size();
}

// The transactions that ended. Frames of an earlier round, which a later one has not overwritten
// yet, carry other salts.
Log read_log(const File& file) {
  constexpr std::uint32_t kLogMagic = 0x377F0682;  // the last bit: the sums are of big-endian words
  Log log;
  std::vector<char> head_bytes(kHeadBytes);
  if (!read_exactly(file, 0, head_bytes)) return log;
  const std::string_view head(head_bytes.data(), head_bytes.size());
  const std::string_view salts = head.substr(16, 8);
  const std::uint32_t magic = big_endian_at(head, 0);
  Checksum sum((magic & 1) != 0);
  sum.add(head.substr(0, kHeadBytes - 8));
  const std::uint32_t page_bytes = big_endian_at(head, 8);
  const bool is_log = (magic & ~1u) == kLogMagic && std::has_single_bit(page_bytes) &&
                      page_bytes >= 512 && page_bytes <= 65536;
  if (!is_log || !sum.is(head.substr(kHeadBytes - 8))) return log;
  log.page_bytes = page_bytes;

  std::vector<std::pair<std::uint32_t, std::uint64_t>> open;  // of a transaction
  std::vector<char> frame_bytes(kFrameHeadBytes + log.page_bytes);
  std::uint64_t offset = kHeadBytes;
  for (; read_exactly(file, offset, frame_bytes); offset += frame_bytes.size()) {
    const std::string_view frame(frame_bytes.data(), frame_bytes.size());
    sum.add(frame.substr(0, 8));
    sum.add(frame.substr(kFrameHeadBytes));
    if (frame.substr(8, 8) != salts || !sum.is(frame.substr(16, 8))) break;
    open.emplace_back(big_endian_at(frame, 0), offset + kFrameHeadBytes);
    const std::uint32_t pages = big_endian_at(frame, 4);
    if (pages == 0) continue;  // not the last one of the transaction
    log.pages = pages;
    for (const auto& [page, place] : open) log.newest[page] = place;
    open.clear();
  }
  return log;
}

bool changes(const Log& log, const File& log_file, const File& database) {
  std::vector<char> ours(log.page_bytes);
  std::vector<char> theirs(log.page_bytes);
  for (const auto& [page, place] : log.newest) {
    if (page == 0 || page > log.pages) continue;  // cut off later
    if (!read_exactly(log_file, place, theirs)) continue;
    if (!read_exactly(database, std::uint64_t{page - 1} * log.page_bytes, ours)) return true;
    if (ours != theirs) return true;
  }
  return false;
}

}  // namespace

std::optional<std::filesystem::path> unread_log(const std::filesystem::path& database) {
  constexpr std::size_t kReadVersion = 19;
  constexpr char kWithLog = 2;
  char first[kReadVersion + 1] = {};
  const Result<File> file = File::open(database.string());
  if (!file || !file->is_seekable()) return std::nullopt;
  const Result<std::size_t> bytes = file->read_at(0, first);
  if (!bytes || !is_database({first, *bytes}) || first[kReadVersion] != kWithLog) {
    return std::nullopt;
  }
  std::filesystem::path path = database;
  path += "-wal";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;  // a pipe would wait
  const Result<File> log = File::open(path.string());
  if (!log || !changes(read_log(*log), *log, *file)) return std::nullopt;
  return path;
}

}  // namespace strobe::sqlite
