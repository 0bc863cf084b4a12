#pragma once
// The text of a web page: what a reader would see, with headings, lists and links marked, without scripts and styles.

#include <string>
#include <string_view>

namespace tools {

struct PageText {
  std::string title;
  std::string text;  // "# " before headings, "- " before list items, "text (address)" for links
};

// `html` is UTF-8. Never fails: what isn't well-formed is read as browsers would, roughly.
PageText html_text(std::string_view html);

}  // namespace tools
