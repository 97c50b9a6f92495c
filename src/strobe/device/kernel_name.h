#pragma once

#include <string>
#include <string_view>

#include "strobe/device/name_parts.h"

namespace strobe::device {

// The forms of a kernel's name, each from the fullest one a file has. Mangled names are read as
// well. The time is linear in the name's length, whatever its brackets, and no form of a name that
// says something is empty.

// What the classic kernel table shows: namespaces of two libraries dropped, cut at the first `<` or
// `(`.
std::string classic_name(std::string_view full);

// The last component of the qualified name, without return type, templates and parameters:
// "vectorized_layer_norm_kernel", "Kernel".
std::string short_name(std::string_view full);

// short_name plus what tells its instances apart: "vectorized_elementwise_kernel[add<f32>, vec4]".
// The same as short_name if the full name has nothing more to say.
std::string detail_name(std::string_view full);

// What the template arguments of a kernel say of the instance: "add<f32>, vec4". Empty if nothing
// tells it from its neighbours.
std::string kernel_detail(std::string_view base, std::string_view arguments);

}  // namespace strobe::device
