#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "strobe/device/name_parts.h"

namespace strobe::device {

// The forms of a kernel's name, each from the longest one in a file. Mangled names are accepted,
// too. The time is linear in the name's length, whatever its brackets, and a form is empty only if
// the name says nothing.

// As in the classic kernel table: namespaces of two libraries dropped, cut at the first `<` or `(`.
std::string classic_name(std::string_view full);

// A name as the text table of kernels shows it: of more than kTableNameLength characters, the first
// ones and "...".
inline constexpr std::size_t kTableNameLength = 50;
std::string table_name(std::string_view name);

// The last component of the qualified name, without return type, templates and parameters:
// "vectorized_layer_norm_kernel", "Kernel".
std::string short_name(std::string_view full);

// short_name plus what distinguishes its instances: "vectorized_elementwise_kernel[add<f32>,
// vec4]". Equal to short_name if the full name has nothing to add.
std::string detail_name(std::string_view full);

// What the template arguments of a kernel say about the instance: "add<f32>, vec4". Empty if
// nothing distinguishes it from others.
std::string kernel_detail(std::string_view base, std::string_view arguments);

}  // namespace strobe::device
