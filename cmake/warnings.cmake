# All flags hang on one interface target; nothing global is edited.
add_library(strobe_warnings INTERFACE)
target_compile_options(strobe_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
# A multiplication fused with an addition rounds once instead of twice, on machines that have it: 6.25 %
# would print as 6.2 here and 6.3 there.
target_compile_options(strobe_warnings INTERFACE -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports std::string internals it inlined itself (PR 105329, 105651).
  # GCC 12 and 13 take the unset alternatives of a std::variant for uninitialised values (PR 80635).
  target_compile_options(strobe_warnings INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
  if(STROBE_UNITY)
    # Checks of the sanitizers and headers out of a precompiled one make its flow analysis see ghosts (PR
    # 105562); `make strict` is the build that is warned about.
    target_compile_options(strobe_warnings INTERFACE
      -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()
target_link_libraries(strobe_warnings INTERFACE strobe_sanitizers)
