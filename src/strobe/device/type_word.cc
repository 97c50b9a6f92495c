#include "strobe/device/type_word.h"

#include <algorithm>

#include "strobe/device/brackets.h"

namespace strobe::device {
namespace {

struct TypeWord {
  std::string_view name;  // the last component of the qualified name
  std::string_view word;
};
constexpr TypeWord kTypeWords[] = {
    {"float", "f32"},
    {"double", "f64"},
    {"half", "f16"},
    {"__half", "f16"},
    {"__half2", "f16x2"},
    {"Half", "f16"},
    {"half_t", "f16"},
    {"float16", "f16"},
    {"float16_t", "f16"},
    {"_Float16", "f16"},
    {"BFloat16", "bf16"},
    {"bfloat16", "bf16"},
    {"bfloat16_t", "bf16"},
    {"__nv_bfloat16", "bf16"},
    {"nv_bfloat16", "bf16"},
    {"__nv_bfloat162", "bf16x2"},
    {"__hip_bfloat16", "bf16"},
    {"hip_bfloat16", "bf16"},
    {"tfloat32_t", "tf32"},
    {"float2", "f32x2"},
    {"float4", "f32x4"},
    {"half2", "f16x2"},
    {"Float8_e4m3fn", "e4m3"},
    {"Float8_e5m2", "e5m2"},
    {"Float8_e4m3fnuz", "e4m3"},
    {"Float8_e5m2fnuz", "e5m2"},
    {"float8_e4m3fn", "e4m3"},
    {"float8_e5m2", "e5m2"},
    {"__nv_fp8_e4m3", "e4m3"},
    {"__nv_fp8_e5m2", "e5m2"},
    {"float_e4m3_t", "e4m3"},
    {"float_e5m2_t", "e5m2"},
    {"float_e2m1_t", "e2m1"},
    {"__nv_fp4_e2m1", "e2m1"},
    {"bool", "bool"},
    {"char", "i8"},
    {"signed char", "i8"},
    {"unsigned char", "u8"},
    {"short", "i16"},
    {"unsigned short", "u16"},
    {"int", "i32"},
    {"unsigned int", "u32"},
    {"unsigned", "u32"},
    {"long", "i64"},
    {"unsigned long", "u64"},
    {"long long", "i64"},
    {"unsigned long long", "u64"},
    {"int8_t", "i8"},
    {"uint8_t", "u8"},
    {"int16_t", "i16"},
    {"uint16_t", "u16"},
    {"int32_t", "i32"},
    {"uint32_t", "u32"},
    {"int64_t", "i64"},
    {"uint64_t", "u64"},
};

std::string_view without_const(std::string_view type) {
  constexpr std::string_view kBefore = "const ";
  constexpr std::string_view kAfter = " const";
  if (type.starts_with(kBefore)) type.remove_prefix(kBefore.size());
  if (type.ends_with(kAfter)) type.remove_suffix(kAfter.size());
  return type;
}

// The inside of `complex<float>`, if the type is called so.
std::string_view argument_of(std::string_view type, std::string_view name) {
  if (!type.starts_with(name) || !type.ends_with('>')) return {};
  type.remove_prefix(name.size());
  return type.starts_with('<') ? type.substr(1, type.size() - 2) : std::string_view();
}

std::string_view last_component(std::string_view type) {
  const std::size_t templates = type.find('<');
  const std::size_t colons = type.rfind("::", templates);
  return colons == std::string_view::npos ? type : type.substr(colons + 2);
}

}  // namespace

std::string type_word(std::string_view type) {
  constexpr std::size_t kLongest = 100;
  if (type.size() > kLongest) return "";
  type = last_component(without_const(without_blanks_around(type)));
  const auto* const found = std::ranges::find(kTypeWords, type, &TypeWord::name);
  if (found != std::end(kTypeWords)) return std::string(found->word);
  const std::string_view part = argument_of(type, "complex");
  if (part == "float") return "c64";
  if (part == "double") return "c128";
  // Kernels that only move bytes are instantiated by their number.
  if (std::string_view bytes = argument_of(type, "OpaqueType"); !bytes.empty()) {
    const std::size_t digits = bytes.find_first_not_of("0123456789");
    return std::string(bytes.substr(0, digits)) + "B";
  }
  return "";
}

}  // namespace strobe::device
