// deskhand: the window, and the command line.

#include <QCoreApplication>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "agent/permission.h"
#include "app/commands.h"
#include "app/standard_streams.h"
#include "app/window/open_window.h"
#include "tools/output_excerpt.h"
#include "tools/session_bus.h"
#include "tools/text_lines.h"

namespace {

// Qt would put another character in the place of each bad byte, and so name another file.
void check_words(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (tools::is_utf8(argv[i])) continue;
    throw app::UsageError("word " + std::to_string(i) + " of the command line is not valid UTF-8: \"" +
                          agent::visible(argv[i]) + "\"; a file of such a name has to be renamed first");
  }
}

// A complaint for the terminal: it may repeat what somebody else wrote, or a word of any length.
std::string shown(const std::string& complaint) {
  constexpr std::size_t kMostBytes = 2000;
  const std::string text = agent::visible(complaint);
  if (text.size() <= 2 * kMostBytes) return text;
  return std::string(tools::utf8_prefix(text, kMostBytes)) + " […] " +
         std::string(tools::utf8_suffix(text, kMostBytes));
}

// By their specification a relative one counts for nothing; Qt would go by it, from wherever the program is started.
void forget_relative_folders() {
  for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"}) {
    const char* folder = std::getenv(name);
    if (folder != nullptr && *folder != '/') ::unsetenv(name);
  }
}

}  // namespace

int main(int argc, char** argv) {
  app::hold_standard_streams();
  forget_relative_folders();
  tools::never_start_session_bus();
  try {
    if (argc == 1) return app::open_window(argc, argv);
    check_words(argc, argv);
    const QCoreApplication application(argc, argv);
    return app::status_after_output(app::run_command_line(QCoreApplication::arguments().mid(1)));
  } catch (const app::UsageError& error) {
    std::fprintf(stderr, "deskhand: %s\n", shown(error.what()).c_str());
    return app::kExitWrongUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "deskhand: error: %s\n", shown(error.what()).c_str());
    return app::kExitFailed;
  }
}
