#include "strobe/base/error_text.h"

#include <fmt/format.h>

namespace strobe {

std::string error_sentence(const Error& error) {
  if (error.where.empty()) return error.what;
  switch (error.code) {
    case ErrorCode::kNotFound:
    case ErrorCode::kMalformed:
      return fmt::format("cannot read '{}': {}", error.where, error.what);
    case ErrorCode::kCannotWrite:
      return fmt::format("cannot write '{}': {}", error.where, error.what);
    case ErrorCode::kTooLittleData:
      return fmt::format("too little data in '{}': {}", error.where, error.what);
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kMachineLacks:
    case ErrorCode::kOutOfMemory:
    case ErrorCode::kUnsupported:
    case ErrorCode::kInterrupted:
      break;
  }
  return fmt::format("{}: {}", error.where, error.what);
}

}  // namespace strobe
