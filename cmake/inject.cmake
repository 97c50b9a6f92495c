# libstrobe_inject.so: the library that `strobe kernels record` loads into other processes. It needs the
# headers of the CUDA toolkit, which are the same for every processor; nothing of the toolkit is linked.
if(NOT STROBE_RECORD)
  message(STATUS "kernels record: left out, STROBE_RECORD is off")
  return()
endif()
find_path(CUPTI_INCLUDE_DIR cupti_range_profiler.h NO_CMAKE_FIND_ROOT_PATH
  HINTS $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda
  PATH_SUFFIXES include extras/CUPTI/include targets/x86_64-linux/include targets/sbsa-linux/include)
find_path(CUDA_INCLUDE_DIR cuda.h NO_CMAKE_FIND_ROOT_PATH
  HINTS ${CUPTI_INCLUDE_DIR} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda
  PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include)
if(NOT CUPTI_INCLUDE_DIR OR NOT CUDA_INCLUDE_DIR)
  message(STATUS "kernels record: left out, cupti_range_profiler.h is not found (CUDA 12.6 or newer has it)")
  return()
endif()
message(STATUS "kernels record: ${CUPTI_INCLUDE_DIR}")

add_library(strobe_cuda_headers INTERFACE)
target_include_directories(strobe_cuda_headers SYSTEM INTERFACE ${CUPTI_INCLUDE_DIR} ${CUDA_INCLUDE_DIR})

file(GLOB_RECURSE inject_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/strobe/record/inject/*.cc
  ${CMAKE_SOURCE_DIR}/src/strobe/wire/*.cc)
strobe_unity(inject_sources inject ${CMAKE_SOURCE_DIR}/src ${inject_sources})
add_library(strobe_inject SHARED ${inject_sources})
target_include_directories(strobe_inject PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(strobe_inject PRIVATE strobe_warnings strobe_cuda_headers strobe_xxhash ${CMAKE_DL_LIBS})
target_compile_options(strobe_inject PRIVATE -fno-exceptions
  $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
# It contains the parts of the C++ library that it needs and exports none: the process has its own.
if(NOT STROBE_SANITIZE)
  target_link_options(strobe_inject PRIVATE -static-libstdc++ -static-libgcc
    -Wl,--exclude-libs,ALL -Wl,--no-undefined)
endif()
# Threads and handlers point into it until the process ends.
target_link_options(strobe_inject PRIVATE -Wl,-z,nodelete)
set_target_properties(strobe_inject PROPERTIES CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
install(TARGETS strobe_inject LIBRARY DESTINATION lib/strobe)

# The part that needs no device is also used in strobe itself.
target_sources(strobe_record PRIVATE
  ${CMAKE_SOURCE_DIR}/src/strobe/record/inject/cuda_api.cc
  ${CMAKE_SOURCE_DIR}/src/strobe/record/inject/host_metrics.cc)
target_link_libraries(strobe_record PUBLIC strobe_cuda_headers)
target_compile_definitions(strobe_record PRIVATE STROBE_HAVE_CUPTI_HEADERS=1)
