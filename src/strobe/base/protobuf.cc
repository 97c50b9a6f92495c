#include "strobe/base/protobuf.h"

namespace strobe {

double ProtobufFields::real() const {
  if (kind_ == Kind::kFixed32) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(number_)));
  }
  return std::bit_cast<double>(number_);
}

}  // namespace strobe
