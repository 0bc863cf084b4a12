// The private desktop with its real parts: X server, window manager, buses and programs.
#include "tools/private_desktop.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "capture/error.h"
#include "tests/desk/x_server.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds limit = 10s) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    poll(nullptr, 0, 5);
  }
  return true;
}

// What a program run on the desktop prints.
std::string output_of(PrivateDesktop& desktop, const std::vector<std::string>& argv) {
  const DesktopProcess process = desktop.launch(argv);
  const auto status = process.wait(20s);
  EXPECT_TRUE(status.has_value()) << argv[0] << " did not end";
  return process.output();
}

// Processes whose environment names the directory: all that belong to that desktop, whoever their parent is.
std::vector<pid_t> processes_of(const fs::path& directory) {
  std::vector<pid_t> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == getpid()) continue;
    std::string text;
    for (const char* file : {"environ", "cmdline"}) {
      // Not by stream iterators: they throw when the process ends just now.
      std::ifstream in(entry.path() / file, std::ios::binary);
      for (std::string part; std::getline(in, part, '\0');) text += part + "\n";
    }
    if (text.find(directory.string()) != std::string::npos) found.push_back(pid);
  }
  return found;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const capture::Error& error) {
    return error.what();
  }
  return "";
}

struct SavedVariable {
  explicit SavedVariable(const char* variable) : name(variable) {
    if (const char* text = getenv(variable)) value = text;
  }
  ~SavedVariable() { value ? setenv(name, value->c_str(), 1) : unsetenv(name); }
  const char* name;
  std::optional<std::string> value;
};

fs::path x_socket(const std::string& display) {
  return "/tmp/.X11-unix/X" + display.substr(1);
}

TEST(PrivateDesktop, starts_and_leaves_nothing_behind) {
  fs::path directory;
  std::string display;
  {
    const auto before = std::chrono::steady_clock::now();
    PrivateDesktop desktop = PrivateDesktop::start();
    RecordProperty("start_ms", static_cast<int>((std::chrono::steady_clock::now() - before) / 1ms));
    directory = desktop.directory();
    display = desktop.display();
    EXPECT_TRUE(desktop.is_alive());
    EXPECT_TRUE(fs::exists(x_socket(display)));
    desktop.launch({"xterm"});
    EXPECT_GE(processes_of(directory).size(), 5U);
  }
  EXPECT_TRUE(processes_of(directory).empty());
  EXPECT_FALSE(fs::exists(directory));
  EXPECT_FALSE(fs::exists(x_socket(display)));
}

pid_t x_server_of(const PrivateDesktop& desktop) {
  for (const pid_t pid : processes_of(desktop.directory())) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/comm");
    if (std::string name; in >> name && name == "Xvfb") return pid;
  }
  throw std::runtime_error("no Xvfb on the desktop");
}

TEST(PrivateDesktop, leaves_the_display_to_a_server_that_got_its_number_meanwhile) {
  std::optional<PrivateDesktop> desktop = PrivateDesktop::start();
  const std::string display = desktop->display();
  kill(x_server_of(*desktop), SIGTERM);
  ASSERT_TRUE(eventually([&] { return !fs::exists(x_socket(display)); }));
  const desk_test::TestXServer other({.extra_arguments = {display}});
  ASSERT_EQ(other.display(), display);
  desktop.reset();
  EXPECT_TRUE(fs::exists(x_socket(display)));
}

TEST(PrivateDesktop, removes_what_a_killed_server_left) {
  std::optional<PrivateDesktop> desktop = PrivateDesktop::start();
  const std::string display = desktop->display();
  kill(x_server_of(*desktop), SIGKILL);
  ASSERT_TRUE(eventually([&] { return !desktop->is_alive(); }));
  ASSERT_TRUE(fs::exists(x_socket(display)));
  desktop.reset();
  EXPECT_FALSE(fs::exists(x_socket(display)));
}

TEST(PrivateDesktop, five_live_side_by_side) {
  std::vector<std::thread> threads;
  std::vector<std::optional<PrivateDesktop>> desktops(5);
  for (auto& desktop : desktops)
    threads.emplace_back([&desktop, width = 400 + 100 * static_cast<int>(&desktop - desktops.data())] {
      desktop = PrivateDesktop::start({.width_px = width, .height_px = 300});
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<fs::path> directories;
  for (size_t i = 0; i < desktops.size(); ++i) {
    xcb_connection_t* connection = xcb_connect(desktops[i]->display().c_str(), nullptr);
    ASSERT_EQ(xcb_connection_has_error(connection), 0);
    EXPECT_EQ(xcb_setup_roots_iterator(xcb_get_setup(connection)).data->width_in_pixels, 400 + 100 * i);
    xcb_disconnect(connection);
    directories.push_back(desktops[i]->directory());
  }
  desktops[2].reset();
  EXPECT_TRUE(desktops[3]->is_alive());
  desktops.clear();
  for (const fs::path& directory : directories) {
    EXPECT_TRUE(processes_of(directory).empty());
    EXPECT_FALSE(fs::exists(directory));
  }
}

struct Orphan {
  fs::path directory;
  std::string display;
};

// A process that starts a desktop with a program that has left its parent and session, and is then killed.
Orphan desktop_of_a_killed_program(int signal) {
  int told[2];
  EXPECT_EQ(pipe(told), 0);
  const pid_t child = fork();
  if (child == 0) {
    PrivateDesktop desktop = PrivateDesktop::start();
    desktop.launch({"xterm"});
    desktop
        .launch({"sh", "-c",
                 "(setsid nohup sleep 1000 & ) ; (setsid sh -c 'trap \"\" TERM HUP; sleep 1001; sleep 1002' &)"})
        .wait(10s);
    const std::string text = desktop.directory().string() + "\n" + desktop.display() + "\n";
    (void)!write(told[1], text.data(), text.size());
    pause();
    _exit(0);
  }
  close(told[1]);
  FILE* in = fdopen(told[0], "r");
  char directory[256] = "", display[64] = "";
  EXPECT_EQ(fscanf(in, "%255s %63s", directory, display), 2);
  fclose(in);
  EXPECT_GE(processes_of(directory).size(), 7U);
  kill(child, signal);
  waitpid(child, nullptr, 0);
  return {directory, display};
}

TEST(PrivateDesktop, a_killed_program_leaves_nothing_behind) {
  for (const int signal : {SIGKILL, SIGTERM, SIGSEGV}) {
    const Orphan orphan = desktop_of_a_killed_program(signal);
    EXPECT_TRUE(eventually([&] { return processes_of(orphan.directory).empty(); })) << "signal " << signal;
    EXPECT_TRUE(eventually([&] { return !fs::exists(orphan.directory); }));
    EXPECT_FALSE(fs::exists(x_socket(orphan.display)));
  }
}

// The two supervisors of a desktop, the outer one (our child) first.
std::vector<pid_t> supervisors_of(const fs::path& directory) {
  std::vector<pid_t> found;
  for (const pid_t pid : processes_of(directory)) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    pid_t parent = 0;
    in >> number >> name >> state >> parent;
    if (name == "(deskhand-deskto)") found.insert(parent == getpid() ? found.begin() : found.end(), pid);
  }
  return found;
}

TEST(PrivateDesktop, killing_either_supervisor_ends_the_desktop_cleanly) {
  for (const size_t victim : {0U, 1U}) {
    PrivateDesktop desktop = PrivateDesktop::start();
    const DesktopProcess xterm = desktop.launch({"xterm"});
    const std::vector<pid_t> supervisors = supervisors_of(desktop.directory());
    ASSERT_EQ(supervisors.size(), 2U);
    kill(supervisors[victim], SIGKILL);
    EXPECT_TRUE(eventually([&] { return processes_of(desktop.directory()).empty(); })) << "victim " << victim;
    EXPECT_TRUE(eventually([&] { return !fs::exists(desktop.directory()); }));
    EXPECT_FALSE(fs::exists(x_socket(desktop.display())));
    EXPECT_FALSE(desktop.is_alive());
    EXPECT_TRUE(xterm.exit_status().has_value());
    EXPECT_NE(message_of([&] { desktop.launch({"xterm"}); }), "");
  }
}

TEST(PrivateDesktop, files_left_by_a_crash_of_everything_go_at_the_next_start) {
  std::optional<PrivateDesktop> desktop = PrivateDesktop::start();
  const fs::path directory = desktop->directory();
  const std::vector<pid_t> supervisors = supervisors_of(directory);
  for (const int signal : {SIGSTOP, SIGKILL})
    for (const pid_t pid : supervisors) kill(pid, signal);
  desktop.reset();
  for (const pid_t pid : processes_of(directory)) kill(pid, SIGKILL);
  EXPECT_TRUE(fs::exists(directory));
  const PrivateDesktop next = PrivateDesktop::start();
  EXPECT_FALSE(fs::exists(directory));
}

TEST(PrivateDesktop, environment_is_its_own) {
  const SavedVariable secret("MY_API_KEY");
  setenv("MY_API_KEY", "geheim", 1);
  PrivateDesktop desktop = PrivateDesktop::start({.extra_environment = {{"COLOUR", "green"}}});
  const std::string seen = output_of(desktop, {"env"});
  EXPECT_NE(seen.find("HOME=" + desktop.home().string() + "\n"), std::string::npos);
  EXPECT_NE(seen.find("DISPLAY=" + desktop.display() + "\n"), std::string::npos);
  EXPECT_NE(seen.find("COLOUR=green\n"), std::string::npos);
  EXPECT_EQ(seen.find("geheim"), std::string::npos);
  EXPECT_EQ(seen.find("WAYLAND_DISPLAY"), std::string::npos);
}

TEST(PrivateDesktop, home_comes_from_the_template_and_is_a_copy) {
  const fs::path home = fs::temp_directory_path() / ("deskhand-template-" + std::to_string(getpid()));
  fs::create_directories(home / ".config/app");
  std::ofstream(home / ".config/app/settings") << "dark";
  {
    PrivateDesktop desktop = PrivateDesktop::start({.home_template = home, .link_user_home = true});
    EXPECT_EQ(output_of(desktop, {"cat", ".config/app/settings"}), "dark");
    desktop.launch({"sh", "-c", "echo light > .config/app/settings"}).wait(10s);
    EXPECT_EQ(output_of(desktop, {"readlink", "user-home"}), std::string(getenv("HOME")) + "\n");
  }
  std::ifstream in(home / ".config/app/settings");
  std::string text;
  in >> text;
  EXPECT_EQ(text, "dark");
  EXPECT_TRUE(fs::exists(getenv("HOME")));
  fs::remove_all(home);
}

// A home of the user with a file and a project in it, for as long as the test.
struct UserHome {
  UserHome() {
    fs::create_directories(path / "project");
    std::ofstream(path / "letter") << "dear";
    setenv("HOME", path.c_str(), 1);
  }
  ~UserHome() { fs::remove_all(path); }
  std::string letter() const {
    std::ifstream in(path / "letter");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const SavedVariable variable{"HOME"};
  const fs::path path = fs::temp_directory_path() / ("deskhand-user-" + std::to_string(getpid()));
};

TEST(PrivateDesktop, the_users_home_is_read_only_but_for_the_workspace) {
  const UserHome user;
  PrivateDesktop desktop = PrivateDesktop::start({.link_user_home = true, .writable = {user.path / "project"}});
  ASSERT_EQ(desktop.home_warning(), "");
  EXPECT_EQ(output_of(desktop, {"cat", "user-home/letter"}), "dear") << "it can be read";
  const std::string home = user.path.string();
  const std::vector<std::string> changes = {"echo x > " + home + "/letter",
                                            "echo x >> user-home/letter",
                                            "touch " + home + "/new",
                                            "rm " + home + "/letter",
                                            "mv " + home + "/project " + home + "/elsewhere",
                                            "chmod 777 " + home + "/letter",
                                            "mount -o remount,rw " + home,
                                            "mount -o remount,bind,rw " + home,
                                            "umount -l " + home,
                                            "unshare -Urm mount -o remount,bind,rw " + home,
                                            "unshare -Urm umount -l " + home,
                                            "nsenter -t " + std::to_string(getpid()) + " -m touch " + home + "/new",
                                            "echo x > /proc/" + std::to_string(getpid()) + "/root" + home + "/letter"};
  for (const std::string& change : changes) {
    const DesktopProcess process = desktop.launch({"sh", "-c", change});
    EXPECT_NE(process.wait(10s)->exit_code, 0) << change;
  }
  EXPECT_EQ(user.letter(), "dear");
  EXPECT_FALSE(fs::exists(user.path / "new"));
  EXPECT_TRUE(fs::exists(user.path / "project"));
  for (const std::string& change :
       std::vector<std::string>{"echo y > " + home + "/project/made", "echo y > note", "echo y > .config/app"})
    EXPECT_EQ(desktop.launch({"sh", "-c", change}).wait(10s)->exit_code, 0) << change;
  EXPECT_TRUE(fs::exists(user.path / "project/made"));
  EXPECT_TRUE(fs::exists(desktop.home() / "note"));
}

TEST(PrivateDesktop, services_of_its_session_cannot_change_the_users_home_either) {
  const UserHome user;
  PrivateDesktop desktop = PrivateDesktop::start();
  // Started by the bus: the service that keeps the settings of GTK programs, with the environment of a home elsewhere.
  const fs::path services = desktop.home() / ".local/share/dbus-1/services";
  fs::create_directories(services);
  std::ofstream(services / "org.deskhand.Test.service")
      << "[D-BUS Service]\nName=org.deskhand.Test\nExec=/usr/bin/touch " << (user.path / "new").string() << "\n";
  output_of(desktop, {"dbus-send", "--session", "--dest=org.freedesktop.DBus", "--print-reply", "/org/freedesktop/DBus",
                      "org.freedesktop.DBus.ReloadConfig"});
  const std::string seen = output_of(
      desktop, {"dbus-send", "--session", "--dest=org.freedesktop.DBus", "--print-reply", "/org/freedesktop/DBus",
                "org.freedesktop.DBus.StartServiceByName", "string:org.deskhand.Test", "uint32:0"});
  EXPECT_NE(seen.find("exited with status 1"), std::string::npos) << "it ran, in vain: " << seen;
  EXPECT_FALSE(fs::exists(user.path / "new"));
}

TEST(PrivateDesktop, says_honestly_that_the_kernel_does_not_let_it_protect_the_home) {
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t child = fork();
  if (child == 0) {
    // A process without rights, in a namespace where no other can be made, as on a kernel that forbids them.
    const std::string uid = std::to_string(getuid()), gid = std::to_string(getgid());
    if (unshare(CLONE_NEWUSER) == 0) {
      std::ofstream("/proc/self/setgroups") << "deny";
      std::ofstream("/proc/self/uid_map") << uid + " " + uid + " 1";
      std::ofstream("/proc/self/gid_map") << gid + " " + gid + " 1";
      std::ofstream("/proc/sys/user/max_user_namespaces") << "0";
      for (int capability = 0; prctl(PR_CAPBSET_DROP, capability) == 0; ++capability) {
      }
    }
    std::string text;
    try {
      PrivateDesktop desktop = PrivateDesktop::start();
      text = desktop.home_warning() + "|" + output_of(desktop, {"echo", "still works"});
    } catch (const capture::Error& error) {
      text = error.what();
    }
    (void)!write(told[1], text.data(), text.size());
    _exit(0);
  }
  close(told[1]);
  std::string text;
  char bytes[1024];
  for (ssize_t n_bytes; (n_bytes = read(told[0], bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<size_t>(n_bytes));
  close(told[0]);
  waitpid(child, nullptr, 0);
  EXPECT_NE(text.find("can change files in your home, because the kernel refuses"), std::string::npos) << text;
  EXPECT_NE(text.find("An administrator can allow user namespaces"), std::string::npos) << text;
  EXPECT_NE(text.find("|still works"), std::string::npos) << text;
}

TEST(PrivateDesktop, keyboard_layout_is_as_asked) {
  PrivateDesktop desktop = PrivateDesktop::start({.keyboard = {.layout = "de,ru", .options = "grp:alt_shift_toggle"}});
  const std::string seen = output_of(desktop, {"setxkbmap", "-query"});
  EXPECT_NE(seen.find("de,ru"), std::string::npos) << seen;
  EXPECT_NE(seen.find("grp:alt_shift_toggle"), std::string::npos) << seen;
  const std::string message = message_of([] { PrivateDesktop::start({.keyboard = {.layout = "klingon"}}); });
  EXPECT_NE(message.find("keyboard layout \"klingon\""), std::string::npos) << message;
}

TEST(PrivateDesktop, launched_programs_report_how_they_ended) {
  PrivateDesktop desktop = PrivateDesktop::start();
  const DesktopProcess seven = desktop.launch({"sh", "-c", "echo out; echo err >&2; exit 7"});
  EXPECT_EQ(seven.wait(10s)->exit_code, 7);
  EXPECT_EQ(seven.output(), "out\nerr\n");
  const DesktopProcess sleeper = desktop.launch({"sh", "-c", "sleep 1000 & sleep 1000"});
  EXPECT_FALSE(sleeper.exit_status().has_value());
  EXPECT_FALSE(sleeper.wait(30ms).has_value());
  sleeper.terminate();
  EXPECT_EQ(sleeper.wait(10s)->signal, SIGTERM);
  const std::string message = message_of([&] { desktop.launch({"no-such-program"}); });
  EXPECT_NE(message.find("no-such-program"), std::string::npos) << message;
}

TEST(PrivateDesktop, arguments_are_never_read_by_a_shell) {
  PrivateDesktop desktop = PrivateDesktop::start();
  EXPECT_EQ(output_of(desktop, {"printf", "%s", "'$(id)`id`\";|&\n*"}), "'$(id)`id`\";|&\n*");
}

TEST(PrivateDesktop, shows_itself_in_a_window_of_another_desktop) {
  PrivateDesktop outer = PrivateDesktop::start();
  const SavedVariable display("DISPLAY");
  setenv("DISPLAY", outer.display().c_str(), 1);
  PrivateDesktop inner = PrivateDesktop::start(
      {.width_px = 640, .height_px = 480, .view = DesktopOptions::View::Window, .title = "Inside"});
  EXPECT_NE(inner.display(), outer.display());
  EXPECT_TRUE(inner.is_alive());
  EXPECT_NE(output_of(outer, {"xwininfo", "-name", "Inside"}).find("Width: 640"), std::string::npos);
}

TEST(PrivateDesktop, says_plainly_what_is_missing) {
  const SavedVariable display("DISPLAY");
  unsetenv("DISPLAY");
  std::string message = message_of([] { PrivateDesktop::start({.view = DesktopOptions::View::Window}); });
  EXPECT_NE(message.find("DISPLAY is not set"), std::string::npos) << message;
  const SavedVariable path("PATH");
  setenv("PATH", "/nonexistent", 1);
  message = message_of([] { PrivateDesktop::start(); });
  EXPECT_NE(message.find("Xvfb is not installed"), std::string::npos) << message;
  EXPECT_NE(message.find("apt install xvfb"), std::string::npos) << message;
  message = message_of([] { PrivateDesktop::start({.width_px = 3}); });
  EXPECT_NE(message.find("3x800"), std::string::npos) << message;
}

}  // namespace
}  // namespace tools
