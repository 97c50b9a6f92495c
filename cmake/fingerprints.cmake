# strobe_fingerprint(NAME folder...): "strobe/NAME/fingerprint.h" with one number for all sources in these folders.
function(strobe_fingerprint name)
  set(header ${CMAKE_BINARY_DIR}/generated/strobe/${name}/fingerprint.h)
  list(TRANSFORM ARGN REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/src/strobe/\\1/*" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${patterns})
  string(REPLACE ";" "," folders "${ARGN}")
  add_custom_command(OUTPUT ${header} DEPENDS ${files} cmake/fingerprint.cmake
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR}/src/strobe -DFOLDERS=${folders} -DNAME=${name}
            -DOUTPUT=${header} -P ${CMAKE_SOURCE_DIR}/cmake/fingerprint.cmake VERBATIM)
  target_sources(strobe_${name} PRIVATE ${header})
endfunction()
