#include "tools/edit_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "tests/unit/tools/temporary_folder.h"
#include "tools/files.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using Tree = std::map<std::string, std::string>;  // relative path → content; folders end in "/"

Tree tree_of(const fs::path& root) {
  Tree tree;
  for (const auto& item : fs::recursive_directory_iterator(root)) {
    const std::string name = item.path().lexically_relative(root).string();
    if (item.is_directory()) {
      tree[name + "/"];
    } else {
      std::ifstream file(item.path(), std::ios::binary);
      tree[name] = {std::istreambuf_iterator<char>(file), {}};
    }
  }
  return tree;
}

constexpr const char* kPatch =
    "*** Begin Patch\n"
    "*** Update File: grows\n line 1\n-line 2\n+line two, much longer than it was before\n"
    "*** Update File: shrinks\n line 1\n-line 2\n-line 3\n"
    "*** Add File: new/deep/file\n+created\n"
    "*** Update File: from\n*** Move to: to/there\n line 1\n-line 2\n+LINE 2\n"
    "*** Delete File: dies\n"
    "*** End Patch\n";

void make_start(const TemporaryFolder& work) {
  for (const char* name : {"grows", "shrinks", "from", "dies"})
    work.write(name, "line 1\nline 2\nline 3\nthe end of " + std::string(name) + "\n");
}

// Runs the patch in a child and kills it as it enters or leaves its n-th system call. False when it ended before that.
bool killed_at(int n_calls, const FilesOptions& options) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    Files files(options);
    _exit(files.apply_patch(kPatch).ok ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  for (int n_seen = 0; n_seen < n_calls; ++n_seen) {
    ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) {
      EXPECT_EQ(WEXITSTATUS(status), 0);
      return false;
    }
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return true;
}

TEST(EditJournal, killed_at_any_system_call_a_patch_is_all_or_nothing) {
  Tree before, after;
  {
    TemporaryFolder work(fast_disk()), state(fast_disk());
    make_start(work);
    before = tree_of(work.path());
    Files files({work.path(), {}, state.path()});
    ASSERT_TRUE(files.apply_patch(kPatch).ok);
    after = tree_of(work.path());
  }
  int n_rolled_back = 0, n_landed = 0, n_repaired = 0;
  bool is_killed = true;
  for (int n_calls = 1; is_killed; ++n_calls) {
    TemporaryFolder work(fast_disk()), state(fast_disk());
    make_start(work);
    const FilesOptions options{work.path(), {}, state.path()};
    is_killed = killed_at(n_calls, options);
    const Tree torn = tree_of(work.path());
    const Files next_run(options);
    const Tree tree = tree_of(work.path());
    ASSERT_TRUE(tree == before || tree == after) << "killed at system call " << n_calls;
    EXPECT_TRUE(next_run.recovery().left.empty());
    ++(tree == before ? n_rolled_back : n_landed);
    if (torn != before && torn != after) ++n_repaired;
  }
  RecordProperty("kills", n_rolled_back + n_landed);
  std::cout << n_rolled_back << " rolled back, " << n_landed << " landed; " << n_repaired
            << " were torn and repaired\n";
  EXPECT_GT(n_repaired, 20);
  EXPECT_GT(n_landed, 1);
}

class EditJournalTest : public testing::Test {
 protected:
  TemporaryFolder work_{fast_disk()}, state_{fast_disk()};
  Workspace workspace_{work_.path()};
  EditJournal journal_{workspace_, state_.path()};
};

TEST_F(EditJournalTest, a_file_that_is_not_as_expected_stops_everything) {
  const fs::path a = work_.write("a", "1"), b = work_.write("b", "2");
  const auto outcome =
      journal_.apply({{FileChange::Kind::Write, a, {}, "1", "x"}, {FileChange::Kind::Write, b, {}, "other", "x"}});
  ASSERT_TRUE(std::holds_alternative<EditJournal::Failure>(outcome));
  EXPECT_THAT(std::get<EditJournal::Failure>(outcome).reason, HasSubstr("b has changed on disk"));
  EXPECT_EQ(work_.read("a") + work_.read("b"), "12");
}

TEST_F(EditJournalTest, a_file_changed_after_an_interrupted_edit_is_left_alone_and_named) {
  const fs::path a = work_.write("a", "before the edit\n");
  ASSERT_TRUE(std::holds_alternative<int64_t>(
      journal_.apply({{FileChange::Kind::Write, a, {}, "before the edit\n", "after the edit!\n"}})));
  fs::remove(state_.path() / "1" / "committed");  // as if we had died just before the mark
  work_.write("a", "the user's own work\n");
  const auto recovery = journal_.recover();
  ASSERT_EQ(recovery.left.size(), 1u);
  EXPECT_THAT(recovery.left[0], HasSubstr("changed by somebody else"));
  EXPECT_EQ(work_.read("a"), "the user's own work\n");
  EXPECT_TRUE(journal_.recover().left.empty());  // said once
}

TEST_F(EditJournalTest, half_written_bytes_are_put_back) {
  const fs::path a = work_.write("a", "aaaaaaaa");
  ASSERT_TRUE(
      std::holds_alternative<int64_t>(journal_.apply({{FileChange::Kind::Write, a, {}, "aaaaaaaa", "bbbbbbbbbbbb"}})));
  fs::remove(state_.path() / "1" / "committed");
  work_.write("a", "bbbbaabbbb");
  EXPECT_EQ(journal_.recover().restored, std::vector<std::string>{"a"});
  EXPECT_EQ(work_.read("a"), "aaaaaaaa");
}

TEST_F(EditJournalTest, edits_can_be_undone_by_number_in_any_order_when_they_do_not_meet) {
  const fs::path a = work_.write("a", "1"), b = work_.write("b", "1");
  const int64_t first = std::get<int64_t>(journal_.apply({{FileChange::Kind::Write, a, {}, "1", "2"}}));
  journal_.apply({{FileChange::Kind::Write, b, {}, "1", "2"}});
  EXPECT_TRUE(std::holds_alternative<EditJournal::Undone>(journal_.undo(first)));
  EXPECT_EQ(work_.read("a") + work_.read("b"), "12");
  EXPECT_TRUE(std::holds_alternative<EditJournal::Failure>(journal_.undo(first)));
  EXPECT_TRUE(std::holds_alternative<EditJournal::Undone>(journal_.undo()));
  EXPECT_EQ(work_.read("a") + work_.read("b"), "11");
}

TEST_F(EditJournalTest, only_a_bounded_number_of_entries_is_kept) {
  const fs::path a = work_.write("a", "0");
  for (int i = 0; i < 1010; ++i)
    ASSERT_TRUE(std::holds_alternative<int64_t>(
        journal_.apply({{FileChange::Kind::Write, a, {}, std::to_string(i), std::to_string(i + 1)}})));
  const auto n_entries = std::distance(fs::directory_iterator(state_.path()), {});
  EXPECT_LE(n_entries, 1002);
}

}  // namespace
}  // namespace tools
