#include "strobe/readers/counters/ncu_report.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/base/protobuf.h"
#include "strobe/base/text.h"
#include "strobe/readers/counters/counter_names.h"
#include "strobe/readers/counters/launch_rows.h"

namespace strobe::readers {
namespace {

constexpr std::uint64_t kKnownVersion = 7;
// Far above any real message; a larger size means damage or a manipulated file.
constexpr std::uint32_t kMostMessageBytes = 256u << 20;
constexpr std::size_t kStepBytes = 1 << 20;
constexpr std::string_view kExportHint = "export it instead: ncu --import REPORT --csv --page raw";

// Reads from front to back, in pieces whose size is in the file itself.
class Chunks {
 public:
  explicit Chunks(ByteStream& stream) : stream_(&stream) {}

  // Grows with the bytes that arrive, not with the claimed size. False at the end and at damage.
  bool take(std::uint64_t bytes, std::string& into) {
    into.clear();
    while (into.size() < bytes) {
      const std::size_t before = into.size();
      const std::uint64_t wanted = std::min<std::uint64_t>(kStepBytes, bytes - before);
      into.resize(before + static_cast<std::size_t>(wanted));
      Result<std::size_t> got = stream_->read({into.data() + before, into.size() - before});
      if (!got) damage_ = std::move(got).error();
      const std::size_t fresh = damage_ ? 0 : *got;
      offset_ += fresh;
      into.resize(before + fresh);
      if (fresh == 0) return false;
    }
    return true;
  }

  std::optional<std::uint32_t> take_size() {
    if (!take(4, size_)) return std::nullopt;
    std::uint32_t size = 0;
    for (std::size_t i = 4; i > 0; --i) size = size << 8 | static_cast<unsigned char>(size_[i - 1]);
    return size;
  }

  bool skip(std::uint64_t bytes) {
    std::string passed;
    for (; bytes > 0; bytes -= passed.size()) {
      if (!take(std::min<std::uint64_t>(bytes, kStepBytes), passed)) return false;
    }
    return true;
  }

  bool at_end() const { return size_.empty(); }  // take_size() found nothing at all
  std::uint64_t offset() const { return offset_; }
  const std::optional<Error>& damage() const { return damage_; }

 private:
  ByteStream* stream_;
  std::string size_;
  std::uint64_t offset_ = 0;
  std::optional<Error> damage_;
};

struct BlockHeader {
  std::uint64_t sources = 0;
  std::uint64_t kernels = 0;
  std::uint64_t others = 0;  // ranges, command lists, graphs
  std::uint64_t payload_bytes = 0;
};

LaunchShape read_shape(std::string_view message) {
  std::array<std::uint32_t, 3> sizes = {0, 0, 0};
  for (ProtobufFields fields(message); fields.next();) {
    const std::uint32_t field = fields.field();
    if (fields.kind() != ProtobufFields::Kind::kNumber || field < 1 || field > 3) continue;
    sizes[field - 1] = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(fields.number(), std::numeric_limits<std::uint32_t>::max()));
  }
  return {sizes[0], sizes[1], sizes[2]};
}

struct MetricValue {
  std::optional<double> number;
  std::string_view text;
};

MetricValue value_of(std::string_view message) {
  MetricValue value;
  for (ProtobufFields fields(message); fields.next();) {
    switch (fields.kind()) {
      case ProtobufFields::Kind::kBytes:
        if (fields.field() == 1) value.text = fields.bytes();
        break;
      case ProtobufFields::Kind::kNumber:
        if (fields.field() == 4 || fields.field() == 5) {
          value.number = static_cast<double>(fields.number());
        }
        break;
      default:
        if (fields.field() == 2 || fields.field() == 3) value.number = fields.real();
    }
  }
  return value;
}

class ReportReader {
 public:
  explicit ReportReader(ByteStream& stream) : chunks_(stream) {}

  Result<KernelTable> read() {
    Result<void> header = read_file_header();
    bool goes_on = header.has_value();
    while (goes_on) goes_on = read_block();
    if (chunks_.damage() && chunks_.damage()->code == ErrorCode::kInterrupted) {
      return *chunks_.damage();
    }
    if (!header) return std::move(header).error();
    if (rows_.size() == 0 && is_broken_) {
      return Error{ErrorCode::kMalformed, "the report is damaged: no kernel of it can be read", "",
                   std::string(kExportHint)};
    }
    if (other_results_ > 0) {
      rows_.remarks().add_once(fmt::format("{} of ranges, command lists or graphs {} left out",
                                           counted(other_results_, "result"),
                                           plural(other_results_, "is", "are")));
    }
    rows_.set_clock_policy(policy_.value_or(ClockPolicy::kUnknown));
    return rows_.finish(KernelSource::kReport);
  }

 private:
  Result<void> read_file_header() {
    const bool has_magic = chunks_.take(kNcuReportMagic.size(), buffer_);
    const std::optional<std::uint32_t> size = has_magic ? chunks_.take_size() : std::nullopt;
    if (!size || *size > kMostMessageBytes || !chunks_.take(*size, buffer_)) {
      return Error{ErrorCode::kMalformed, "the report ends inside its header", "",
                   std::string(kExportHint)};
    }
    std::uint64_t version = 0;
    for (ProtobufFields fields(buffer_); fields.next();) {
      if (fields.is_number(1)) version = fields.number();
    }
    if (version != kKnownVersion) {
      rows_.remarks().add_once(fmt::format(
          "version {} of the report's format is read as version {}", version, kKnownVersion));
    }
    return {};
  }

  bool stop_broken(std::string_view what) {
    is_broken_ = true;
    rows_.remarks().add_once(fmt::format("{} (byte {}): {} before {} kept", what, chunks_.offset(),
                                         counted(rows_.size(), "kernel"),
                                         plural(rows_.size(), "is", "are")));
    return false;
  }

  bool read_block() {
    const std::optional<std::uint32_t> size = chunks_.take_size();
    if (!size && chunks_.at_end() && !chunks_.damage()) return false;
    if (!size) return stop_broken("the report ends inside a block");
    if (*size > kMostMessageBytes) return stop_broken("a block of the report is impossibly large");
    if (!chunks_.take(*size, buffer_)) return stop_broken("the report ends inside a block");
    const BlockHeader header = read_block_header(buffer_);
    other_results_ += header.others;
    return read_payload(header);
  }

  BlockHeader read_block_header(std::string_view message) {
    BlockHeader header;
    ProtobufFields fields(message);
    while (fields.next()) {
      if (fields.is_bytes(4)) read_strings(fields.bytes());
      if (fields.kind() != ProtobufFields::Kind::kNumber) continue;
      switch (fields.field()) {
        case 1:
          header.sources = fields.number();
          break;
        case 2:
          header.kernels = fields.number();
          break;
        case 5:
          header.payload_bytes = fields.number();
          break;
        case 7:
        case 8:
        case 9:
          header.others += std::min<std::uint64_t>(fields.number(), 1u << 20);
          break;
        default:
          break;
      }
    }
    if (fields.is_broken()) rows_.remarks().add_once("the header of a block is damaged");
    return header;
  }

  // Indices continue from block to block.
  void read_strings(std::string_view message) {
    for (ProtobufFields fields(message); fields.next();) {
      if (fields.is_bytes(1)) names_.push_back(find_counter(fields.bytes()));
    }
  }

  bool read_payload(const BlockHeader& header) {
    std::uint64_t left = header.payload_bytes;
    const std::uint64_t entries = header.sources + header.kernels;
    for (std::uint64_t i = 0; i < entries; ++i) {
      if (left < 4) {
        if (i >= header.sources) rows_.remarks().add_once("a block has fewer results than it says");
        break;
      }
      const std::optional<std::uint32_t> size = chunks_.take_size();
      if (!size) return stop_broken("the report ends inside a block");
      left -= 4;
      if (*size > left || *size > kMostMessageBytes) {
        rows_.remarks().add_once(
            "a result is larger than its block; the rest of the block is lost");
        is_broken_ = true;
        break;
      }
      left -= *size;
      const bool is_kernel = i >= header.sources;
      const bool is_whole = is_kernel ? chunks_.take(*size, buffer_) : chunks_.skip(*size);
      if (!is_whole) return stop_broken("the report ends inside a result");
      if (is_kernel) read_kernel(buffer_);
    }
    return chunks_.skip(left) || stop_broken("the report ends inside a block");
  }

  void read_kernel(std::string_view message) {
    std::string_view mangled, function, demangled, renamed;
    LaunchShape grid, block;
    std::optional<std::uint64_t> context, stream;
    metrics_.clear();
    ProtobufFields fields(message);
    while (fields.next()) {
      if (fields.is_bytes(5)) mangled = fields.bytes();
      if (fields.is_bytes(6)) function = fields.bytes();
      if (fields.is_bytes(7)) demangled = fields.bytes();
      if (fields.is_bytes(10)) grid = read_shape(fields.bytes());
      if (fields.is_bytes(11)) block = read_shape(fields.bytes());
      if (fields.is_bytes(13)) read_metric(fields.bytes());
      if (fields.is_number(22)) context = fields.number();
      if (fields.is_number(23)) stream = fields.number();
      if (fields.is_bytes(25)) read_clock_status(fields.bytes());
      if (fields.is_bytes(31)) renamed = fields.bytes();
    }
    const Place place{rows_.size() + 1, 0};
    if (fields.is_broken()) {
      is_broken_ = true;
      rows_.remarks().add(place, "the result is damaged; the part before the damage is kept");
    }
    const std::string_view name = !demangled.empty()  ? demangled
                                  : !renamed.empty()  ? renamed
                                  : !function.empty() ? function
                                                      : mangled;
    const std::size_t row = rows_.add(static_cast<std::uint32_t>(rows_.size()), name, place);
    if (!mangled.empty()) rows_.set_mangled(row, mangled);
    rows_.set_grid(row, grid);
    rows_.set_block(row, block);
    const auto set_place = [&](Counter counter, const std::optional<std::uint64_t>& number) {
      if (number) rows_.set(row, {counter, Quantity::kNone, 0}, static_cast<double>(*number));
    };
    set_place(Counter::kContext, context);
    set_place(Counter::kStream, stream);
    set_metrics(row);
  }

  void read_metric(std::string_view message) {
    std::optional<NamedCounter> named;
    std::string_view value;
    for (ProtobufFields fields(message); fields.next();) {
      if (fields.is_number(1) && fields.number() < names_.size()) {
        named = names_[static_cast<std::size_t>(fields.number())];
        if (!named) return;
      }
      if (fields.is_bytes(2)) value = fields.bytes();
    }
    if (named) metrics_.emplace_back(*named, value_of(value));
  }

  void set_metrics(std::size_t row) {
    std::int32_t device = 0;
    for (const auto& [named, value] : metrics_) {
      if (named.counter != Counter::kDevice || !value.number) continue;
      if (*value.number >= 0 && *value.number < 1e6) {
        device = static_cast<std::int32_t>(*value.number);
      }
    }
    for (const auto& [named, value] : metrics_) {
      if (named.counter == Counter::kDeviceName) {
        KernelDevice& described = rows_.device(device);
        if (described.name.empty()) described.name = sanitize_utf8(value.text);
      } else if (!value.number) {
        continue;
      } else if (is_of_device(named.counter)) {
        rows_.set_device_fact(device, named, *value.number);
      } else {
        rows_.set(row, named, *value.number);
      }
    }
  }

  void read_clock_status(std::string_view message) {
    bool is_locked = false;
    for (ProtobufFields fields(message); fields.next();) {
      if (fields.is_number(2)) is_locked = fields.number() != 0;
    }
    const ClockPolicy policy = is_locked ? ClockPolicy::kLocked : ClockPolicy::kFree;
    policy_ = !policy_ || *policy_ == policy ? policy : ClockPolicy::kUnknown;
  }

  Chunks chunks_;
  LaunchRows rows_;
  std::string buffer_;
  std::vector<std::optional<NamedCounter>> names_;             // by index of the string table
  std::vector<std::pair<NamedCounter, MetricValue>> metrics_;  // of the current result
  std::optional<ClockPolicy> policy_;
  std::uint64_t other_results_ = 0;
  bool is_broken_ = false;
};

}  // namespace

Result<KernelTable> read_ncu_report(ByteStream& stream) { return ReportReader(stream).read(); }

}  // namespace strobe::readers
