# `make install` and the .deb: one binary, its licence and documentation.
include(GNUInstallDirs)
install(TARGETS strobe RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(paper README.md CHANGELOG.md LICENSE)
  install(FILES ${CMAKE_SOURCE_DIR}/${paper} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/strobe)
endforeach()

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
include(CPack)
