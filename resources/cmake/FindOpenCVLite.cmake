# OpenCV without libopencv-dev: Debian ships OpenCVConfig.cmake only in that 670 MB meta package.
# Components: core imgproc videoio … Targets: opencv::<component>.
find_path(OpenCVLite_INCLUDE_DIR opencv2/core.hpp PATH_SUFFIXES opencv4)
set(_vars OpenCVLite_INCLUDE_DIR)
foreach(component IN LISTS OpenCVLite_FIND_COMPONENTS)
  find_library(OpenCVLite_${component}_LIBRARY opencv_${component})
  if(OpenCVLite_${component}_LIBRARY AND OpenCVLite_INCLUDE_DIR)
    set(OpenCVLite_${component}_FOUND TRUE)
    if(NOT TARGET opencv::${component})
      add_library(opencv::${component} UNKNOWN IMPORTED)
      set_target_properties(opencv::${component} PROPERTIES
        IMPORTED_LOCATION ${OpenCVLite_${component}_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${OpenCVLite_INCLUDE_DIR})
    endif()
  endif()
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenCVLite REQUIRED_VARS ${_vars} HANDLE_COMPONENTS)
