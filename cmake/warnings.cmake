# All flags hang on one interface target; nothing global is edited.
add_library(strobe_warnings INTERFACE)
target_compile_options(strobe_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports std::string internals it inlined itself (PR 105329, 105651).
  target_compile_options(strobe_warnings INTERFACE -Wno-restrict)
endif()
if(STROBE_SANITIZE)
  target_compile_options(strobe_warnings INTERFACE -fsanitize=${STROBE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g)
  target_link_options(strobe_warnings INTERFACE -fsanitize=${STROBE_SANITIZE})
endif()
