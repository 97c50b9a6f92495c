#include "strobe/readers/sniff.h"

#include <algorithm>
#include <memory>
#include <span>

#include "strobe/base/byte_stream.h"
#include "strobe/base/json_scan.h"
#include "strobe/readers/event_scanner.h"
#include "strobe/readers/frame.h"
#include "strobe/readers/window.h"

namespace strobe::readers {
namespace {

// Unpacked bytes looked at: a packed file must not unfold without end here.
class FirstBytes : public ByteStream {
 public:
  explicit FirstBytes(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}

  Result<std::size_t> read(std::span<char> out) override {
    STROBE_TRY(const std::size_t bytes, stream_->read(out.first(std::min(out.size(), left_))));
    left_ -= bytes;
    return bytes;
  }
  std::uint64_t consumed_bytes() const override { return stream_->consumed_bytes(); }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::size_t left_ = kSniffBytes;
};

}  // namespace

bool looks_like_trace(std::string_view first_bytes) {
  auto unpacked = open_stream(first_bytes);
  if (!unpacked) return false;
  FirstBytes stream(std::move(*unpacked));
  Window window(stream, 0);
  const char* p = nullptr;
  const Result<Frame> frame = read_front(window, p, "");
  if (!frame) return false;
  if (frame->is_object) return true;
  p = json::skip_blanks(p);
  RawEvent event;
  return p < window.end() && *p == '{' &&
         EventScanner().scan(p, window.end(), event) == ScanResult::kEvent && event.phase != 0;
}

}  // namespace strobe::readers
