# strobe_folder(NAME [FOLDER dir] [EXCLUDE file...] [ALONE regex] [QUICK regex] [USES folder...] [LIBRARIES target...])
# One static library strobe_NAME from src/strobe/<folder>/*.cc, linked to the folders it may include. ALONE:
# sources with their own compiler options, which are not joined with others. QUICK: sources that make texts or
# start processes. They are optimised less (-O1 in a release, -O0 under a sanitizer), which takes the compiler
# a third less time and costs users no time. Another -O than that of the precompiled header cannot use it, so
# they are joined into larger files.
function(strobe_folder name)
  cmake_parse_arguments(ARG "" "FOLDER;ALONE;QUICK" "EXCLUDE;USES;LIBRARIES" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${name})
  endif()
  set(dir ${CMAKE_SOURCE_DIR}/src/strobe/${ARG_FOLDER})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cc)
  foreach(file IN LISTS ARG_EXCLUDE)
    list(REMOVE_ITEM sources ${dir}/${file})
  endforeach()
  set(quick)
  if(ARG_QUICK AND STROBE_UNITY AND CMAKE_BUILD_TYPE MATCHES "^Rel")
    set(quick ${sources})
    list(FILTER quick INCLUDE REGEX "${ARG_QUICK}")
    list(FILTER sources EXCLUDE REGEX "${ARG_QUICK}")
    math(EXPR bytes "2 * ${STROBE_UNITY_BYTES}")
    strobe_unity(quick ${name}_quick ${CMAKE_SOURCE_DIR}/src ${quick} ALONE "${ARG_ALONE}" BYTES ${bytes})
    set_property(SOURCE ${quick} APPEND PROPERTY COMPILE_OPTIONS $<IF:$<CONFIG:Release>,-O1,-O0>)
    set_property(SOURCE ${quick} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  endif()
  strobe_unity(sources ${name} ${CMAKE_SOURCE_DIR}/src ${sources} ALONE "${ARG_ALONE}")
  add_library(strobe_${name} STATIC ${sources} ${quick})
  target_include_directories(strobe_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(strobe_${name} PRIVATE strobe_warnings)
  if(STROBE_PYTHON_INCLUDE)
    # The Python module is made of the same objects. Hidden names cost nothing: calls stay direct.
    set_target_properties(strobe_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
      CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  foreach(folder IN LISTS ARG_USES)
    target_link_libraries(strobe_${name} PUBLIC strobe_${folder})
  endforeach()
  target_link_libraries(strobe_${name} PUBLIC ${ARG_LIBRARIES})
  # Joined builds parse the most common headers only once; `make strict` checks that each source includes what
  # it uses. A precompiled header needs the same -pthread everywhere.
  if(STROBE_UNITY)
    target_compile_options(strobe_${name} PRIVATE -pthread)
    if(name STREQUAL base)
      target_precompile_headers(strobe_base PRIVATE <algorithm> <array> <cmath> <cstdint> <filesystem> <functional>
        <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>
        <fmt/format.h>)
    else()
      target_precompile_headers(strobe_${name} REUSE_FROM strobe_base)
    endif()
  endif()
endfunction()
