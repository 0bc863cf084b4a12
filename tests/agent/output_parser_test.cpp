// What the model says, cut into every kind of pieces.
#include "agent/output_parser.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/agent/shared_files.h"

using agent::Malformed;
using agent::OutputEvent;
using agent::OutputParser;
using agent::ParsedCall;
using agent::ThinkingMode;
using agent::ToolSchema;
using Json = nlohmann::ordered_json;

namespace {

const std::string kNs = "]<]minimax[>[";

// A reply with neighbouring pieces joined, for comparison.
struct Reply {
  std::string reasoning, content;
  std::vector<Json> calls;  // {name, arguments}
  std::vector<Malformed> malformed;
  std::string order;  // one letter per event, joined pieces once

  std::string described() const {
    std::string text = order + "|" + reasoning + "|" + content;
    for (const Json& call : calls) text.append("|").append(call.dump());
    for (const Malformed& event : malformed) {
      text.append("|").append(event.message).append("|").append(event.raw).append("|");
      if (event.salvaged) text += event.salvaged->name + event.salvaged->arguments.dump();
    }
    return text;
  }
};

void add(Reply& reply, const std::vector<OutputEvent>& events) {
  const auto note = [&](char kind, bool joins) {
    if (!joins || reply.order.empty() || reply.order.back() != kind) reply.order += kind;
  };
  for (const OutputEvent& event : events) {
    if (const auto* thought = std::get_if<agent::Thought>(&event)) {
      reply.reasoning += thought->text;
      note('r', true);
    } else if (const auto* text = std::get_if<agent::Text>(&event)) {
      reply.content += text->text;
      note('t', true);
    } else if (const auto* call = std::get_if<ParsedCall>(&event)) {
      reply.calls.push_back({{"name", call->name}, {"arguments", call->arguments}});
      note('c', false);
    } else {
      reply.malformed.push_back(std::get<Malformed>(event));
      note('m', false);
    }
  }
}

// Pieces of `n_bytes`, or of random sizes up to 20 when 0.
Reply parsed_in_pieces(const std::string& text, ThinkingMode mode, const std::vector<ToolSchema>& tools,
                       std::size_t n_bytes, unsigned seed = 0) {
  OutputParser parser(mode, tools);
  Reply reply;
  std::mt19937 random(seed);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t n = n_bytes > 0 ? n_bytes : 1 + random() % 20;
    add(reply, parser.push(std::string_view(text).substr(begin, n)));
    begin += n;
  }
  add(reply, parser.finish());
  return reply;
}

// Parses the text whole, and checks that every other cut gives the same.
Reply parsed(const std::string& text, ThinkingMode mode = ThinkingMode::Adaptive,
             const std::vector<ToolSchema>& tools = {}) {
  const Reply whole = parsed_in_pieces(text, mode, tools, text.size() + 1);
  for (const std::size_t n_bytes : {1, 2, 3, 5, 7, 11})
    EXPECT_EQ(parsed_in_pieces(text, mode, tools, n_bytes).described(), whole.described()) << text;
  for (unsigned seed = 0; seed < 20; ++seed)
    EXPECT_EQ(parsed_in_pieces(text, mode, tools, 0, seed).described(), whole.described()) << text;
  return whole;
}

// Lines with `@` for the prefix of tags.
std::string markup(std::string text) {
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + kNs.size()))
    text.replace(at, 1, kNs);
  return text;
}

std::string call_of(const std::string& name, const std::string& arguments) {
  return markup("@<tool_call>\n@<invoke name=\"" + name + "\">" + arguments + "@</invoke>\n@</tool_call>");
}

std::vector<ToolSchema> tool(const std::string& properties) {
  return {{"f", nlohmann::json::parse(R"({"type": "object", "properties": )" + properties + "}")}};
}

// The arguments of a call to a tool with these properties.
Json arguments_of(const std::string& properties, const std::string& arguments) {
  const Reply reply = parsed(call_of("f", arguments), ThinkingMode::Adaptive, tool(properties));
  EXPECT_TRUE(reply.malformed.empty()) << reply.described();
  if (reply.calls.size() != 1) {
    ADD_FAILURE() << reply.calls.size() << " calls in " << arguments;
    return {};
  }
  return reply.calls[0]["arguments"];
}

ThinkingMode mode_named(const std::string& name) {
  for (const ThinkingMode mode : {ThinkingMode::Enabled, ThinkingMode::Disabled})
    if (name_of(mode) == name) return mode;
  return ThinkingMode::Adaptive;
}

}  // namespace

TEST(OutputParser, every_written_case_gives_its_reasoning_content_and_calls) {
  const Json file = read_json(own_file("toolcall_parser_cases.json"));
  std::vector<ToolSchema> tools;
  for (const Json& item : file["tools"])
    tools.push_back({item["function"]["name"], nlohmann::json::parse(item["function"]["parameters"].dump())});
  ASSERT_GE(file["cases"].size(), 26u);
  for (const Json& test_case : file["cases"]) {
    Reply reply = parsed(test_case["text"], mode_named(test_case["thinking_mode"]), tools);
    // The cases let a parser keep the whole arguments of a call that was cut off. Ours hands them over as malformed.
    for (const Malformed& event : reply.malformed)
      if (event.salvaged)
        reply.calls.push_back({{"name", event.salvaged->name}, {"arguments", event.salvaged->arguments}});
    const Json& expected = test_case["expect"];
    const std::string name = test_case["name"];
    EXPECT_EQ(reply.reasoning, expected["reasoning"].is_null() ? "" : expected["reasoning"].get<std::string>()) << name;
    EXPECT_EQ(agent::trimmed(reply.content), expected["content"].get<std::string>()) << name;
    EXPECT_EQ(nlohmann::json(reply.calls), nlohmann::json::parse(expected["calls"].dump())) << name;
    EXPECT_EQ(reply.malformed.empty(), name.find("truncated") == std::string::npos) << name;
  }
}

// --- reasoning and content ---

TEST(OutputParser, the_requests_mode_decides_where_reasoning_is) {
  EXPECT_EQ(parsed("a</mm:think>b", ThinkingMode::Enabled).described(), "rt|a|b");
  EXPECT_EQ(parsed("a</mm:think>b", ThinkingMode::Disabled).described(), "t||a</mm:think>b");
  EXPECT_EQ(parsed("a</mm:think>b", ThinkingMode::Adaptive).described(), "t||a</mm:think>b");
  EXPECT_EQ(parsed("never closed", ThinkingMode::Enabled).described(), "r|never closed|");
  EXPECT_EQ(parsed("</mm:think>b", ThinkingMode::Enabled).described(), "t||b");
  EXPECT_EQ(parsed("<mm:think>a</mm:think>b", ThinkingMode::Enabled).described(), "rt|a|b");
  EXPECT_EQ(parsed("<mm:think>a</mm:think>b", ThinkingMode::Disabled).described(), "t||<mm:think>a</mm:think>b");
}

TEST(OutputParser, a_bare_closing_tag_that_begins_an_adaptive_reply_is_dropped) {
  EXPECT_EQ(parsed("</mm:think>done").described(), "t||done");
  EXPECT_EQ(parsed(" \n</mm:think>done").described(), "t||done");
  EXPECT_EQ(parsed("</mm:think>a</mm:think>").described(), "t||a</mm:think>");
  EXPECT_EQ(parsed("</mm:think><mm:think>a").described(), "t||<mm:think>a");
}

TEST(OutputParser, white_space_around_reasoning_and_content_is_kept) {
  EXPECT_EQ(parsed("<mm:think>\n a \n</mm:think>\n b \n").described(), "rt|\n a \n|\n b \n");
  EXPECT_EQ(parsed("  \n").described(), "t||  \n");
}

TEST(OutputParser, text_before_adaptive_reasoning_is_content) {
  EXPECT_EQ(parsed("So. <mm:think>a</mm:think>b <mm:think>c").described(), "trt|a|So. b <mm:think>c");
}

TEST(OutputParser, pieces_of_tags_that_come_to_nothing_are_text) {
  for (const char* text : {"a < b ]<] c", "]<]minimax[>", "<mm:thin", "]]]<]<]", "</mm:think", "x]<]minimax[>[ y", "]"})
    EXPECT_EQ(parsed(text).content, text);
}

TEST(OutputParser, a_marker_after_its_own_beginnings_is_still_found) {
  const Reply reply = parsed(std::string("]]<]]<]minimax]<]").append(call_of("f", "")));
  EXPECT_EQ(reply.content, "]]<]]<]minimax]<]");
  EXPECT_EQ(reply.calls.size(), 1u);
}

TEST(OutputParser, text_is_handed_on_as_soon_as_it_can_be_no_marker) {
  OutputParser parser(ThinkingMode::Adaptive, {});
  Reply reply;
  add(reply, parser.push("Hello ]<]mini"));
  EXPECT_EQ(reply.content, "Hello ");
  add(reply, parser.push("x"));
  EXPECT_EQ(reply.content, "Hello ]<]minix");
}

TEST(OutputParser, a_call_is_reported_before_the_block_ends) {
  OutputParser parser(ThinkingMode::Adaptive, {});
  Reply reply;
  add(reply, parser.push(markup("@<tool_call>\n@<invoke name=\"f\">@</invoke>")));
  EXPECT_EQ(reply.order, "c");
}

// --- arguments ---

TEST(OutputParser, types_come_from_the_schema_not_from_the_looks) {
  const std::string schema = R"({"s": {"type": "string"}, "i": {"type": "integer"}, "n": {"type": "number"},
      "b": {"type": "boolean"}, "e": {"enum": [1, "two"]}, "u": {"type": ["integer", "null"]}})";
  const auto value = [&](const char* name, const std::string& text) {
    return arguments_of(schema, std::string("@<").append(name) + ">" + text + "@</" + name + ">")[name].dump();
  };
  EXPECT_EQ(value("s", "0042"), "\"0042\"");
  EXPECT_EQ(value("s", "true"), "\"true\"");
  EXPECT_EQ(value("s", "null"), "\"null\"");
  EXPECT_EQ(value("s", "{\"a\": 1}"), "\"{\\\"a\\\": 1}\"");
  EXPECT_EQ(value("i", "42"), "42");
  EXPECT_EQ(value("i", " 42\n"), "42");
  EXPECT_EQ(value("i", "3.0"), "3");
  EXPECT_EQ(value("i", "3.5"), "\"3.5\"");
  EXPECT_EQ(value("i", "9007199254740993"), "9007199254740993");
  EXPECT_EQ(value("i", "99999999999999999999"), "\"99999999999999999999\"");
  EXPECT_EQ(value("i", "many"), "\"many\"");
  EXPECT_EQ(value("n", "5"), "5");
  EXPECT_EQ(value("n", "0.5"), "0.5");
  EXPECT_EQ(value("n", "nan"), "\"nan\"");
  EXPECT_EQ(value("b", "True"), "true");
  EXPECT_EQ(value("b", "yes"), "\"yes\"");
  EXPECT_EQ(value("e", "1"), "1");
  EXPECT_EQ(value("e", "two"), "\"two\"");
  EXPECT_EQ(value("u", "Null"), "null");
  EXPECT_EQ(value("u", "7"), "7");
}

TEST(OutputParser, strings_are_verbatim_to_the_last_newline) {
  const std::string text = "  a\n\tb < c && d > \"e\" &amp; <x>\n\n";
  EXPECT_EQ(arguments_of(R"({"s": {"type": "string"}})", std::string("@<s>") + text + "@</s>")["s"], text);
}

TEST(OutputParser, a_quoted_call_inside_a_string_is_text_of_that_string) {
  const std::string schema = R"({"s": {"type": "string"}, "t": {"type": "string"}})";
  const std::string quoted = "see @<tool_call>\n@<invoke name=\"rm\">@<s>x@</s>@<t>y@</t>@</invoke>\n@</tool_call> ok";
  const Json arguments = arguments_of(schema, "@<s>" + quoted + "@</s>@<t>after@</t>");
  EXPECT_EQ(arguments["s"], markup(quoted));
  EXPECT_EQ(arguments["t"], "after");
}

TEST(OutputParser, an_unbalanced_quoted_tag_fails_loudly_and_never_makes_a_call) {
  const Reply reply =
      parsed(call_of("f", "@<s>one @<s> too many@</s>"), ThinkingMode::Adaptive, tool(R"({"s": {"type": "string"}})"));
  EXPECT_EQ(reply.order, "m");
}

TEST(OutputParser, nested_arguments_may_be_tags_or_json) {
  const std::string schema =
      R"({"o": {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}},
      "l": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}}}}})";
  EXPECT_EQ(arguments_of(schema, "@<o>@<n>1@</n>@<s>2@</s>@</o>").dump(), R"({"o":{"n":1,"s":"2"}})");
  EXPECT_EQ(arguments_of(schema, R"(@<o>{"n": 1, "s": "2"}@</o>)").dump(), R"({"o":{"n":1,"s":"2"}})");
  EXPECT_EQ(arguments_of(schema, "@<l>\n@<item>@<k>1@</k>@</item>\n@<item>@<k>2@</k>@</item>\n@</l>").dump(),
            R"({"l":[{"k":"1"},{"k":"2"}]})");
  EXPECT_EQ(arguments_of(schema, R"(@<l>[{"k": "1"}]@</l>)").dump(), R"({"l":[{"k":"1"}]})");
  EXPECT_EQ(arguments_of(schema, "@<l>[broken@</l>").dump(), R"({"l":"[broken"})");
}

TEST(OutputParser, arguments_keep_the_models_order) {
  EXPECT_EQ(arguments_of(R"({"a": {"type": "integer"}, "z": {"type": "integer"}})", "@<z>1@</z>@<a>2@</a>").dump(),
            R"({"z":1,"a":2})");
}

TEST(OutputParser, without_a_schema_json_is_json_and_the_rest_is_text) {
  const auto value = [](const std::string& text) { return arguments_of("{}", "@<x>" + text + "@</x>")["x"].dump(); };
  EXPECT_EQ(value("3"), "3");
  EXPECT_EQ(value("007"), "\"007\"");
  EXPECT_EQ(value("true"), "true");
  EXPECT_EQ(value("hello"), "\"hello\"");
  EXPECT_EQ(value("[1, 2]"), "[1,2]");
  EXPECT_EQ(value("@<item>1@</item>@<item>b@</item>"), "[1,\"b\"]");
  EXPECT_EQ(value("123456789012345678901"), "\"123456789012345678901\"");
  std::string deep(5000, '[');
  deep.append(5000, ']');
  EXPECT_EQ(value(deep), Json(deep).dump());
}

TEST(OutputParser, schemas_may_refer_to_their_own_parts_and_offer_choices) {
  nlohmann::json schema = nlohmann::json::parse(R"({"type": "object", "$defs": {"point": {"type": "object",
      "properties": {"x": {"type": "integer"}}}, "loop": {"$ref": "#/$defs/loop"}},
      "properties": {"p": {"$ref": "#/$defs/point"}, "q": {"anyOf": [{"$ref": "#/$defs/point"}, {"type": "null"}]},
      "loop": {"$ref": "#/$defs/loop"}, "bad": {"$ref": "#/~9"}, "l": {"anyOf": [{"type": "array", "items":
      {"type": "string"}}, {"type": "null"}]}}})");
  const Reply reply = parsed(call_of("f",
                                     "@<p>@<x>1@</x>@</p>@<q>@<x>2@</x>@</q>@<loop>a@</loop>@<bad>b@</bad>"
                                     "@<l>@<item>5@</item>@</l>"),
                             ThinkingMode::Adaptive, {{"f", schema}});
  ASSERT_EQ(reply.calls.size(), 1u);
  EXPECT_EQ(reply.calls[0]["arguments"].dump(), R"({"p":{"x":1},"q":{"x":2},"loop":"a","bad":"b","l":["5"]})");
}

TEST(OutputParser, a_call_to_an_unknown_tool_is_still_a_call) {
  const Reply reply = parsed(call_of("no_such_tool", "@<x>1@</x>"), ThinkingMode::Adaptive, tool("{}"));
  ASSERT_EQ(reply.calls.size(), 1u);
  EXPECT_EQ(reply.calls[0].dump(), R"({"name":"no_such_tool","arguments":{"x":1}})");
}

// --- what can't be read ---

TEST(OutputParser, every_truncation_of_a_call_is_malformed_and_leaks_no_markup) {
  const std::string text = std::string("Look.").append(call_of("f", "@<x>1@</x>@<o>@<n>2@</n>@</o>@<s>some text@</s>"));
  const auto tools = tool(R"({"x": {"type": "integer"}, "s": {"type": "string"}})");
  const std::size_t call_end = text.find("</invoke>") + 9;
  for (std::size_t n_bytes = 5 + kNs.size(); n_bytes < call_end; ++n_bytes) {
    const Reply reply = parsed_in_pieces(text.substr(0, n_bytes), ThinkingMode::Adaptive, tools, 3);
    EXPECT_EQ(reply.content, "Look.") << n_bytes;
    ASSERT_EQ(reply.malformed.size(), 1u) << n_bytes;
    EXPECT_TRUE(reply.calls.empty()) << n_bytes;
    EXPECT_NE(reply.malformed[0].message.find("again"), std::string::npos);
  }
  for (std::size_t n_bytes = call_end; n_bytes <= text.size(); ++n_bytes)
    EXPECT_EQ(parsed_in_pieces(text.substr(0, n_bytes), ThinkingMode::Adaptive, tools, 3).order, "tc") << n_bytes;
}

TEST(OutputParser, malformed_calls_say_what_is_wrong_and_do_not_hide_their_neighbours) {
  const auto first_message = [](const std::string& text, const char* order) {
    const Reply reply = parsed(markup(text));
    EXPECT_EQ(reply.order, order) << text;
    return reply.malformed.empty() ? "" : reply.malformed[0].message;
  };
  const std::string good = "@<invoke name=\"g\">@</invoke>\n";
  EXPECT_NE(
      first_message("@<tool_call>@<invoke name=\"f\">@<x>1@</x>" + good + "@</tool_call>ok", "mct").find("not closed"),
      std::string::npos);
  EXPECT_NE(first_message("@<tool_call>@<invoke name=\"f\">@<x>1@</x>@</tool_call>ok", "mt").find("not closed"),
            std::string::npos);
  EXPECT_NE(first_message("@<tool_call>@<invoke >@</invoke>" + good + "@</tool_call>", "mc").find("no name"),
            std::string::npos);
  EXPECT_NE(first_message("@<tool_call>hm " + good + "@</tool_call>", "mc").find("only calls may be: \"hm\""),
            std::string::npos);
  EXPECT_NE(first_message("@<tool_call>@<invoke name=\"f\">x = 1@</invoke>" + good + "@</tool_call>", "mc")
                .find("between its arguments"),
            std::string::npos);
  EXPECT_NE(
      first_message("@<tool_call>@<invoke name=\"f\">@</x>@</invoke>@</tool_call>", "m").find("</x> closes nothing"),
      std::string::npos);
  EXPECT_NE(first_message("@<tool_call>\n@</tool_call>ok", "mt").find("no call"), std::string::npos);
  EXPECT_NE(first_message("a@</tool_call>b", "tmt").find("without its opening"), std::string::npos);
  EXPECT_NE(first_message("a" + good + "b", "tmt").find("not inside"), std::string::npos);
  EXPECT_NE(first_message("@<tool_call>@<invoke name=\"f\">@<x>\xFF@</x>@</invoke>@</tool_call>", "m").find("UTF-8"),
            std::string::npos);
}

TEST(OutputParser, a_block_after_open_reasoning_ends_it) {
  const Reply reply = parsed(std::string("half").append(call_of("f", "")) + "done", ThinkingMode::Enabled);
  EXPECT_EQ(reply.order, "rct");
  EXPECT_EQ(reply.reasoning, "half");
  EXPECT_EQ(reply.content, "done");
}

TEST(OutputParser, the_older_models_call_format_is_text) {
  const std::string text = "<minimax:tool_call>\n<invoke name=\"f\">\n</invoke>\n</minimax:tool_call>";
  EXPECT_EQ(parsed(text).content, text);
}

TEST(OutputParser, deep_nesting_is_refused_and_harmless) {
  std::string open, close;
  for (int i = 0; i < 2000; ++i) open += "@<a>", close += "@</a>";
  const Reply reply = parsed_in_pieces(call_of("f", open + close), ThinkingMode::Adaptive, {}, 1000);
  EXPECT_EQ(reply.order, "m");
}

TEST(OutputParser, random_markup_never_depends_on_the_cut) {
  const std::vector<std::string> parts = {"@",          "<tool_call>", "</tool_call>", "<invoke name=\"f\">",
                                          "</invoke>",  "<s>",         "</s>",         "<x>",
                                          "</x>",       "<item>",      "</item>",      "1",
                                          " ",          "\n",          "]<]",          "a",
                                          "<mm:think>", "</mm:think>", "@<tool_call>", "@<invoke name='f'>",
                                          "@</invoke>", "@<x>",        "@</x>",        "@<s>",
                                          "@</s>",      "\xC3\xA9"};
  const auto tools = tool(R"({"x": {"type": "integer"}, "s": {"type": "string"}})");
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (unsigned n = random() % 25; n > 0; --n) text += parts[random() % parts.size()];
    text = markup(text);
    const auto mode = static_cast<ThinkingMode>(random() % 3);
    const std::string whole = parsed_in_pieces(text, mode, tools, text.size() + 1).described();
    ASSERT_EQ(parsed_in_pieces(text, mode, tools, 1).described(), whole) << text;
    ASSERT_EQ(parsed_in_pieces(text, mode, tools, 0, random()).described(), whole) << text;
  }
}
