// The table of commands and what a command line may look like.

#include "app/command.h"

#include <gtest/gtest.h>

#include "app/commands.h"

namespace app {
namespace {

const std::vector<CommandArgument> kArguments = {{"ID", "the session", false, false}, {"words", "more", true, true}};
const std::vector<CommandOption> kOptions = {{"to", "folder|zip", "the form", "zip"},
                                             {"set", "name=value", "a parameter"},
                                             {"n", "n", "how many", "3"},
                                             {"json", "", "JSON"}};

CommandLine parse(const QStringList& words) {
  return CommandLine(kArguments, kOptions, words);
}

std::string problem_with(const QStringList& words) {
  try {
    parse(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(CommandLine, options_stand_anywhere_and_repeat) {
  const CommandLine line = parse({"--set", "a=1", "7", "--set=b=2", "some", "--json", "words"});
  EXPECT_EQ(line.number_argument(0), 7);
  EXPECT_EQ(line.rest(1), "some words");
  EXPECT_EQ(line.values("set"), (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_TRUE(line.has("json"));
  EXPECT_FALSE(line.has("to"));
  EXPECT_EQ(line.value("to"), "zip") << "the value where none is given";
  EXPECT_EQ(line.whole_number("n", 1, 5), 3);
}

TEST(CommandLine, after_two_dashes_all_words_are_arguments) {
  const CommandLine line = parse({"1", "--", "--json", "-x"});
  EXPECT_EQ(line.rest(1), "--json -x");
  EXPECT_FALSE(line.has("json"));
}

TEST(CommandLine, says_what_is_wrong_and_what_there_is) {
  EXPECT_EQ(problem_with({}), "what is missing: ID, the session");
  EXPECT_EQ(problem_with({"1", "--too"}), "there is no option --too; there are --to, --set, --n, --json");
  EXPECT_EQ(problem_with({"1", "--to", "tar"}), "--to is folder or zip, not \"tar\"");
  EXPECT_EQ(problem_with({"1", "--to"}), "--to takes a value: folder|zip");
  EXPECT_EQ(problem_with({"1", "--json=yes"}), "--json takes no value");
  EXPECT_EQ(problem_with({"1", "--to", ""}), "--to takes a value: folder|zip") << "of an unset variable";
  EXPECT_EQ(problem_with({"1", "--set="}), "--set takes a value: name=value");
  EXPECT_THROW(parse({"one"}).number_argument(0), UsageError);
  EXPECT_THROW(parse({"1", "--n", "9"}).whole_number("n", 1, 5), UsageError);
}

TEST(Commands, each_has_a_help_that_names_all_it_takes) {
  for (const Command& command : commands()) {
    const std::string help = help_of(command);
    EXPECT_NE(help.find(command.summary), std::string::npos);
    EXPECT_NE(command.run, nullptr) << command.name;
    for (const CommandOption& option : command.options) {
      EXPECT_NE(help.find("--" + option.name), std::string::npos) << command.name << " " << option.name;
      EXPECT_FALSE(option.help.empty()) << command.name << " " << option.name;
    }
    for (const CommandArgument& argument : command.arguments) EXPECT_FALSE(argument.help.empty()) << command.name;
  }
}

TEST(CommandLine, a_first_word_with_one_dash_is_a_slip) {
  EXPECT_EQ(problem_with({"-json", "1"}),
            "there is no option -json: all begin with --; what is no option comes after a --");
  EXPECT_EQ(parse({"1", "-x", "-"}).rest(1), "-x -") << "of a program that is named";
  EXPECT_EQ(parse({"-5 + 3"}).argument(0), "-5 + 3") << "words to be said";
}

TEST(Commands, help_tells_all_of_them_or_one) {
  const auto said = [](const QStringList& words) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_command_line(words), kExitDone);
    return testing::internal::GetCapturedStdout();
  };
  EXPECT_EQ(said({"help"}), said({"--help"}));
  EXPECT_EQ(said({"help", "replay"}), said({"replay", "--help"}));
  EXPECT_EQ(said({"help", "replya"}), said({"--help"}));
}

TEST(Commands, options_that_contradict_are_refused) {
  EXPECT_THROW(run_command_line({"run", "--desktop", "none", "--workspace", "/", "hello"}), UsageError);
  EXPECT_THROW(run_command_line({"run", "--workspace", "/no/such/folder", "hello"}), UsageError);
  EXPECT_THROW(run_command_line({"rules", "list", "3"}), UsageError);
  EXPECT_THROW(run_command_line({"chat", "--image", "/no/such/picture.png", "hello"}), UsageError);
}

std::string refusal_of(const QStringList& words) {
  try {
    run_command_line(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "it ran";
}

TEST(Commands, a_mistyped_command_is_no_task) {
  EXPECT_EQ(refusal_of({"sesions"}),
            "there is no command \"sesions\"; did you mean \"sessions\"? deskhand --help "
            "lists them. A task in these words: deskhand run sesions");
  EXPECT_EQ(refusal_of({"calculator"}),
            "there is no command \"calculator\"; deskhand --help lists them. A task in "
            "these words: deskhand run calculator");
  const std::pair<QStringList, std::string> kMeant[] = {
      {{"sesions", "list"}, "sessions"},
      {{"session", "--json"}, "sessions"},
      {{"sesions", "--most", "3", "backup"}, "sessions"},
      {{"replya", "3"}, "replay"},
      {{"reply", "3", "--mode", "watch"}, "replay"},
      {{"shwo", "12"}, "show"},
      {{"udo", "7", "--dry-run"}, "undo"},
      {{"exprt", "2", "--to=html"}, "export"},
      {{"improt", "traj.jsonl"}, "import"},
      {{"modle", "list"}, "model"},
      {{"rule", "forget", "3"}, "rules"},
      {{"docter", "--json"}, "doctor"},
      {{"compltion", "bash"}, "completion"},
      {{"recrod", "gedit", "a.txt"}, "record"},
      {{"caht", "--image", "a.png", "what", "is", "this?"}, "chat"},
      {{"rnu", "Open Calculator"}, "run"},
  };
  for (const auto& [words, meant] : kMeant) {
    const std::string problem = refusal_of(words);
    EXPECT_NE(problem.find("did you mean \"" + meant + "\"?"), std::string::npos)
        << words.join(" ").toStdString() << ": " << problem;
  }
}

TEST(Commands, a_task_that_begins_with_a_commands_name_is_told_how_to_say_so) {
  const std::string problem = refusal_of({"show", "me", "the", "weather"});
  EXPECT_NE(problem.find("A task in these words: deskhand run show …"), std::string::npos) << problem;
  EXPECT_EQ(refusal_of({"show", "3", "--jsn"}).find("A task"), std::string::npos);
}

}  // namespace
}  // namespace app
