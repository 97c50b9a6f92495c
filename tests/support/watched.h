#pragma once

// Whether a sanitizer watches this build: it makes memory larger, code slower, and some libraries
// of vendors do not load under it.
namespace strobe::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsWatched = true;
#else
inline constexpr bool kIsWatched = false;
#endif

}  // namespace strobe::test
