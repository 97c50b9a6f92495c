#include "strobe/cli/message.h"

#include <cstdio>

#include <fmt/format.h>

namespace strobe::cli {
namespace {

constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kYellow = "\x1b[1;33m";
constexpr std::string_view kPlain = "\x1b[0m";

std::string colored(std::string_view text, std::string_view code, bool color) {
  return color ? fmt::format("{}{}{}", code, text, kPlain) : std::string(text);
}

// A file name may hold anything; what reaches a terminal is one line of printable text.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string sentence(const Error& error) {
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
    case ErrorCode::kInterrupted:
      break;
  }
  return fmt::format("{}: {}", error.where, error.what);
}

}  // namespace

std::string failure_text(std::string_view what, std::string_view hint, bool color) {
  std::string text = fmt::format("{} {}\n", colored("strobe:", kRed, color), printable(what));
  if (!hint.empty()) text += fmt::format("  hint: {}\n", printable(hint));
  return text;
}

std::string error_text(const Error& error, bool color) {
  return failure_text(sentence(error), error.hint, color);
}

std::string warning_text(std::string_view what, bool color) {
  return fmt::format("strobe: {} {}\n", colored("warning:", kYellow, color), printable(what));
}

void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void warn(const Terminal& terminal, std::string_view what) {
  if (terminal.warns()) say(warning_text(what, terminal.color_error));
}

}  // namespace strobe::cli
