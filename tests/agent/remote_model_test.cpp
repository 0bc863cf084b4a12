// The remote model against a real server on this machine: what it sends, what it makes of every kind of answer, how it
// waits, asks again and stops.

#include "agent/remote_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <opencv2/core.hpp>

#include "agent/sse_reader.h"
#include "tests/chat_server/chat_server.h"

namespace agent {
namespace {

using chat_server::Connection;
using chat_server::delta;
using chat_server::Request;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kKey = "sk-very-secret-0123456789";

class RemoteModelTest : public ::testing::Test {
 protected:
  std::unique_ptr<Model> open(std::optional<std::string> key = std::nullopt) {
    options_.endpoint = parse_endpoint(server_.url());
    options_.key = std::move(key);
    options_.first_pause = milliseconds(1);
    return open_remote_model(options_);
  }

  Reply ask(Model& model, std::stop_token stop = {}) {
    transcript_ = Transcript("Be brief.");
    transcript_.append(UserMessage{"Press the button", {}, false});
    pieces_.clear();
    return model.reply(
        transcript_, {press_}, [&](const ReplyPiece& piece) { pieces_.push_back(piece); }, stop);
  }

  std::string error_of(Model& model) {
    try {
      ask(model);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::string said(ReplyPiece::Kind kind) const {
    std::string text;
    for (const ReplyPiece& piece : pieces_) text += piece.kind == kind ? piece.text : "";
    return text;
  }

  chat_server::ChatServer server_;
  RemoteModelOptions options_;
  tools::ToolSpec press_ = {
      "press",
      "presses",
      {{"type", "object"}, {"properties", {{"text", {{"type", "string"}}}, {"times", {{"type", "integer"}}}}}}};
  Transcript transcript_;
  std::vector<ReplyPiece> pieces_;
};

TEST_F(RemoteModelTest, streams_thoughts_text_and_fragments_of_calls) {
  server_.then([](const Request&, Connection& connection) {
    connection.begin_stream();
    connection.send(": a comment\r\n\r\n");
    connection.send_event(delta({{"role", "assistant"}, {"reasoning_content", "Let me "}}));
    connection.send_event(delta({{"reasoning_content", "see."}}));
    connection.send_event(delta({{"content", "I press "}}));
    connection.send_event(delta({{"content", "both."}}));
    for (const json& call : {json{{"index", 0}, {"id", "a"}, {"function", {{"name", "press"}, {"arguments", "{\"te"}}}},
                             json{{"index", 0}, {"function", {{"arguments", "xt\": \"OK\"}"}}}},
                             json{{"index", 1}, {"id", "b"}, {"function", {{"name", "press"}, {"arguments", ""}}}}}) {
      connection.send_event(delta({{"tool_calls", {call}}}));
    }
    connection.send_event(delta(json::object(), "tool_calls"));
    connection.send_event(
        {{"choices", json::array()},
         {"usage",
          {{"prompt_tokens", 70}, {"completion_tokens", 12}, {"prompt_tokens_details", {{"cached_tokens", 64}}}}}});
    connection.send_done();
  });
  const auto model = open();
  const Reply reply = ask(*model);
  EXPECT_EQ(reply.end, Reply::End::Turn) << reply.problem;
  EXPECT_EQ(reply.message.thought, "Let me see.");
  EXPECT_EQ(reply.message.text, "I press both.");
  EXPECT_EQ(said(ReplyPiece::Kind::Thought), "Let me see.");
  EXPECT_EQ(said(ReplyPiece::Kind::Text), "I press both.");
  ASSERT_EQ(reply.message.calls.size(), 2U);
  EXPECT_EQ(reply.message.calls[0].name, "press");
  EXPECT_EQ(reply.message.calls[0].arguments.dump(), R"({"text":"OK"})");
  EXPECT_EQ(reply.message.calls[1].arguments.dump(), "{}");
  EXPECT_EQ(reply.usage.prompt_tokens, 70);
  EXPECT_EQ(reply.usage.reused_tokens, 64);
  EXPECT_EQ(reply.usage.reply_tokens, 12);
  EXPECT_EQ(model->info().name, "scripted");
  EXPECT_EQ(model->info().context_tokens, 100000);
}

TEST_F(RemoteModelTest, sends_the_conversation_in_the_common_form) {
  const auto model = open(kKey);
  const cv::Mat pixels(4, 6, CV_8UC4, cv::Scalar(10, 20, 30, 0));
  const auto picture = std::make_shared<capture::Frame>(pixels, capture::ScreenMap({0, 0, 6, 4}, {6, 4}));
  Transcript transcript("Be brief.");
  transcript.append(UserMessage{"Do it", {picture}, false});
  transcript.append(AssistantMessage{"hm", "", {{"call_1", "press", {{"text", "a"}}}, {"call_2", "press", {}}}});
  transcript.append(ToolMessage{"call_1", "pressed", {picture}, true});
  transcript.append(ToolMessage{"call_2", "not pressed", {}, false});
  model->reply(transcript, {press_}, nullptr, {});
  EXPECT_EQ(server_.requests().at(0).headers.at("authorization"), std::string("Bearer ") + kKey);
  const json sent = server_.request_json(0);
  EXPECT_EQ(sent["model"], "scripted");
  EXPECT_EQ(sent["stream"], true);
  EXPECT_EQ(sent["tools"][0]["function"]["name"], "press");
  const json& messages = sent["messages"];
  ASSERT_EQ(messages.size(), 6U) << messages.dump(1);
  EXPECT_EQ(messages[0]["role"], "system");
  EXPECT_THAT(messages[1]["content"][0]["image_url"]["url"].get<std::string>(),
              HasSubstr("data:image/png;base64,iVBORw0KGgo"));
  EXPECT_EQ(messages[1]["content"][1]["text"], "Do it");
  EXPECT_EQ(messages[2]["reasoning_content"], "hm");
  EXPECT_EQ(messages[2]["tool_calls"][0]["function"]["arguments"], R"({"text":"a"})") << "a string, not an object";
  EXPECT_EQ(messages[3]["content"], "pressed");
  EXPECT_EQ(messages[4]["tool_call_id"], "call_2") << "results stand together";
  EXPECT_EQ(messages[5]["role"], "user") << "pictures of results come after them";
  EXPECT_EQ(messages[5]["content"][0]["type"], "image_url");
}

TEST_F(RemoteModelTest, leaves_out_the_oldest_pictures_when_they_grow_too_large) {
  options_.max_picture_bytes = 2000;
  const auto model = open();
  Transcript transcript;
  cv::Mat pixels(16, 16, CV_8UC4);
  for (int i = 0; i < 12; ++i) {
    cv::randu(pixels, cv::Scalar::all(0), cv::Scalar::all(255));
    transcript.append(UserMessage{
        "look", {std::make_shared<capture::Frame>(pixels.clone(), capture::ScreenMap({0, 0, 16, 16}, {16, 16}))}});
    model->reply(transcript, {}, nullptr, {});
    const json messages = server_.request_json(static_cast<std::size_t>(i))["messages"];
    std::size_t n_bytes = 0;
    for (const json& message : messages) {
      const json& part = message["content"][0];
      if (part["type"] == "image_url") n_bytes += part["image_url"]["url"].get<std::string>().size();
    }
    EXPECT_LE(n_bytes, 2000U);
    EXPECT_EQ(messages.back()["content"][0]["type"], "image_url") << "the newest is always there";
    const char* oldest = i == 11 ? "text" : "image_url";
    if (i == 0 || i == 11) {
      EXPECT_EQ(messages[0]["content"][0]["type"], oldest);
    }
  }
}

TEST_F(RemoteModelTest, reads_m3_markup_that_the_server_left_in_the_text) {
  const std::string raw =
      "<mm:think>Where is it?</mm:think>Here.]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"press\">"
      "]<]minimax[>[<text>OK]<]minimax[>[</text>]<]minimax[>[<times>2]<]minimax[>[</times>"
      "]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>";
  server_.then([&](const Request&, Connection& connection) {
    connection.begin_stream();
    for (std::size_t at = 0; at < raw.size(); at += 7) connection.send_event(delta({{"content", raw.substr(at, 7)}}));
    connection.send_event(delta(json::object(), "stop"));
    connection.send_done();
  });
  const auto model = open();
  const Reply reply = ask(*model);
  EXPECT_EQ(reply.end, Reply::End::Turn) << reply.problem;
  EXPECT_EQ(reply.message.thought, "Where is it?");
  EXPECT_EQ(reply.message.text, "Here.");
  ASSERT_EQ(reply.message.calls.size(), 1U);
  EXPECT_EQ(reply.message.calls[0].arguments.dump(), R"({"text":"OK","times":2})");
}

TEST_F(RemoteModelTest, understands_a_server_that_does_not_stream) {
  server_.then([](const Request&, Connection& connection) {
    const json call = {{"id", "x"}, {"function", {{"name", "press"}, {"arguments", R"({"text":"OK"})"}}}};
    const json message = {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", {call}}};
    connection.send_http(
        200, "application/json",
        json{{"choices", {{{"index", 0}, {"message", message}, {"finish_reason", "tool_calls"}}}}}.dump());
  });
  const auto model = open();
  const Reply reply = ask(*model);
  ASSERT_EQ(reply.message.calls.size(), 1U);
  EXPECT_EQ(reply.message.calls[0].arguments["text"], "OK");
}

TEST_F(RemoteModelTest, malformed_calls_are_for_the_model_not_for_the_tools) {
  const auto model = open();
  for (const char* arguments : {R"({"text": )", R"(["OK"])", "OK", "{\"text\": \"\xFF\"} trailing"}) {
    server_.then([arguments](const Request&, Connection& connection) {
      connection.begin_stream();
      const json call = {{"index", 0}, {"id", "a"}, {"function", {{"name", "press"}, {"arguments", "@"}}}};
      std::string event = delta({{"tool_calls", {call}}}).dump();
      std::string escaped = json(arguments).dump(-1, ' ', false, json::error_handler_t::replace);
      event.replace(event.find("\"@\""), 3, escaped);
      connection.send("data: " + event + "\n\n");
      connection.send_event(delta(json::object(), "tool_calls"));
      connection.send_done();
    });
    const Reply reply = ask(*model);
    EXPECT_EQ(reply.end, Reply::End::Malformed) << arguments;
    EXPECT_THAT(reply.problem, HasSubstr("press")) << arguments;
    EXPECT_TRUE(reply.message.calls.empty());
  }
  server_.then([](const Request&, Connection& connection) {
    connection.begin_stream();
    connection.send_event(delta({{"tool_calls", {{{"index", 0}, {"function", {{"arguments", "{}"}}}}}}}, "tool_calls"));
    connection.send_done();
  });
  EXPECT_EQ(ask(*model).end, Reply::End::Malformed) << "a call without a name";
}

TEST_F(RemoteModelTest, a_reply_cut_at_the_limit_of_tokens_runs_nothing) {
  server_.then([](const Request&, Connection& connection) {
    connection.begin_stream();
    const json call = {{"index", 0}, {"id", "a"}, {"function", {{"name", "press"}, {"arguments", "{\"te"}}}};
    connection.send_event(delta({{"tool_calls", {call}}}));
    connection.send_event(delta(json::object(), "length"));
    connection.send_done();
  });
  const auto model = open();
  const Reply reply = ask(*model);
  EXPECT_EQ(reply.end, Reply::End::Length);
  EXPECT_TRUE(reply.message.calls.empty());
}

TEST_F(RemoteModelTest, ends_a_reply_that_never_ends) {
  options_.max_reply_tokens = 100;
  std::promise<bool> was_hung_up;
  server_.then([&](const Request&, Connection& connection) {
    connection.begin_stream();
    const std::string event = "data: " + delta({{"content", "and "}}).dump() + "\n\n";
    int n_left = 1'000'000;
    while (n_left > 0 && connection.send(event)) --n_left;
    was_hung_up.set_value(n_left > 0);
  });
  const auto model = open();
  EXPECT_EQ(ask(*model).end, Reply::End::Length);
  EXPECT_TRUE(was_hung_up.get_future().get());
}

TEST_F(RemoteModelTest, asks_again_when_the_server_is_busy_or_broken) {
  for (const int status : {429, 500, 503}) {
    server_.then([status](const Request&, Connection& connection) {
      connection.send_http(status, "application/json", R"({"error": {"message": "too much to do"}})");
    });
  }
  server_.then([](const Request&, Connection& connection) {  // cut in the middle of a word
    connection.begin_stream();
    connection.send_event(delta({{"content", "Pre"}}));
  });
  server_.then([](const Request&, Connection& connection) {  // an error in the stream
    connection.begin_stream();
    connection.send_event({{"error", {{"message", "the worker died"}, {"code", 500}}}});
    connection.send_done();
  });
  server_.then([](const Request&, Connection&) {});  // hangs up without a word
  server_.then(chat_server::says("Pressed."));
  const auto model = open();
  EXPECT_EQ(ask(*model).message.text, "Pressed.") << "nothing of the broken replies is left";
  const std::vector<Request> requests = server_.requests();
  ASSERT_EQ(requests.size(), 7U);
  for (const Request& request : requests) EXPECT_EQ(request.body, requests[0].body);
  EXPECT_THAT(said(ReplyPiece::Kind::Notice), HasSubstr("too much to do"));
  EXPECT_THAT(said(ReplyPiece::Kind::Notice), HasSubstr("the worker died"));
}

TEST_F(RemoteModelTest, waits_as_long_as_the_server_asks_for) {
  server_.then([](const Request&, Connection& connection) {
    connection.send_http(429, "application/json", "{}", "Retry-After: 1\r\n");
  });
  const auto model = open();
  const auto start = steady_clock::now();
  EXPECT_EQ(ask(*model).message.text, "Done.");
  EXPECT_GE(steady_clock::now() - start, milliseconds(1000));
  server_.then([](const Request&, Connection& connection) {
    connection.send_http(429, "application/json", "{}", "Retry-After: 86400\r\n");
  });
  EXPECT_THAT(error_of(*model), HasSubstr("86400 s"));
}

TEST_F(RemoteModelTest, gives_up_after_a_while_with_the_transcript_as_it_was) {
  options_.max_attempts = 3;
  const auto model = open();
  for (int i = 0; i < 3; ++i) {
    server_.then(
        [](const Request&, Connection& connection) { connection.send_http(500, "text/plain", "out of memory"); });
  }
  EXPECT_THAT(error_of(*model), testing::AllOf(HasSubstr("out of memory"), HasSubstr("3 attempts")));
  EXPECT_EQ(transcript_.messages().size(), 1U);
  EXPECT_EQ(ask(*model).message.text, "Done.") << "and it goes on when the server does";
}

TEST_F(RemoteModelTest, a_silent_server_is_asked_again) {
  options_.silence_limit = milliseconds(300);
  server_.then([](const Request&, Connection& connection) {
    connection.begin_stream();
    connection.send_event(delta({{"content", "Pre"}}));
    connection.wait_until_gone();
  });
  const auto model = open();
  EXPECT_EQ(ask(*model).message.text, "Done.");
}

TEST_F(RemoteModelTest, a_stop_ends_the_wait_for_a_stalled_server_at_once) {
  for (const bool has_begun : {false, true}) {
    std::stop_source stop;
    steady_clock::time_point stopped;
    std::promise<bool> is_gone;
    server_.then([&](const Request&, Connection& connection) {
      if (has_begun) {
        connection.begin_stream();
        connection.send_event(delta({{"content", "Pre"}}));
      }
      stopped = steady_clock::now();
      stop.request_stop();
      is_gone.set_value(connection.wait_until_gone());
    });
    const auto model = open();
    const Reply reply = ask(*model, stop.get_token());
    const auto ended = steady_clock::now();
    EXPECT_EQ(reply.end, Reply::End::Stopped);
    EXPECT_TRUE(reply.message.calls.empty());
    EXPECT_TRUE(is_gone.get_future().get()) << "the server is told by hanging up";
    EXPECT_LT(ended - stopped, milliseconds(500));
  }
}

TEST_F(RemoteModelTest, a_stop_ends_the_pause_between_attempts) {
  std::stop_source stop;
  server_.then([&](const Request&, Connection& connection) {
    connection.send_http(429, "application/json", "{}", "Retry-After: 60\r\n");
  });
  const auto model = open();
  Transcript transcript;
  transcript.append(UserMessage{"Go", {}, false});
  const auto start = steady_clock::now();
  const Reply reply = model->reply(
      transcript, {}, [&](const ReplyPiece&) { stop.request_stop(); }, stop.get_token());
  EXPECT_EQ(reply.end, Reply::End::Stopped);
  EXPECT_LT(steady_clock::now() - start, milliseconds(500));
}

TEST_F(RemoteModelTest, a_wrong_key_is_said_plainly_and_never_shown) {
  const auto model = open(kKey);
  server_.then([](const Request&, Connection& connection) {
    connection.send_http(401, "application/json",
                         json{{"error", {{"message", std::string("Incorrect API key: ") + kKey}}}}.dump());
  });
  const std::string error = error_of(*model);
  EXPECT_THAT(error, HasSubstr("refuses the key"));
  EXPECT_THAT(error, HasSubstr("DESKHAND_API_KEY"));
  EXPECT_THAT(error, Not(HasSubstr(kKey)));
  EXPECT_EQ(server_.requests().size(), 1U) << "asking again would not help";
  server_.models([](const Request&, Connection& connection) { connection.send_http(401, "text/plain", ""); });
  try {
    open();
    FAIL() << "a key was wanted";
  } catch (const Error& missing) {
    EXPECT_THAT(missing.what(), HasSubstr("wants a key"));
  }
}

TEST_F(RemoteModelTest, never_carries_the_key_elsewhere) {
  chat_server::ChatServer other;
  const auto model = open(kKey);
  server_.then([&](const Request&, Connection& connection) {
    connection.send_http(307, "text/plain", "", "Location: " + other.url() + "/v1/chat/completions\r\n");
  });
  EXPECT_THAT(error_of(*model), HasSubstr("sends elsewhere, to " + other.url()));
  EXPECT_TRUE(other.requests().empty());
}

TEST_F(RemoteModelTest, what_is_no_chat_endpoint_is_recognised) {
  const auto model = open();
  server_.then([](const Request&, Connection& connection) {
    connection.send_http(200, "text/html; charset=utf-8", "<html><body>Welcome!</body></html>");
  });
  EXPECT_THAT(error_of(*model), HasSubstr("answers with text/html"));
  server_.then([](const Request&, Connection& connection) {
    connection.send_http(404, "application/json", R"({"detail": "Not Found"})");
  });
  EXPECT_THAT(error_of(*model), HasSubstr("404: Not Found"));
  server_.then([](const Request&, Connection& connection) {
    connection.begin_stream();
    connection.send("data: hello\n\n");
  });
  EXPECT_THAT(error_of(*model), HasSubstr("no JSON object: hello"));
  server_.models([](const Request&, Connection& connection) { connection.send_http(200, "text/html", "<html>"); });
  EXPECT_THROW(open(), Error);
}

TEST_F(RemoteModelTest, bytes_that_are_not_utf8_become_readable_text) {
  server_.then([](const Request&, Connection& connection) {
    connection.begin_stream();
    connection.send("data: {\"choices\": [{\"delta\": {\"content\": \"caf\xE9 \xE2\x82\xAC\"}}]}\n\n");
    connection.send_event(delta(json::object(), "stop"));
    connection.send_done();
  });
  const auto model = open();
  EXPECT_EQ(ask(*model).message.text, "caf\xEF\xBF\xBD \xE2\x82\xAC");
}

TEST_F(RemoteModelTest, huge_answers_are_cut_off) {
  options_.max_reply_bytes = 1 << 20;
  const auto model = open();
  const std::string junk(64 * 1024, 'x');
  server_.then([&](const Request&, Connection& connection) {
    connection.begin_stream();
    for (int i = 0; i < 1000 && connection.send(": " + junk + "\n"); ++i) {
    }
  });
  EXPECT_THAT(error_of(*model), HasSubstr("more than 1048576 bytes"));
  server_.then([&](const Request&, Connection& connection) {
    connection.send("HTTP/1.1 500 Oh\r\nContent-Type: text/plain\r\n\r\n");
    for (int i = 0; i < 1000 && connection.send(junk); ++i) {
    }
  });
  EXPECT_EQ(ask(*model).message.text, "Done.") << "a huge error is an error like others";
}

TEST_F(RemoteModelTest, says_when_the_conversation_is_too_long) {
  const auto model = open();
  server_.then([](const Request&, Connection& connection) {
    connection.send_http(400, "application/json",
                         R"({"object": "error", "message": "This model's maximum context length is 8192 tokens."})");
  });
  EXPECT_THROW(ask(*model), ContextFull);
}

TEST_F(RemoteModelTest, the_model_is_named_or_the_only_one) {
  server_.models([](const Request&, Connection& connection) {
    connection.send_http(200, "application/json", R"({"data": [{"id": "big"}, {"id": "small"}]})");
  });
  EXPECT_EQ(list_served_models({.endpoint = parse_endpoint(server_.url())}).size(), 2U);
  EXPECT_EQ(open_remote_model({.endpoint = parse_endpoint(server_.url() + "/v1/#small")})->info().name, "small");
  for (const char* name : {"", "#huge"}) {
    try {
      open_remote_model({.endpoint = parse_endpoint(server_.url() + name)});
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("big, small"));
    }
  }
}

TEST(Endpoint, is_read_from_an_address) {
  EXPECT_EQ(parse_endpoint("http://gpu:8000").base_url, "http://gpu:8000/v1");
  EXPECT_EQ(parse_endpoint("https://gpu/api/v2/#m/n").base_url, "https://gpu/api/v2");
  EXPECT_EQ(parse_endpoint("https://gpu/api/v2/#m/n").model, "m/n");
  EXPECT_EQ(parse_endpoint("http://[::1]:80/v1").host, "[::1]:80");
  for (const char* bad : {"ftp://gpu", "http://", "http://me:pw@gpu/v1", "http://gpu/v1?key=abc", "http://g pu"}) {
    EXPECT_THROW(parse_endpoint(bad), Error) << bad;
  }
}

TEST(SseReader, reads_the_same_however_the_bytes_are_cut) {
  const std::string stream =
      "\xEF\xBB\xBF"
      "data: one\r\n\r\nevent: x\ndata:two\ndata:  lines\n\n: comment\n\nid: 7\n\ndata\n\ndata: last\r\rdata: open";
  const std::vector<std::string> expected = {"one", "two\n lines", "", "last"};
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    SseReader reader;
    std::vector<std::string> events;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      for (std::string& event : reader.push(stream.substr(at, step))) events.push_back(std::move(event));
    }
    EXPECT_EQ(events, expected) << step;
    EXPECT_EQ(reader.rest(), "open") << step;
  }
  SseReader small(16);
  EXPECT_THROW(small.push("data: much more than sixteen bytes"), Error);
}

}  // namespace
}  // namespace agent
