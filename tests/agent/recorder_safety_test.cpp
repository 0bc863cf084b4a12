// What the record survives: kill -9, damage, full disks, older and newer files, other processes.

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <random>
#include <thread>
#include <utility>

#include "agent/database.h"
#include "agent/record_schema.h"
#include "tests/agent/recorder_fixture.h"

namespace agent {
namespace {

namespace fs = std::filesystem;

// Runs `body` in a process of its own. It reports numbers through the pipe that it gets; the destructor ends it.
class Child {
 public:
  template <typename Body>
  explicit Child(Body&& body) {
    int ends[2];
    if (pipe(ends) != 0) abort();
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[0]);
      int code = 0;
      try {
        body([&](int n) { code |= write(ends[1], &n, sizeof n) != sizeof n; });
      } catch (const std::exception& error) {
        fprintf(stderr, "child: %s\n", error.what());
        code = 1;
      }
      _exit(code);
    }
    close(ends[1]);
    report_ = ends[0];
  }
  ~Child() {
    kill_now();
    close(report_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The next number that it reports; -1 when it has ended.
  int next() {
    int n = -1;
    return read(report_, &n, sizeof n) == sizeof n ? n : -1;
  }
  void kill_now() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    wait_for_exit();
  }
  int wait_for_exit() {
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  int report_ = -1;
};

using RecorderSafetyTest = RecorderTest;

// One step of a session as the loop writes it: five events.
constexpr int kEventsPerStep = 5;
void record_step(Recorder& recorder, SessionId session, int step, const std::function<void(int)>& report) {
  const std::string call = "call_" + std::to_string(step);
  const Picture screen = editor_screen(some_lines(step % 30));
  const int n = step * kEventsPerStep;
  recorder.model_call(session, {.prompt_tokens = step});
  report(n + 1);
  recorder.append_message(session, reply_with_call(call));
  report(n + 2);
  const ActionId action = recorder.intent(session, click_intent(call));
  report(n + 3);
  recorder.outcome(action, {true, "Clicked.", {screen}, {}, {}}, 0.1);
  report(n + 4);
  recorder.append_message(session, ToolMessage{call, "Clicked.", {screen}, true});
  report(n + 5);
}

TEST_F(RecorderTest, nobody_else_may_read_any_of_its_files) {
  const mode_t mask = umask(0);
  const auto other = Recorder::open(folder.path() / "other" / "sessions.db");
  umask(mask);
  other->begin_session({});
  int n_files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path() / "other")) {
    EXPECT_EQ(entry.status().permissions() & (fs::perms::group_all | fs::perms::others_all), fs::perms::none) << entry;
    ++n_files;
  }
  EXPECT_GE(n_files, 4);  // itself, its log and that log's index, the lock
}

TEST_F(RecorderSafetyTest, killed_at_any_moment_loses_at_most_the_event_being_written) {
  std::mt19937 random(11);
  constexpr int kRounds = 60;
  for (int round = 0; round < kRounds; ++round) {
    recorder.reset();
    Child child([&](const auto& report) {
      const auto writer = open_again();
      const SessionId session = writer->begin_session({});
      report(static_cast<int>(session));
      for (int step = 0;; ++step) record_step(*writer, session, step, report);
    });
    const SessionId session = child.next();
    ASSERT_GT(session, 0);
    int n_confirmed = 0;
    for (unsigned n = random() % 12; n > 0; --n) n_confirmed = child.next();
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));  // into the next event, anywhere
    child.kill_now();
    for (int n = child.next(); n > 0; n = child.next()) n_confirmed = n;

    open();
    ASSERT_EQ(recorder->notice(), "");
    const auto n_events = static_cast<int>(recorder->load_events(session).size());
    EXPECT_GE(n_events, n_confirmed);
    EXPECT_LE(n_events, n_confirmed + 1);
    EXPECT_EQ(recorder->session(session).status, SessionStatus::Interrupted);
    const LoadedTranscript resumed = recorder->resume_session(session);
    EXPECT_TRUE(resumed.transcript.open_calls().empty());
    for (const auto& [id, picture] : resumed.pictures) ASSERT_TRUE(picture);
    EXPECT_EQ(recorder->session(session).status, SessionStatus::Running);
  }
}

TEST_F(RecorderSafetyTest, a_log_cut_at_any_byte_still_opens_and_loses_only_its_end) {
  const SessionId session = begin();
  for (int n = 0; n < 12; ++n) recorder->append_message(session, UserMessage{std::to_string(n), {}, false});
  const fs::path log = fs::path(path()) += "-wal";
  const tools::TemporaryFolder copies(tools::fast_disk());
  const auto n_bytes = fs::file_size(log);
  std::mt19937 random(3);
  std::size_t fewest = 12, most = 0;
  for (int round = 0; round < 20; ++round) {
    const fs::path copy = copies.path() / std::to_string(round) / "sessions.db";
    fs::create_directories(copy.parent_path());
    fs::copy_file(path(), copy);
    fs::copy_file(log, fs::path(copy) += "-wal");
    fs::resize_file(fs::path(copy) += "-wal", n_bytes - random() % (n_bytes / 3));
    const auto reopened = Recorder::open(copy);
    EXPECT_EQ(reopened->notice(), "");
    const Transcript loaded = reopened->load_transcript(session).transcript;
    for (std::size_t n = 0; n < loaded.messages().size(); ++n) {
      EXPECT_EQ(std::get<UserMessage>(loaded.messages()[n]).text, std::to_string(n));
    }
    fewest = std::min(fewest, loaded.messages().size());
    most = std::max(most, loaded.messages().size());
  }
  EXPECT_LT(fewest, most);
  EXPECT_GT(fewest, 0u);
}

TEST_F(RecorderSafetyTest, a_session_that_runs_elsewhere_is_not_resumed) {
  recorder.reset();
  Child child([&](const auto& report) {
    const auto writer = open_again();
    report(static_cast<int>(writer->begin_session({})));
    pause();
  });
  const SessionId session = child.next();
  open();
  EXPECT_EQ(recorder->session(session).status, SessionStatus::Running);
  EXPECT_THROW(recorder->resume_session(session), Error);
  child.kill_now();
  EXPECT_EQ(recorder->session(session).status, SessionStatus::Interrupted);
  EXPECT_NO_THROW(recorder->resume_session(session));
}

TEST_F(RecorderSafetyTest, two_processes_write_at_once_and_nothing_is_lost) {
  recorder.reset();
  constexpr int kSteps = 12;
  const auto work = [&](const auto& report) {
    const auto writer = open_again();
    const SessionId session = writer->begin_session({});
    for (int step = 0; step < kSteps; ++step) record_step(*writer, session, step, [](int) {});
    report(static_cast<int>(session));
  };
  Child first(work), second(work);
  for (Child* child : {&first, &second}) {
    const SessionId session = child->next();
    EXPECT_EQ(child->wait_for_exit(), 0);
    open();
    EXPECT_EQ(recorder->load_events(session).size(), static_cast<std::size_t>(kSteps * kEventsPerStep));
    EXPECT_EQ(recorder->load_transcript(session).transcript.messages().size(), 2u * kSteps);
  }
}

TEST_F(RecorderSafetyTest, an_older_file_is_brought_up_to_date) {
  const fs::path old = folder.path() / "old.db";
  {
    const OpenedRecord opened = open_record(old, schema_steps().first(1));
    EXPECT_EQ(opened.database.integer("PRAGMA user_version"), 1);
    opened.database.execute(
        "INSERT INTO sessions(task, model, desktop, workspace, instructions, status, owner, began_us)"
        "VALUES('an old task', 'nano', 'mine', '', '', 'done', '', 5)");
  }
  const auto reopened = Recorder::open(old);
  EXPECT_EQ(reopened->list_sessions().at(0).info.task, "an old task");
  const Database database(old);
  EXPECT_EQ(database.integer("PRAGMA user_version"), static_cast<std::int64_t>(schema_steps().size()));
}

TEST_F(RecorderSafetyTest, a_newer_file_is_refused_and_left_alone) {
  recorder.reset();
  Database(path()).execute("PRAGMA user_version=1000");
  EXPECT_THROW(open(), Error);
  EXPECT_EQ(Database(path()).integer("PRAGMA user_version"), 1000);
}

TEST_F(RecorderSafetyTest, a_database_of_another_program_is_refused_and_left_alone) {
  const fs::path other = folder.path() / "bookmarks.db";
  Database(other).execute("CREATE TABLE bookmarks(url TEXT); INSERT INTO bookmarks VALUES('x')");
  EXPECT_THROW(Recorder::open(other), Error);
  EXPECT_EQ(Database(other).integer("SELECT count(*) FROM bookmarks"), 1);
}

TEST_F(RecorderSafetyTest, a_damaged_file_is_moved_aside_and_a_new_one_begun) {
  for (const std::streamoff at : {0, 4096 * 2 + 3}) {  // the header; a page in the middle
    const SessionId session = begin();
    for (int n = 0; n < 50; ++n) recorder->append_message(session, UserMessage{std::string(500, 'x'), {}, false});
    recorder.reset();
    std::fstream(path(), std::ios::in | std::ios::out | std::ios::binary)
        .seekp(at)
        .write(std::string(4000, 'Z').data(), 4000);
    const auto damaged_bytes = fs::file_size(path());
    open();
    EXPECT_NE(recorder->notice().find("damaged"), std::string::npos);
    EXPECT_TRUE(recorder->list_sessions().empty());
    int n_aside = 0;
    for (const auto& entry : fs::directory_iterator(path().parent_path())) {
      if (entry.path().filename().string().find(".damaged-") == std::string::npos) continue;
      EXPECT_NE(recorder->notice().find(entry.path().string()), std::string::npos);
      EXPECT_EQ(fs::file_size(entry.path()), damaged_bytes);
      fs::remove(entry.path());
      ++n_aside;
    }
    EXPECT_EQ(n_aside, 1);
    EXPECT_GT(begin(), 0);
    open();
    EXPECT_EQ(recorder->notice(), "");
    recorder.reset();
    fs::remove(path());
    open();
  }
}

TEST_F(RecorderSafetyTest, a_damaged_picture_is_missing_and_the_rest_is_there) {
  const SessionId session = begin();
  recorder->append_message(session, UserMessage{"look", {editor_screen({"a"})}, false});
  recorder.reset();
  Database(path()).execute("UPDATE chunks SET pixels = zeroblob(length(pixels))");
  open();
  const auto message = std::get<UserMessage>(recorder->load_transcript(session).transcript.messages().at(0));
  EXPECT_TRUE(message.pictures.empty());
  EXPECT_NE(message.text.find("look\n(A picture is missing here"), std::string::npos);
}

// A limit on the size of files stands for a full disk where none can be mounted.
TEST_F(RecorderSafetyTest, when_nothing_can_be_written_the_intent_fails_and_the_record_stays_whole) {
  recorder.reset();
  Child child([&](const auto& report) {
    signal(SIGXFSZ, SIG_IGN);
    const auto writer = Recorder::open(path(), {.reserve_bytes = 64 << 10});
    const SessionId session = writer->begin_session({});
    writer->append_message(session, reply_with_call("call_1"));
    const rlimit limit{150 << 10, 150 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int n = 0; n < 1000; ++n) {
      try {
        writer->intent(session, click_intent("call_" + std::to_string(n)));
      } catch (const Error&) {
        report(n + 1);
        return;
      }
    }
  });
  const int n_intents = child.next() - 1;
  ASSERT_EQ(child.wait_for_exit(), 0);
  ASSERT_GE(n_intents, 0);
  open();
  EXPECT_EQ(recorder->notice(), "");
  EXPECT_EQ(recorder->list_sessions().at(0).n_actions, n_intents);
}

// A small file system in memory that only this process sees. False where that isn't allowed.
bool mount_small_disk(const fs::path& at, const char* size) {
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
    std::ofstream("/proc/self/setgroups") << "deny";  // else the next may not be written
    std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  }
  return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", at.c_str(), "tmpfs", 0, (std::string("size=") + size).c_str()) == 0;
}

void fill_disk(const fs::path& folder) {
  std::ofstream file(folder / "rubbish", std::ios::binary | std::ios::app);
  const std::string page(4096, 'r');
  while (file.write(page.data(), static_cast<std::streamsize>(page.size())).flush()) {
  }
}

TEST_F(RecorderSafetyTest, on_a_full_disk_the_outcome_is_still_recorded_and_the_next_intent_fails) {
  enum Report { kNotAllowed = 1, kOutcomeRecorded, kIntentRefused, kWhole };
  const fs::path disk = folder.path() / "disk";
  fs::create_directory(disk);
  Child child([&](const auto& report) {
    if (!mount_small_disk(disk, "6m")) return report(kNotAllowed);
    auto writer = Recorder::open(disk / "sessions.db", {.reserve_bytes = 2 << 20});
    const SessionId session = writer->begin_session({});
    writer->append_message(session, reply_with_call("call_1"));
    const ActionId action = writer->intent(session, click_intent("call_1"));
    fill_disk(disk);
    const Picture screen = editor_screen(some_lines(35));
    writer->outcome(action, {true, "Clicked.", {screen}, {}, {}}, 0.1);
    writer->append_message(session, ToolMessage{"call_1", "Clicked.", {screen}, true});
    report(kOutcomeRecorded);
    fill_disk(disk);
    try {
      writer->intent(session, click_intent("call_2"));
    } catch (const Error& error) {
      report(std::string(error.what()).find("free some disk space") == std::string::npos ? 0 : kIntentRefused);
    }
    writer.reset();
    writer = Recorder::open(disk / "sessions.db", {.reserve_bytes = 2 << 20});
    const Transcript loaded = writer->load_transcript(session).transcript;
    const auto& answer = std::get<ToolMessage>(loaded.messages().at(1));
    if (writer->notice().empty() && answer.pictures.at(0)->content_hash() == screen->content_hash()) report(kWhole);
  });
  const int first = child.next();
  if (first == kNotAllowed) GTEST_SKIP() << "a process may not mount a file system of its own here";
  EXPECT_EQ(first, kOutcomeRecorded);
  EXPECT_EQ(child.next(), kIntentRefused);
  EXPECT_EQ(child.next(), kWhole);
  EXPECT_EQ(child.wait_for_exit(), 0);
}

}  // namespace
}  // namespace agent
