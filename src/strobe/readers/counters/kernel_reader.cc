#include "strobe/readers/counters/kernel_reader.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/file.h"
#include "strobe/readers/counters/kernel_text.h"
#include "strobe/readers/counters/kernels_json.h"
#include "strobe/readers/counters/ncu_report.h"
#include "strobe/readers/counters/not_kernels.h"
#include "strobe/readers/counters/recording_table.h"
#include "strobe/readers/sniff.h"

namespace strobe::readers {
namespace {

// The text from its beginning, of which the first bytes were read to see what it is. Reports
// progress and stops when it is told to.
class OpenedStream : public ByteStream {
 public:
  OpenedStream(std::unique_ptr<ByteStream> stream, std::uint64_t file_bytes,
               const LoadOptions& options)
      : stream_(std::move(stream)), file_bytes_(file_bytes), options_(&options) {}

  Result<void> read_front() {
    front_.resize(kSniffBytes);
    std::size_t filled = 0;
    while (filled < front_.size()) {
      Result<std::size_t> bytes = stream_->read({front_.data() + filled, front_.size() - filled});
      if (!bytes && filled == 0) return std::move(bytes).error();
      if (!bytes || *bytes == 0) break;  // a damage is told again behind the front
      filled += *bytes;
    }
    front_.resize(filled);
    return {};
  }
  std::string_view front() const { return front_; }

  Result<std::size_t> read(std::span<char> out) override {
    if (options_->cancelled != nullptr && *options_->cancelled) {
      return Error{ErrorCode::kInterrupted, "loading was interrupted", "", ""};
    }
    if (at_ < front_.size()) {
      const std::size_t bytes = std::min(out.size(), front_.size() - at_);
      std::copy_n(front_.data() + at_, bytes, out.data());
      at_ += bytes;
      return bytes;
    }
    if (options_->progress) options_->progress({stream_->consumed_bytes(), file_bytes_});
    return stream_->read(out);
  }
  std::uint64_t consumed_bytes() const override { return stream_->consumed_bytes(); }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::uint64_t file_bytes_;
  const LoadOptions* options_;
  std::string front_;
  std::size_t at_ = 0;
};

// Grids and blocks are among a trace's arguments.
LoadOptions with_arguments(LoadOptions options) {
  options.keep_args = true;
  return options;
}

struct WholeText {
  std::string text;
  std::optional<Error> damage;
};

WholeText read_all(ByteStream& stream) {
  WholeText whole;
  for (std::size_t filled = 0; !whole.damage;) {
    whole.text.resize(std::max<std::size_t>(64 << 10, 2 * filled));
    Result<std::size_t> bytes =
        stream.read({whole.text.data() + filled, whole.text.size() - filled});
    if (!bytes) whole.damage = std::move(bytes).error();
    const std::size_t fresh = whole.damage ? 0 : *bytes;
    filled += fresh;
    whole.text.resize(filled);
    if (fresh == 0) break;
  }
  return whole;
}

bool is_json(std::string_view front) {
  const std::size_t first = front.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  if (front[first] != '{' && front[first] != '[') return false;
  // A program may have printed a bracket before the profiler listed its kernels.
  return front.find("\n\"ID\",\"Process ID\"") == std::string_view::npos;
}

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

Result<KernelTable> with_place(Result<KernelTable> table, const std::string& path) {
  if (table || !table.error().where.empty()) return table;
  Error error = std::move(table).error();
  error.where = path;
  return error;
}

Result<KernelTable> table_of(Result<LoadedTrace> loaded, const std::string& path) {
  if (!loaded) return std::move(loaded).error();
  KernelTable table = kernels_of(loaded->trace, path);
  if (table.size() == 0) {
    return Error{ErrorCode::kTooLittleData, "this trace has no kernels", path,
                 "record it with the device's activity: with the profiler's CUDA activity on"};
  }
  if (loaded->report.lost_something()) {
    table.remarks.push_back("the trace was read with losses; `strobe summary` lists them");
  }
  return table;
}

// `open_trace` reads the same file again, as a trace.
template <class OpenTrace>
Result<KernelTable> read_opened(OpenedStream& stream, const std::string& path,
                                const OpenTrace& open_trace) {
  STROBE_TRY_VOID(stream.read_front());
  const std::string_view front = without_byte_order_mark(stream.front());
  if (front.starts_with(kNcuReportMagic)) return read_ncu_report(stream, path);
  if (is_kernel_recording(front)) {
    const WholeText recording = read_all(stream);
    if (recording.damage && recording.damage->code == ErrorCode::kInterrupted) {
      return *recording.damage;
    }
    return read_kernel_recording(recording.text, path);
  }
  if (!is_json(front)) {
    if (front.find('\0') != std::string_view::npos) return explain_not_kernels(front);
    return read_kernel_text(stream, path);
  }
  if (!looks_like_kernels_json(front)) return table_of(open_trace(stream), path);
  const WholeText whole = read_all(stream);
  if (whole.damage && whole.damage->code == ErrorCode::kInterrupted) return *whole.damage;
  Result<KernelTable> table = read_kernels_json(without_byte_order_mark(whole.text), path);
  if (table && whole.damage) {
    table->remarks.push_back(whole.damage->what + "; what stands before is kept");
  }
  return table;
}

}  // namespace

Result<KernelTable> read_kernels(const std::filesystem::path& path, const LoadOptions& options) {
  STROBE_TRY(File file, File::open(path));
  const bool is_seekable = file.is_seekable();
  const std::uint64_t bytes = file.size_bytes();
  STROBE_TRY(auto unpacked, open_stream(std::move(file)));
  OpenedStream stream(std::move(unpacked), bytes, options);
  const auto open_trace = [&](OpenedStream& opened) {
    if (is_seekable) return read_trace(path, with_arguments(options));
    const WholeText whole = read_all(opened);
    return read_trace_bytes(whole.text, path.string(), with_arguments(options));
  };
  return with_place(read_opened(stream, path.string(), open_trace), path.string());
}

Result<KernelTable> read_kernels_bytes(std::string_view bytes, const std::string& name,
                                       const LoadOptions& options) {
  auto unpacked = open_stream(bytes);
  if (!unpacked) return with_place(std::move(unpacked).error(), name);
  OpenedStream stream(std::move(*unpacked), bytes.size(), options);
  const auto open_trace = [&](OpenedStream&) {
    return read_trace_bytes(bytes, name, with_arguments(options));
  };
  return with_place(read_opened(stream, name, open_trace), name);
}

}  // namespace strobe::readers
