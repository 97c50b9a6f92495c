# `make install` and the .deb: the binary, its licence, documentation and examples, a manual page and
# completions for shells; cmake/inject.cmake adds the library for `kernels record`.
include(GNUInstallDirs)
install(TARGETS strobe RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(paper README.md CHANGELOG.md LICENSE)
  install(FILES ${CMAKE_SOURCE_DIR}/${paper} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/strobe)
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/strobe)

# The binary prints its own manual page and completions, so it runs while it is installed.
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "manual page, completions: left out, this machine cannot run the binary; "
                 "set CMAKE_CROSSCOMPILING_EMULATOR to have them")
else()
  install(CODE "
    set(strobe_command ${CMAKE_CROSSCOMPILING_EMULATOR} \"$<TARGET_FILE:strobe>\")
    set(strobe_share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")")
  install(SCRIPT ${CMAKE_SOURCE_DIR}/cmake/install_texts.cmake)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME strobe)
set(CPACK_PACKAGE_VENDOR "The strobe authors")
set(CPACK_PACKAGE_CONTACT "The strobe authors <strobe@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "performance analysis for AI accelerators")
set(CPACK_PACKAGE_DESCRIPTION
  "Reads profiler traces of PyTorch, Paddle and others and says where the time went.
 One binary; works without an accelerator, without Python and without a network.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Without libstrobe_mpi.so, which would make every installation need an MPI.
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};strobe;Unspecified;/")
include(CPack)
