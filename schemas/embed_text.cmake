# Text file -> header with one string_view constant. Called as
#   cmake -DINPUT=file -DOUTPUT=header -DNAME=kViewsSql -P embed_text.cmake
# Long texts are cut into pieces because compilers may limit the length of one literal.
file(READ ${INPUT} text)
string(LENGTH "${text}" length)
set(pieces "")
set(offset 0)
while(offset LESS length)
  string(SUBSTRING "${text}" ${offset} 8000 piece)
  string(APPEND pieces "R\"~~~~(${piece})~~~~\"\n")
  math(EXPR offset "${offset} + 8000")
endwhile()
get_filename_component(source ${INPUT} NAME)
file(WRITE ${OUTPUT} "// Generated from ${source}; do not edit.
#pragma once
#include <string_view>
namespace perfscope::embedded {
inline constexpr std::string_view ${NAME} =
${pieces};
}  // namespace perfscope::embedded
")
