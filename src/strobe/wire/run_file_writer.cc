#include "strobe/wire/run_file_writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "strobe/wire/chunk_checksum.h"

namespace strobe::wire {
namespace {

std::int64_t now_ns(clockid_t clock) noexcept {
  timespec now = {};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void put_number(std::vector<std::uint8_t>& bytes, std::uint64_t value) noexcept {
  if (value < 0x80) {  // most are
    bytes.push_back(static_cast<std::uint8_t>(value));
    return;
  }
  std::uint8_t encoded[kMostVarintBytes];
  bytes.insert(bytes.end(), encoded, put_varint(encoded, value));
}

void put_text(std::vector<std::uint8_t>& bytes, std::string_view text) noexcept {
  put_number(bytes, text.size());
  bytes.insert(bytes.end(), text.begin(), text.end());
}

// A file may not become longer than the program's limit (`ulimit -f`): that is an error here, not a
// signal that ends the program.
class NoSignalOfFileSize {
 public:
  NoSignalOfFileSize() noexcept {
    sigemptyset(&only_);
    sigaddset(&only_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  NoSignalOfFileSize(const NoSignalOfFileSize&) = delete;
  NoSignalOfFileSize& operator=(const NoSignalOfFileSize&) = delete;
  ~NoSignalOfFileSize() {
    if (sigismember(&before_, SIGXFSZ) == 1) return;
    const timespec at_once = {};
    while (sigtimedwait(&only_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t only_;
  sigset_t before_ = {};
};

bool write_all(int descriptor, const std::uint8_t* bytes, std::size_t size,
               std::uint64_t offset) noexcept {
  const NoSignalOfFileSize no_signal;
  while (size > 0) {
    const ssize_t written = pwrite(descriptor, bytes, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
    offset += static_cast<std::uint64_t>(written);
  }
  return true;
}

}  // namespace

std::int64_t run_clock_ns() noexcept { return now_ns(CLOCK_MONOTONIC); }

std::int64_t run_clock_to_unix_ns() noexcept {
  const std::int64_t before = now_ns(CLOCK_MONOTONIC);
  const std::int64_t unix_ns = now_ns(CLOCK_REALTIME);
  const std::int64_t after = now_ns(CLOCK_MONOTONIC);
  return unix_ns - (before + (after - before) / 2);
}

ChunkRows::ChunkRows(ChunkKind kind) noexcept : kind_(kind) {
  for (const Coding coding : codings_of(kind)) columns_.push_back({coding, 0, {}});
}

void ChunkRows::add(std::span<const std::uint64_t> values) noexcept {
  if (values.size() != columns_.size()) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Column& column = columns_[i];
    if (column.coding == Coding::kPlain) {
      put_number(column.bytes, values[i]);
    } else {
      put_number(column.bytes, zigzag(static_cast<std::int64_t>(values[i] - column.before)));
      column.before = values[i];
    }
  }
  ++rows_;
}

std::size_t ChunkRows::bytes() const noexcept {
  std::size_t sum = 0;
  for (const Column& column : columns_) sum += column.bytes.size();
  return sum;
}

void ChunkRows::clear() noexcept {
  rows_ = 0;
  for (Column& column : columns_) {
    column.before = 0;
    column.bytes.clear();
  }
}

RunFileWriter::~RunFileWriter() { close(); }

bool RunFileWriter::open(const std::string& path) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_open()) return false;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (!is_open()) return false;
  file_bytes_ = 0;
  begin_segment();
  return true;
}

bool RunFileWriter::next_file(const std::string& path) noexcept {
  const std::lock_guard lock(mutex_);
  const int next = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (next < 0) return false;
  if (is_open()) ::close(descriptor_);
  descriptor_ = next;
  file_bytes_ = 0;
  begin_segment();
  return true;
}

void RunFileWriter::next_segment() noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_open()) return;
  write_texts();
  begin_segment();
}

void RunFileWriter::close() noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_open()) return;
  note_losses();
  write_texts();
  ::close(descriptor_);
  descriptor_ = -1;
}

void RunFileWriter::abandon() noexcept {
  if (is_open()) ::close(descriptor_);
  descriptor_ = -1;
}

void RunFileWriter::begin_segment() noexcept {
  rows_ = {};
  texts_.clear();
  new_texts_.clear();
  new_text_count_ = 0;
  scratch_.assign(sizeof(ChunkHeader), 0);
  append(ChunkKind::kSegment, 0, 0);
  text("");  // number 0: no text
}

void RunFileWriter::facts(
    std::span<const std::pair<std::string_view, std::string_view>> pairs) noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_open()) return;
  scratch_.assign(sizeof(ChunkHeader), 0);
  for (const auto& [key, value] : pairs) {
    put_text(scratch_, key);
    put_text(scratch_, value);
  }
  append(ChunkKind::kFacts, static_cast<std::uint32_t>(pairs.size()), 0);
}

void RunFileWriter::fact(std::string_view key, std::string_view value) noexcept {
  const std::pair<std::string_view, std::string_view> pair = {key, value};
  facts({&pair, 1});
}

std::uint64_t RunFileWriter::text(std::string_view text) noexcept {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = texts_.try_emplace(std::string(text), texts_.size());
  if (is_new) {
    put_text(new_texts_, text);
    ++new_text_count_;
  }
  return entry->second;
}

void RunFileWriter::write_texts() noexcept {
  if (new_text_count_ == 0) return;
  scratch_.assign(sizeof(ChunkHeader), 0);
  scratch_.insert(scratch_.end(), new_texts_.begin(), new_texts_.end());
  // Later chunks need these numbers: they stay until there is room for them.
  if (!append(ChunkKind::kTexts, new_text_count_, 0)) return;
  new_texts_.clear();
  new_text_count_ = 0;
}

void RunFileWriter::note(NoteWhat what, std::string_view words, std::uint64_t count) noexcept {
  ChunkRows rows(ChunkKind::kNotes);
  rows.add({static_cast<std::uint64_t>(what), static_cast<std::uint64_t>(run_clock_ns()), count,
            text(words)});
  write(rows);
}

void RunFileWriter::note_losses() noexcept {
  if (lost_rows_ == noted_losses_) return;
  const std::uint64_t noted_before = std::exchange(noted_losses_, lost_rows_);
  const std::uint64_t lost = lost_rows_;
  note(NoteWhat::kDiskFull, "rows could not be written", lost - noted_before);
  if (lost_rows_ == lost) return;
  lost_rows_ = lost;  // the note itself could not be written: later, then
  noted_losses_ = noted_before;
}

void RunFileWriter::write(ChunkRows& rows) noexcept {
  const std::lock_guard lock(mutex_);
  if (rows.rows() == 0) return;
  if (!is_open()) {
    rows.clear();
    return;
  }
  write_texts();
  scratch_.assign(sizeof(ChunkHeader), 0);
  for (const ChunkRows::Column& column : rows.columns_) {
    const auto bytes = static_cast<std::uint32_t>(column.bytes.size());
    const auto* first = reinterpret_cast<const std::uint8_t*>(&bytes);
    scratch_.insert(scratch_.end(), first, first + sizeof bytes);
    scratch_.insert(scratch_.end(), column.bytes.begin(), column.bytes.end());
  }
  const std::uint32_t count = rows.rows();
  const bool has_texts = new_text_count_ == 0;
  if (!has_texts || !append(rows.kind(), count, static_cast<std::uint32_t>(rows.columns_.size()))) {
    lost_rows_ += count;
    rows_[static_cast<std::size_t>(rows.kind())] += count;  // others keep their numbers
  } else if (rows.kind() != ChunkKind::kNotes) {
    note_losses();
  }
  rows.clear();
}

// After a failed write the next chunk takes the place of the one that is not whole.
bool RunFileWriter::append(ChunkKind kind, std::uint32_t rows, std::uint32_t columns) noexcept {
  if (!is_open()) return false;
  ChunkHeader header = {};
  std::memcpy(header.magic, kChunkMagic, sizeof header.magic);
  header.version = kRunFileVersion;
  header.kind = kind;
  header.rows = rows;
  header.columns = columns;
  header.first_row = rows_[static_cast<std::size_t>(kind)];
  header.payload_bytes = static_cast<std::uint32_t>(scratch_.size() - sizeof header);
  header.checksum = chunk_checksum(header, {scratch_.data() + sizeof header, header.payload_bytes});
  std::memcpy(scratch_.data(), &header, sizeof header);
  while (scratch_.size() % kChunkAlignment != 0) scratch_.push_back(0);
  if (!write_all(descriptor_, scratch_.data(), scratch_.size(), file_bytes_)) {
    [[maybe_unused]] const int ignored = ftruncate(descriptor_, static_cast<off_t>(file_bytes_));
    return false;
  }
  file_bytes_ += scratch_.size();
  rows_[static_cast<std::size_t>(kind)] += rows;
  return true;
}

}  // namespace strobe::wire
