#include "tools/sandbox.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/tools/temporary_folder.h"
#include "tools/shell.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr uid_t kNobody = 65534;

// As the user who runs the tests, and as one without any rights when that is root.
enum class User { Ours, Nobody };

class SandboxTest : public testing::TestWithParam<User> {
 protected:
  void SetUp() override {
    if (GetParam() == User::Nobody && geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
    for (const auto& folder : {work_.path(), outputs_.path(), home_.path()})
      ASSERT_EQ(chown(folder.c_str(), user(), user()), 0);
  }
  uid_t user() const { return GetParam() == User::Nobody ? kNobody : geteuid(); }

  ShellOptions options() const {
    ShellOptions options;
    options.workspace = work_.path();
    options.output_folder = outputs_.path();
    options.hidden = private_paths(home_.path());
    options.environment = {{"HOME", home_.path().string()}};
    return options;
  }

  // Runs the commands in one session, in a process of the user; gives the last one's report as text.
  std::string run(const std::vector<std::string>& commands, const ShellOptions& options) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      std::string text = "cannot change the user";
      if (user() == geteuid() || (setgroups(0, nullptr) == 0 && setgid(user()) == 0 && setuid(user()) == 0)) {
        Shell shell(options);
        for (const std::string& command : commands) {
          const JobReport report = shell.run(command, 20s, {});
          text = report.text + (report.exit_code ? "[exit " + std::to_string(*report.exit_code) + "]"
                                                 : "[state " + std::to_string(static_cast<int>(report.state)) + "]");
        }
      }
      _exit(write(ends[1], text.data(), text.size()) < 0);
    }
    close(ends[1]);
    std::string text;
    char bytes[4096];
    for (ssize_t size; (size = read(ends[0], bytes, sizeof bytes)) > 0;) text.append(bytes, static_cast<size_t>(size));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return text;
  }
  std::string run(const std::string& command) { return run(std::vector<std::string>{command}, options()); }
  void own(const fs::path& path) {
    for (const auto& item : fs::recursive_directory_iterator(path))
      EXPECT_EQ(lchown(item.path().c_str(), user(), user()), 0);
  }

  TemporaryFolder work_, outputs_, home_{"/var/tmp"};
};

INSTANTIATE_TEST_SUITE_P(Users, SandboxTest, testing::Values(User::Ours, User::Nobody),
                         [](const auto& info) { return info.param == User::Ours ? "ours" : "nobody"; });

TEST_P(SandboxTest, the_workspace_is_writable_and_the_rest_is_not) {
  EXPECT_EQ(run("echo x > file && cat file"), "x\n[exit 0]");
  EXPECT_EQ(work_.read("file"), "x\n");
  for (const std::string& place :
       {std::string("/etc/deskhand-probe"), std::string("/usr/deskhand-probe"), std::string("/deskhand-probe"),
        (home_.path() / "probe").string(), (outputs_.path() / "probe").string()}) {
    EXPECT_THAT(run("echo x > " + place), HasSubstr("[exit 1]")) << place;
    EXPECT_FALSE(fs::exists(place));
  }
}

TEST_P(SandboxTest, the_folder_for_temporary_files_is_its_own) {
  EXPECT_THAT(run("echo x > /tmp/probe-" + std::to_string(getpid()) + " && ls /tmp"), HasSubstr("probe-"));
  EXPECT_FALSE(fs::exists("/tmp/probe-" + std::to_string(getpid())));
}

TEST_P(SandboxTest, keys_and_logins_are_hidden) {
  home_.write(".ssh/id_ed25519", "PRIVATE");
  home_.write(".netrc", "PRIVATE");
  home_.write("readable", "public");
  own(home_.path());
  const std::string text = run("ls ~/.ssh; cat ~/.ssh/id_ed25519; cat ~/.netrc; cat ~/readable");
  EXPECT_THAT(text, Not(HasSubstr("PRIVATE")));
  EXPECT_THAT(text, HasSubstr("public"));
}

TEST_P(SandboxTest, neither_the_network_nor_a_socket_of_the_session_is_reached) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener, 5), 0);
  socklen_t size = sizeof address;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const std::string probe =
      "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(ntohs(address.sin_port)) + " && echo reached";
  EXPECT_THAT(run(probe), Not(HasSubstr("reached")));
  ShellOptions open = options();
  open.network = Network::Allowed;
  EXPECT_THAT(run({probe}, open), HasSubstr("reached"));
  close(listener);

  const int abstract = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string path = "@deskhand-probe-" + std::to_string(getpid());
  path.copy(name.sun_path, path.size());
  name.sun_path[0] = '\0';
  ASSERT_EQ(bind(abstract, reinterpret_cast<sockaddr*>(&name),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size())),
            0);
  ASSERT_EQ(listen(abstract, 5), 0);
  EXPECT_THAT(run("python3 -c \"import socket; s = socket.socket(socket.AF_UNIX); s.connect('\\0" + path.substr(1) +
                  "'); print('reached')\""),
              Not(HasSubstr("reached\n")));
  close(abstract);
  EXPECT_EQ(run("ls -A /run"), "[exit 0]");
}

TEST_P(SandboxTest, only_its_own_processes_are_seen_and_signalled) {
  EXPECT_EQ(run("kill -0 " + std::to_string(getpid()) + " 2>/dev/null || echo unreachable"), "unreachable\n[exit 0]");
  const std::string text = run("ls -d /proc/[0-9]* | wc -l");
  EXPECT_LE(std::atoi(text.c_str()), 6);
  EXPECT_THAT(run("kill -9 1; echo alive"), HasSubstr("alive\n[exit 0]"));
}

TEST_P(SandboxTest, ways_out_are_closed) {
  for (const char* attempt :
       {"echo 1 > /proc/sys/kernel/sysrq", "echo x > /proc/sysrq-trigger", "mount -t tmpfs none /mnt",
        "mount -o remount,rw /", "umount /run", "unshare -U true", "unshare -m true", "chroot / true",
        "mknod null c 1 3", "ls /dev/mem /dev/sda /dev/vda", "echo x > /sys/kernel/uevent_helper",
        "touch /proc/1/root/etc/deskhand-probe", "nsenter -t 1 -m true", "cat /proc/1/environ /proc/1/mem",
        "hostname deskhand-probe", "date -s 2020-01-01", "dmesg", "insmod x.ko",
        "ln /etc/passwd passwd-link && echo root::0:0 >> passwd-link"}) {
    EXPECT_THAT(run(attempt), Not(HasSubstr("[exit 0]"))) << attempt;
  }
}

TEST_P(SandboxTest, a_preloaded_library_acts_only_inside) {
  // The variable lasts to the next command, whose sandbox is made by a program outside.
  ShellOptions two_sessions = options();
  const std::string marker = (home_.path() / "escaped").string();
  work_.write(
      "evil.c",
      "#include <fcntl.h>\n#include <unistd.h>\n__attribute__((constructor)) static void f(void) { close(open(\"" +
          marker + "\", O_CREAT | O_WRONLY, 0644)); }\n");
  own(work_.path());
  const std::string text =
      run({"cc -shared -fPIC -o evil.so evil.c && export LD_PRELOAD=$PWD/evil.so", "true", "echo $LD_PRELOAD"},
          two_sessions);
  EXPECT_THAT(text, HasSubstr("evil.so"));
  EXPECT_FALSE(fs::exists(marker));
}

TEST_P(SandboxTest, git_works_but_its_config_and_hooks_are_out_of_reach) {
  EXPECT_THAT(run("git init -q . && echo made"), HasSubstr("made"));
  const std::string config = work_.read(".git/config");
  EXPECT_THAT(
      run("echo x > f && git add f && git -c user.name=a -c user.email=a@b commit -qm first && git log --oneline"),
      HasSubstr("first"));
  for (const char* attempt :
       {"echo evil >> .git/config", "git config core.fsmonitor evil", "echo evil > .git/hooks/pre-commit",
        "mv .git away", "rm -rf .git/hooks", "mv .git/hooks .git/h2", "rm .git/config"})
    EXPECT_THAT(run(attempt), Not(HasSubstr("[exit 0]"))) << attempt;
  EXPECT_EQ(work_.read(".git/config"), config);
  EXPECT_FALSE(fs::exists(work_.path() / ".git/hooks/pre-commit"));
}

// S2
TEST_P(SandboxTest, a_git_folder_that_is_a_link_or_a_file_does_not_break_the_sandbox) {
  TemporaryFolder outside;
  EXPECT_EQ(chown(outside.path().c_str(), user(), user()), 0);
  outside.write("gitdir/HEAD", "ref: refs/heads/main\n");
  outside.write("gitdir/config", "[core]\n");
  own(outside.path());
  const auto try_with = [&](const std::function<void(const fs::path&)>& make) {
    fs::remove_all(work_.path() / ".git");
    make(work_.path() / ".git");
    return run("echo runs; echo evil >> .git/config; echo evil >> .git");
  };
  EXPECT_THAT(try_with([&](const fs::path& git) { fs::create_symlink(outside.path() / "gitdir", git); }),
              HasSubstr("runs"));
  EXPECT_THAT(try_with([&](const fs::path& git) { fs::create_symlink("/nowhere", git); }), HasSubstr("runs"));
  EXPECT_THAT(try_with([&](const fs::path& git) {
                std::ofstream(git) << "gitdir: " << (outside.path() / "gitdir").string() << "\n";
              }),
              HasSubstr("runs"));
  EXPECT_EQ(work_.read(".git"), "gitdir: " + (outside.path() / "gitdir").string() + "\n");
  work_.write("inner/HEAD", "ref: refs/heads/main\n");
  work_.write("inner/config", "[core]\n");
  own(work_.path());
  EXPECT_THAT(try_with([&](const fs::path& git) { fs::create_symlink("inner", git); }), HasSubstr("runs"));
  EXPECT_EQ(work_.read("inner/config"), "[core]\n");
  EXPECT_EQ(outside.read("gitdir/config"), "[core]\n");
}

TEST_P(SandboxTest, ordinary_work_is_possible) {
  work_.write("hello.cpp", "#include <iostream>\nint main() { std::cout << \"built\\n\"; }\n");
  own(work_.path());
  EXPECT_THAT(run("g++ hello.cpp -o hello && ./hello"), HasSubstr("built"));
  EXPECT_THAT(run("printf 'all:\\n\\t@echo made\\n' > Makefile && make -s -j2"), HasSubstr("made"));
  EXPECT_THAT(run("/usr/bin/python3 -c 'import tempfile, subprocess; print(tempfile.mkdtemp()[:5], "
                  "subprocess.check_output([\"echo\", \"hi\"]))'"),
              HasSubstr("/tmp/ b'hi"));
  EXPECT_THAT(run("sort -u <(printf 'b\\na\\n') | tr '\\n' ' '; mktemp >/dev/null && id -u"),
              HasSubstr("a b " + std::to_string(user())));
}

// S3
TEST_P(SandboxTest, a_policy_that_cannot_be_kept_is_refused_and_nothing_runs) {
  work_.write("file", "");
  const auto refused = [&](const fs::path& root) {
    ShellOptions bad = options();
    bad.writable = {root};
    const std::string text = run({"touch " + (work_.path() / "ran").string()}, bad);
    EXPECT_FALSE(fs::exists(work_.path() / "ran"));
    return text;
  };
  EXPECT_THAT(refused("/nowhere/at/all"), HasSubstr("doesn't exist"));
  EXPECT_THAT(refused(work_.path() / "file"), HasSubstr("isn't a folder"));
  EXPECT_THAT(refused(work_.path() / ".." / "x"), HasSubstr("\"..\""));
  EXPECT_THAT(refused("relative"), HasSubstr("isn't an absolute path"));
  EXPECT_THAT(refused("/"), HasSubstr("can't be / itself"));
}

// S5: where the kernel refuses namespaces, the command isn't run bare.
TEST(SandboxRefused, a_kernel_that_refuses_is_explained_and_nothing_runs) {
  TemporaryFolder work, outputs;
  ShellOptions options;
  options.workspace = work.path();
  options.output_folder = outputs.path();
  // Inside a sandbox that forbids user namespaces another one can't be made.
  Shell outer(options);
  const std::string inner = "bwrap --unshare-all --unshare-user --ro-bind / / /bin/sh -c 'touch ran'";
  const JobReport report = outer.run(inner, 20s, {});
  EXPECT_NE(report.exit_code, 0);
  EXPECT_FALSE(fs::exists(work.path() / "ran"));
  const std::string text = explain_sandbox_failure(report.text);
  EXPECT_THAT(text, HasSubstr("namespace"));
  EXPECT_THAT(text, HasSubstr("turn the sandbox off in the settings"));
}

// What a shell does whose bubblewrap is this file.
JobReport run_with(const fs::path& bwrap, const TemporaryFolder& work) {
  TemporaryFolder outputs;
  ShellOptions options;
  options.workspace = work.path();
  options.output_folder = outputs.path();
  options.sandbox_program = bwrap;
  Shell shell(options);
  return shell.run("touch ran", 20s, {});
}

TEST(SandboxRefused, without_bubblewrap_nothing_runs_and_the_package_is_named) {
  TemporaryFolder work;
  const JobReport report = run_with(work.path() / "bwrap", work);
  EXPECT_EQ(report.state, JobState::Failed);
  EXPECT_FALSE(report.exit_code.has_value());
  EXPECT_THAT(report.text, HasSubstr("bubblewrap isn't installed"));
  EXPECT_THAT(report.text, HasSubstr("apt install bubblewrap"));
  EXPECT_FALSE(fs::exists(work.path() / "ran"));
}

// The three ways in which kernels refuse, in bubblewrap's words.
TEST(SandboxRefused, each_refusal_of_a_kernel_is_one_plain_message) {
  for (const char* words : {"bwrap: No permissions to create new namespace, likely because the kernel does not allow "
                            "non-privileged user namespaces.",
                            "bwrap: setting up uid map: Permission denied",
                            "bwrap: Creating new namespace failed: Operation not permitted"}) {
    TemporaryFolder work;
    work.write("bwrap", std::string("#!/bin/sh\necho '") + words + "' >&2\nexit 1\n");
    fs::permissions(work.path() / "bwrap", fs::perms::owner_all);
    const JobReport report = run_with(work.path() / "bwrap", work);
    EXPECT_EQ(report.state, JobState::Failed) << words;
    EXPECT_THAT(report.text, HasSubstr(words));
    EXPECT_THAT(report.text, HasSubstr("The kernel refuses user namespaces here. An administrator can allow them"));
    EXPECT_FALSE(fs::exists(work.path() / "ran"));
  }
}

}  // namespace
}  // namespace tools
