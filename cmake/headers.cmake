# strobe_headers: checks that every header of src/ includes what it uses, see tools/header_chains. Joined builds
# cannot check that; `cmake --build build --target strobe_headers` and `make strict` do.
find_program(STROBE_PYTHON python3)
if(NOT STROBE_PYTHON)
  return()
endif()
file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/strobe/*.h)  # configures again for a new one
set(without /cpu/simd/)  # compiled once for each instruction set, with its macros
if(NOT TARGET strobe_cuda_headers)
  list(APPEND without /record/inject/)
endif()
if(NOT STROBE_PYTHON_INCLUDE)
  list(APPEND without /python/module/)
endif()
execute_process(COMMAND ${STROBE_PYTHON} ${CMAKE_SOURCE_DIR}/tools/header_chains ${CMAKE_BINARY_DIR}/headers ${without}
  COMMAND_ERROR_IS_FATAL ANY)
file(GLOB alone ${CMAKE_BINARY_DIR}/headers/*.cc)
add_library(strobe_headers OBJECT EXCLUDE_FROM_ALL ${alone})
target_link_libraries(strobe_headers PRIVATE strobe_cli_lib strobe_warnings
  $<$<TARGET_EXISTS:strobe_cuda_headers>:strobe_cuda_headers>)
if(STROBE_PYTHON_INCLUDE)
  target_include_directories(strobe_headers SYSTEM PRIVATE ${STROBE_PYTHON_INCLUDE})
  # As the libraries whose precompiled headers it uses.
  set_target_properties(strobe_headers PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endif()
# With the standard headers precompiled this takes a third of the time. A standard header that is missing is
# then found by tools/check_layers, and by `make strict`.
if(STROBE_UNITY)
  target_compile_options(strobe_headers PRIVATE -pthread)
  target_precompile_headers(strobe_headers REUSE_FROM strobe_base)
endif()
