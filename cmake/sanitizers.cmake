# One interface target carries the sanitizers to everything that is ours, through strobe_warnings.
# System libraries (GoogleTest among them) stay as they are: the interceptors see them well enough.
add_library(strobe_sanitizers INTERFACE)
if(STROBE_SANITIZE)
  target_compile_options(strobe_sanitizers INTERFACE
    -fsanitize=${STROBE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(strobe_sanitizers INTERFACE -fsanitize=${STROBE_SANITIZE})
endif()
if(STROBE_SANITIZE MATCHES undefined AND NOT STROBE_FUZZ)
  # Checks of every pointer at every use double the compile time. The address sanitizer also finds null and
  # pointers that left their object; misaligned access is checked only when fuzzing, where foreign bytes are
  # read.
  target_compile_options(strobe_sanitizers INTERFACE -fno-sanitize=null,alignment,pointer-overflow)
endif()
if(STROBE_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The same checks as calls instead of inline code at every access: 40 % less compile time.
  target_compile_options(strobe_sanitizers INTERFACE
    "SHELL:--param asan-instrumentation-with-call-threshold=0")
endif()
if(STROBE_FUZZ)
  # Coverage for libFuzzer in the code under test; only the targets link its main().
  target_compile_options(strobe_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
endif()
