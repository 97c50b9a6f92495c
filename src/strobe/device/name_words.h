#pragma once

#include <string>
#include <string_view>

namespace strobe::device {

// A name's words in lower case between underscores, so that one search finds them however they were
// joined: "RMSNormKernel", "rms_norm_kernel" and "rms::norm kernel" are all "^_rms_norm_kernel_$".
// Digits belong to the word before them ("conv2d"). `^` and `$` are the ends of the name.
std::string name_words(std::string_view name);

}  // namespace strobe::device
