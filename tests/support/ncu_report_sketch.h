#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strobe::testing {

// A binary report defined in a test: messages are strings, built from the inside out.
//
//   sketch::file({sketch::block({"gpu__time_duration.sum"}, {kernel})})
namespace sketch {

inline std::string varint(std::uint64_t number) {
  std::string text;
  for (; number >= 0x80; number >>= 7) text += static_cast<char>(number | 0x80);
  return text + static_cast<char>(number);
}

inline std::string fixed(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i));
  return text;
}

inline std::string number(std::uint32_t field, std::uint64_t value) {
  return varint(field << 3) + varint(value);
}

inline std::string bytes(std::uint32_t field, std::string_view value) {
  return varint(field << 3 | 2) + varint(value.size()) + std::string(value);
}

inline std::string real(std::uint32_t field, double value) {
  return varint(field << 3 | 1) + fixed(std::bit_cast<std::uint64_t>(value), 8);
}

inline std::string sized(std::string_view message) {
  return fixed(message.size(), 4) + std::string(message);
}

inline std::string metric(std::uint32_t name, double value) {
  return bytes(13, number(1, name) + bytes(2, real(3, value)));
}

inline std::string text_metric(std::uint32_t name, std::string_view value) {
  return bytes(13, number(1, name) + bytes(2, bytes(1, value)));
}

inline std::string shape(std::uint32_t field, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return bytes(field, number(1, x) + number(2, y) + number(3, z));
}

// A block header with its string table and the results after it.
inline std::string block(const std::vector<std::string>& strings,
                         const std::vector<std::string>& kernels) {
  std::string table, payload;
  for (const std::string& text : strings) table += bytes(1, text);
  for (const std::string& kernel : kernels) payload += sized(kernel);
  return sized(number(1, 0) + number(2, kernels.size()) + bytes(4, table) +
               number(5, payload.size())) +
         payload;
}

inline std::string file(const std::vector<std::string>& blocks, std::uint64_t version = 7) {
  std::string text("NVR\0", 4);
  text += sized(number(1, version));
  for (const std::string& one : blocks) text += one;
  return text;
}

}  // namespace sketch
}  // namespace strobe::testing
