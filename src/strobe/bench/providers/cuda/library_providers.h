#pragma once

#include <memory>
#include <string_view>

#include "strobe/bench/providers/cuda/session.h"
#include "strobe/bench/providers/cuda/vendor_libraries.h"
#include "strobe/bench/providers/provider.h"

// The providers that are a vendor's library: "cublaslt" and "cudnn".
namespace strobe::bench {

std::unique_ptr<Provider> make_cublaslt_provider(OpenSession open, LibraryOpeners openers);
std::unique_ptr<Provider> make_cudnn_provider(OpenSession open, LibraryOpeners openers);

// With the real libraries on the first visible GPU; null if it is another name.
std::unique_ptr<Provider> make_library_provider(std::string_view name);

}  // namespace strobe::bench
