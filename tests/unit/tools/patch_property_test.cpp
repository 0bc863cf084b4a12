// What diff and git write, we apply to the same bytes; and undo gives the old ones back.

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "tests/unit/tools/temporary_folder.h"
#include "tools/files.h"

namespace tools {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  char bytes[4096];
  for (size_t size; (size = fread(bytes, 1, sizeof bytes, pipe)) > 0;) output.append(bytes, size);
  pclose(pipe);
  return output;
}

class RandomText {
 public:
  explicit RandomText(unsigned seed) : random_(seed) {}
  size_t below(size_t n) { return random_() % n; }

  // Few different lines, so that places repeat; every kind of line end, also none at the end.
  std::string line() {
    static const std::vector<std::string> texts = {"",
                                                   "}",
                                                   "{",
                                                   "  return x;",
                                                   "\treturn x;",
                                                   "int f() {",
                                                   "-- dashes",
                                                   "++ pluses",
                                                   "--- a/f",
                                                   "+++ b/f",
                                                   "@@ -1 +1 @@",
                                                   "\\ backslash",
                                                   "trailing  ",
                                                   " ",
                                                   "caf\xC3\xA9",
                                                   "diff --git a/x b/x",
                                                   "*** End Patch"};
    return texts[below(texts.size())] + (below(6) == 0 ? std::to_string(below(50)) : "");
  }
  std::string end() { return below(4) == 0 ? "\r\n" : "\n"; }
  std::vector<std::string> lines(size_t n_most) {
    std::vector<std::string> result;
    for (size_t n = below(n_most); result.size() < n;) result.push_back(line() + end());
    if (!result.empty() && below(3) == 0) result.back() = line() + "x";
    return result;
  }
  std::vector<std::string> edited(std::vector<std::string> lines) {
    for (size_t n_edits = 1 + below(5); n_edits > 0; --n_edits) {
      const size_t at = below(lines.size() + 1);
      const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
      const bool is_last = at + 1 >= lines.size();
      switch (below(4)) {
        case 0:
          if (at < lines.size()) lines.erase(place);
          break;
        case 1:
          if (at < lines.size()) lines[at] = line() + (is_last && below(2) == 0 ? "x" : end());
          break;
        case 2:
          if (at < lines.size()) lines.insert(place, line() + end());
          break;
        default:
          if (!lines.empty() && !lines.back().ends_with('\n')) lines.back() += end();
          lines.push_back(line() + end());
      }
    }
    return lines;
  }
  static std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line;
    return text;
  }

 private:
  std::mt19937 random_;
};

TEST(PatchProperty, applying_a_diff_gives_the_target_and_undo_the_source) {
  TemporaryFolder work(fast_disk()), other(fast_disk()), state(fast_disk());
  Files files({work.path(), {}, state.path()});
  int n_changed = 0;
  for (unsigned round = 0; round < 300; ++round) {
    RandomText random(round);
    const std::vector<std::string> before = random.lines(40);
    const std::string source = RandomText::joined(before), target = RandomText::joined(random.edited(before));
    work.write("f", source);
    other.write("f", target);
    const std::string context = std::to_string(1 + random.below(4));
    const std::string patch = output_of("diff -U " + context + " --label a/f --label b/f " +
                                        (work.path() / "f").string() + " " + (other.path() / "f").string());
    if (patch.empty()) continue;
    ++n_changed;
    const FileReply reply = files.apply_patch(patch);
    ASSERT_TRUE(reply.ok) << "round " << round << ": " << reply.text << patch;
    ASSERT_EQ(work.read("f"), target) << "round " << round << "\n" << patch;
    ASSERT_TRUE(files.undo().ok);
    ASSERT_EQ(work.read("f"), source);
  }
  EXPECT_GT(n_changed, 200);
}

TEST(PatchProperty, applying_a_diff_of_git_over_several_files_gives_the_target_tree) {
  for (unsigned round = 0; round < 40; ++round) {
    TemporaryFolder both(fast_disk()), state(fast_disk());
    RandomText random(1000 + round);
    fs::create_directories(both.path() / "a");
    fs::create_directories(both.path() / "b");
    for (const std::string name : {"one", "two words", "d/three", "na\xC3\xAFve", "gone", "new"}) {
      const std::vector<std::string> lines = random.lines(30);
      if (name != "new") both.write("a/" + name, RandomText::joined(lines));
      if (name != "gone") both.write("b/" + name, RandomText::joined(random.edited(lines)));
    }
    const std::string patch = output_of("cd " + both.path().string() +
                                        " && git -c core.autocrlf=false diff --no-index --no-prefix --no-renames a b");
    Files files({both.path() / "a", {}, state.path()});
    const FileReply reply = files.apply_patch(patch);
    ASSERT_TRUE(reply.ok) << "round " << round << ": " << reply.text << patch;
    ASSERT_EQ(output_of("diff -r " + (both.path() / "a").string() + " " + (both.path() / "b").string()), "")
        << "round " << round << "\n"
        << patch;
  }
}

// The same hunk in every damaged form: either the right place or a refusal, never another place.
TEST(PatchProperty, a_damaged_patch_lands_rightly_or_not_at_all) {
  TemporaryFolder work(fast_disk()), state(fast_disk());
  Files files({work.path(), {}, state.path()});
  int n_right = 0, n_refused = 0;
  for (unsigned round = 0; round < 1500; ++round) {
    RandomText random(5000 + round);
    // Each line carries its number, so a wrong place shows; pairs of lines repeat.
    std::vector<std::string> lines;
    for (int i = 0; i < 30; ++i)
      lines.push_back(std::string(random.below(3), '\t') +
                      (random.below(3) == 0 ? "same" : "line " + std::to_string(i)) + "\n");
    const size_t at = 3 + random.below(24);
    lines[at] = "\ttarget = 1\n";
    if (random.below(4) == 0) lines[3 + (at + 9) % 24] = "\ttarget = 1\n";  // a second one
    std::vector<std::string> expected = lines;
    expected[at] = "\ttarget = 2\n";
    std::string hunk;
    const size_t n_context = random.below(4);
    for (size_t i = at - n_context; i <= at + n_context && i < lines.size(); ++i) {
      std::string text = lines[i].substr(0, lines[i].size() - 1);
      const size_t damage = random.below(8);
      if (damage == 0) text += "  ";
      if (damage == 1 && i != at) text += "?";
      const bool is_spaced = round % 3 == 0;
      std::string spaced;
      for (char c : text) spaced += is_spaced && c == '\t' ? std::string(4, ' ') : std::string(1, c);
      hunk += (i == at ? "-" : " ") + spaced + "\n";
      if (i == at) hunk += is_spaced ? "+    target = 2\n" : "+\ttarget = 2\n";
    }
    work.write("f", RandomText::joined(lines));
    files.read("f", 1, {});
    const FileReply reply = files.apply_patch("*** Begin Patch\n*** Update File: f\n" + hunk + "*** End Patch\n");
    ASSERT_EQ(work.read("f"), RandomText::joined(reply.ok ? expected : lines)) << "round " << round << "\n" << hunk;
    ++(reply.ok ? n_right : n_refused);
  }
  std::cout << n_right << " right, " << n_refused << " refused, 0 wrong\n";
  EXPECT_GT(n_right, 500);
  EXPECT_GT(n_refused, 100);
}

}  // namespace
}  // namespace tools
