# All flags hang on one interface target; nothing global is edited.
add_library(strobe_warnings INTERFACE)
target_compile_options(strobe_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
# A fused multiply-add rounds once instead of twice, on machines that have it: 6.25 % would be printed as 6.2
# on one machine and 6.3 on another.
target_compile_options(strobe_warnings INTERFACE -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports std::string internals it inlined itself (PR 105329, 105651).
  # GCC 12 and 13 take the unset alternatives of a std::variant for uninitialised values (PR 80635).
  target_compile_options(strobe_warnings INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
  if(STROBE_UNITY)
    # The compiler collects its garbage less often: 5 % less time for 20 % more memory.
    target_compile_options(strobe_warnings INTERFACE
      "SHELL:--param ggc-min-expand=200" "SHELL:--param ggc-min-heapsize=600000")
    # Sanitizer checks and precompiled headers cause false warnings of its flow analysis (PR 105562); `make
    # strict` is the build with these warnings.
    target_compile_options(strobe_warnings INTERFACE
      -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND STROBE_UNITY)
  # In a joined file the names of one source look shadowed in the next; `make strict` is built with the warning.
  target_compile_options(strobe_warnings INTERFACE -Wno-shadow)
endif()
target_link_libraries(strobe_warnings INTERFACE strobe_sanitizers)
