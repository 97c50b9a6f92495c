# All flags hang on one interface target; nothing global is edited.
add_library(strobe_warnings INTERFACE)
target_compile_options(strobe_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports std::string internals it inlined itself (PR 105329, 105651).
  target_compile_options(strobe_warnings INTERFACE -Wno-restrict)
  if(STROBE_SANITIZE)
    # The checks that sanitizers add make its flow analysis see ghosts (PR 105562).
    target_compile_options(strobe_warnings INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
target_link_libraries(strobe_warnings INTERFACE strobe_sanitizers)
