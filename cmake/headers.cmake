# strobe_headers: compiles every header of src/ alone, to check that it includes what it uses. Joined builds
# cannot check that; `cmake --build build --target strobe_headers` and `make strict` do.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/strobe/*.h)
# The vector kernels' headers are compiled once for each instruction set, with its macros.
list(FILTER headers EXCLUDE REGEX /cpu/simd/)
if(NOT TARGET strobe_cuda_headers)
  list(FILTER headers EXCLUDE REGEX /record/inject/)
endif()
set(alone)
foreach(header IN LISTS headers)
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR}/src ${header})
  string(REPLACE "/" "_" file ${name})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/headers/${file}.cc CONTENT "#include \"${name}\"\n" @ONLY)
  list(APPEND alone ${CMAKE_BINARY_DIR}/headers/${file}.cc)
endforeach()
add_library(strobe_headers OBJECT EXCLUDE_FROM_ALL ${alone})
target_link_libraries(strobe_headers PRIVATE strobe_cli_lib strobe_warnings
  $<$<TARGET_EXISTS:strobe_cuda_headers>:strobe_cuda_headers>)
# With the standard headers precompiled this takes a third of the time. A standard header that is missing is
# then found by tools/check_layers, and by `make strict`.
if(STROBE_UNITY)
  target_compile_options(strobe_headers PRIVATE -pthread)
  target_precompile_headers(strobe_headers REUSE_FROM strobe_base)
endif()
