#pragma once

// Whether this build has a sanitizer: it needs more memory, makes code slower, and prevents some
// vendor libraries from loading.
namespace strobe::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsWatched = true;
#else
inline constexpr bool kIsWatched = false;
#endif

}  // namespace strobe::test
