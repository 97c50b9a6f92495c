#include "strobe/base/unpacking_stream.h"

#include <utility>

namespace strobe {

Result<std::size_t> UnpackingStream::read(std::span<char> out) {
  std::size_t done = 0;
  while (done < out.size() && !ended_ && !failure_) done += unpack_some(out.subspan(done));
  if (done == 0 && failure_) return *failure_;
  return done;
}

void UnpackingStream::fail_damaged(std::string what) {
  fail({ErrorCode::kMalformed, std::move(what), input_.where(),
        "the file is damaged; copy or download it again"});
}

void UnpackingStream::fail_truncated() {
  fail({ErrorCode::kMalformed, "the compressed data ends too early", input_.where(),
        "the job was killed while writing, or the copy is not complete"});
}

}  // namespace strobe
