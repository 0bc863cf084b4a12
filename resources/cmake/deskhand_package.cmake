# Installation and the Debian package: cmake --install, or cpack in the build folder.
include(GNUInstallDirs)

# The program finds its helpers beside itself, so they share a folder.
set(private_dir lib/deskhand)
install(TARGETS deskhand deskhand-input deskhand-desktop deskhand-shell-host RUNTIME DESTINATION ${private_dir})
if(TARGET deskhand_video)
  install(TARGETS deskhand_video LIBRARY DESTINATION ${private_dir})
endif()
install(CODE "
  file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin\")
  file(CREATE_LINK ../${private_dir}/deskhand \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/deskhand\" SYMBOLIC)")

set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(resources ${CMAKE_SOURCE_DIR}/resources)
install(DIRECTORY ${resources}/models ${resources}/prompts DESTINATION share/deskhand
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
install(FILES ${resources}/desktop/deskhand.desktop DESTINATION share/applications)
install(FILES ${resources}/desktop/org.deskhand.Deskhand.metainfo.xml DESTINATION share/metainfo)
install(FILES ${resources}/icons/deskhand.svg DESTINATION share/icons/hicolor/scalable/apps)
install(FILES ${resources}/desktop/copyright DESTINATION share/doc/deskhand)
find_program(GZIP gzip)
if(GZIP)
  set(changelog ${CMAKE_BINARY_DIR}/changelog.gz)
  execute_process(COMMAND ${GZIP} -9nc ${resources}/desktop/changelog OUTPUT_FILE ${changelog})
  install(FILES ${changelog} DESTINATION share/doc/deskhand)
endif()

# What programs of the private desktop need is found by name only when they start.
file(STRINGS ${resources}/packages.txt package_lines REGEX "^[^#]")
set(section)
set(run_packages)
foreach(line IN LISTS package_lines)
  if(line MATCHES "^\\[(.*)\\]$")
    set(section ${CMAKE_MATCH_1})
  elseif(section STREQUAL "run")
    list(APPEND run_packages ${line})
  endif()
endforeach()
list(JOIN run_packages ", " CPACK_DEBIAN_PACKAGE_DEPENDS)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME deskhand)
set(CPACK_PACKAGE_VENDOR "The Deskhand authors")
set(CPACK_PACKAGE_CONTACT "The Deskhand authors <maintainers@deskhand.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "works a computer for you, on a desktop of its own")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Deskhand looks at the screen, breaks a task down, and acts with mouse,
keyboard, shell and files. It does so on a desktop of its own, where it
can't get in your way, and asks before anything that matters. Its model
runs in the program: a small one comes along, MiniMax-M3 runs from a
checkpoint folder.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
include(CPack)
