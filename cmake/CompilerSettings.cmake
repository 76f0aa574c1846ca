# One interface target carries what every target of ours is compiled with.
include(CheckCXXCompilerFlag)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(DECODESCOPE_SANITIZE "" CACHE STRING "Sanitizers for everything of ours: address,undefined or thread")

add_library(decodescope_settings INTERFACE)
target_compile_features(decodescope_settings INTERFACE cxx_std_20)
target_include_directories(decodescope_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(decodescope_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror
  # GCC 12 warns of overlaps inside its own std::string when it optimises (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_compile_definitions(decodescope_settings INTERFACE
  $<$<NOT:$<CONFIG:Release>>:_GLIBCXX_ASSERTIONS>)
if(DECODESCOPE_SANITIZE)
  target_compile_options(decodescope_settings INTERFACE
    -fsanitize=${DECODESCOPE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(decodescope_settings INTERFACE -fsanitize=${DECODESCOPE_SANITIZE})
endif()

# A room of the house: a static library with the project's settings.
function(decodescope_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC decodescope_settings ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
endfunction()
