// The interpreter on small templates of our own; each expected output follows from Jinja's documentation.
#include "agent/jinja/jinja.h"

#include <gtest/gtest.h>

using agent::jinja::RenderError;
using agent::jinja::RenderOptions;
using agent::jinja::Segment;
using agent::jinja::SyntaxError;
using agent::jinja::Template;
using Json = nlohmann::ordered_json;

namespace {

std::string rendered(std::string_view source, const Json& context = Json::object(), const RenderOptions& options = {}) {
  std::string text;
  for (const Segment& segment : Template::parse(source).render(context, options)) text += segment.text;
  return text;
}

// Kind and message of the failure that rendering must end in.
std::pair<RenderError::Kind, std::string> failure(std::string_view source, const Json& context = Json::object(),
                                                  const RenderOptions& options = {}) {
  try {
    ADD_FAILURE() << "rendered: " << rendered(source, context, options);
  } catch (const RenderError& error) {
    return {error.kind(), error.message()};
  }
  return {};
}

int syntax_error_line(std::string_view source) {
  try {
    Template::parse(source);
  } catch (const SyntaxError& error) {
    return error.line();
  }
  return 0;
}

struct Case {
  const char *source, *expected;
};

void expect_all(std::initializer_list<Case> cases, const Json& context = Json::object()) {
  for (const Case& item : cases) {
    try {
      EXPECT_EQ(rendered(item.source, context), item.expected) << item.source;
    } catch (const std::exception& error) {
      ADD_FAILURE() << item.source << ": " << error.what();
    }
  }
}

}  // namespace

TEST(Jinja, plain_text_stays_and_one_trailing_newline_goes) {
  expect_all({{"a\nb\n", "a\nb"}, {"a\n\n", "a\n"}, {"a\r\nb\rc", "a\nb\nc"}, {"", ""}, {"{ % {", "{ % {"}});
}

TEST(Jinja, whitespace_around_tags_follows_trim_blocks_and_lstrip_blocks) {
  expect_all({
      {"{% if true %}\nx\n{% endif %}\ny", "x\ny"},
      {"  {% if true %}\n  x\n  {% endif %}\ny", "  x\ny"},
      {"a {% if true %} b {% endif %} c", "a  b  c"},
      {"a \n {%- if true -%} \n b \n {%- endif -%} \n c", "abc"},
      {"  {{ 1 }}\n  y", "  1\n  y"},
      {"a  {{- 1 -}}  b", "a1b"},
      {"  {%+ if true %}x{% endif %}", "  x"},
      {"{% if true +%}\nx{% endif %}", "\nx"},
      {"a\n  {# note #}\nb", "a\nb"},
      {"a {#- note -#} b", "ab"},
      {"{% raw %}{{ x }} {% y %}{% endraw %}\nz", "{{ x }} {% y %}z"},
      {"{%- raw -%}  a  {%- endraw -%}  b", "ab"},
  });
}

TEST(Jinja, expressions_have_pythons_precedence_and_meaning) {
  expect_all({
      {"{{ 1 + 2 * 3 }} {{ (1 + 2) * 3 }} {{ 2 ** 3 ** 1 }}", "7 9 8"},
      {"{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }}", "3 -4 2 3.5"},
      {"{{ 1 ~ 2 * 3 ~ none }}", "16None"},
      {"{{ -1|abs }} {{ 'a'|upper ~ 'b' }}", "1 Ab"},
      {"{{ not true or true }} {{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }}", "True True False"},
      {"{{ 'a' in 'cat' }} {{ 2 not in [1, 3] }} {{ 'k' in {'k': 1} }}", "True True True"},
      {"{{ 1 == 1.0 }} {{ true == 1 }} {{ '1' == 1 }} {{ none == false }}", "True True False False"},
      {"{{ '' or 'x' }} {{ 0 and y.z }} {{ [] or 'e' }}", "x 0 e"},
      {"{{ 'yes' if 1 else 'no' }}{{ 'gone' if 0 }}", "yes"},
      {"{{ 'ab' 'cd' }} {{ 'a' * 3 }} {{ [1] + [2] }}", "abcd aaa [1, 2]"},
      {"{{ 1.0 }} {{ 1e16 }} {{ 0.00001 }} {{ 123456789.5 }} {{ 1_000 }}", "1.0 1e+16 1e-05 123456789.5 1000"},
      {R"({{ '\n\t\x41\u00e9\\\'' }})", "\n\tA\u00e9\\'"},
      {"{{ {'a': [1, none, true], 'b': \"it's\"} }} {{ (1,) }}", "{'a': [1, None, True], 'b': \"it's\"} (1,)"},
      {"{{ {'a': {'b': 1}}.a.b }}{{ [[1, 2]][0][1] }}{{ {'x': 1}['x'] }}", "121"},
      {"{{ {'a': {}}}}", "{'a': {}}"},
  });
}

TEST(Jinja, indexes_and_slices_count_code_points_and_may_run_backwards) {
  expect_all({{"{{ s[0] }}{{ s[-1] }}{{ s[1:3] }}{{ s[::-1] }}", "h\u00f6\u00e9l\u00f6ll\u00e9h"},
              {"{{ l[1:] }}{{ l[:-1] }}{{ l[::-1] }}{{ l[::2] }}{{ l[5:] }}", "[2, 3][1, 2][3, 2, 1][1, 3][]"},
              {"{{ l[-100:100] }}{{ l[2:0:-1] }}", "[1, 2, 3][3, 2]"}},
             {{"s", "h\u00e9ll\u00f6"}, {"l", {1, 2, 3}}});
}

TEST(Jinja, undefined_prints_nothing_and_fails_when_used) {
  expect_all({{"[{{ x }}{{ d.x }}]{{ x is defined }}{{ d.x is defined }}{% for i in x %}{% endfor %}", "[]FalseFalse"},
              {"{{ x|default('a') }}{{ ''|default('b', true) }}{{ ''|default('c') }}{{ x == y }}", "abTrue"}},
             {{"d", Json::object()}});
  EXPECT_EQ(failure("{{ x.y }}"), std::pair(RenderError::Kind::Undefined, std::string("'x' is undefined")));
  EXPECT_EQ(failure("{{ {}.a.b }}").second, "'dict object' has no attribute 'a'");
  EXPECT_EQ(failure("{{ 'a'.items() }}").second, "'str object' has no attribute 'items'");
  EXPECT_EQ(failure("{{ x + 1 }}").second, "'x' is undefined");
  EXPECT_EQ(failure("{{ x() }}").second, "'x' is undefined");
  EXPECT_EQ(failure("{{ none.a.b }}").second, "'None' has no attribute 'a'");
  EXPECT_EQ(failure("{{ [1][3].a }}").second, "list object has no element 3");
}

TEST(Jinja, wrong_types_fail_with_pythons_words) {
  EXPECT_EQ(failure("{{ 'a' + 1 }}").second, "can only concatenate str (not \"int\") to str");
  EXPECT_EQ(failure("{{ [] + 'a' }}").second, "can only concatenate list (not \"str\") to list");
  EXPECT_EQ(failure("{{ 1 in 'a' }}").second, "'in <string>' requires string as left operand, not int");
  EXPECT_EQ(failure("{{ 1 < 'a' }}").second, "'<' not supported between instances of 'int' and 'str'");
  EXPECT_EQ(failure("{% for x in 3 %}{% endfor %}").second, "'int' object is not iterable");
  EXPECT_EQ(failure("{{ 1 // 0 }}").second, "integer division or modulo by zero");
  EXPECT_EQ(failure("{% set a, b = [1] %}").second, "expected 2 values to unpack, got 1");
}

TEST(Jinja, loops_know_where_they_are) {
  expect_all({
      {"{% for x in 'abc' %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ x }}{{ ',' if not loop.last }}"
       "{% endfor %}",
       "103a,212b,321c"},
      {"{% for x in [1, 2, 3, 4] if x % 2 == 0 %}{{ loop.index }}/{{ loop.length }}:{{ x }} {% endfor %}",
       "1/2:2 2/2:4 "},
      {"{% for x in [] %}a{% else %}none{% endfor %}", "none"},
      {"{% for x in [1, 2, 3] %}{{ loop.previtem|default('-') }}{{ loop.nextitem|default('-') }} {% endfor %}",
       "-2 13 2- "},
      {"{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}={{ v }};{% endfor %}", "a=1;b=2;"},
      {"{% for x in [1, 2, 3, 4] %}{% if x == 2 %}{% continue %}{% elif x == 4 %}{% break %}{% endif %}{{ x }}{% "
       "endfor %}",
       "13"},
      {"{% for x in 'aab' %}{{ loop.changed(x) }}{{ loop.cycle('o', 'e') }} {% endfor %}", "Trueo Falsee Trueo "},
      {"{% for n in [{'v': 1, 'c': [{'v': 2, 'c': []}]}] recursive %}{{ loop.depth }}:{{ n.v }}({{ loop(n.c) }})"
       "{% endfor %}",
       "1:1(2:2())"},
      {"{% for i in range(3) %}{{ i }}{% endfor %}{{ range(5, 0, -2)|list }}", "012[5, 3, 1]"},
  });
}

TEST(Jinja, assignments_inside_a_loop_stay_there_unless_in_a_namespace) {
  expect_all({
      {"{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{{ x }}{% endfor %}{{ x }}", "21"},
      {"{% set ns = namespace(n=0) %}{% for i in [1, 2] %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}", "3"},
      {"{% if true %}{% set x = 5 %}{% endif %}{{ x }}", "5"},
      {"{% set a, b = 1, 2 %}{{ a }}{{ b }}", "12"},
      {"{% set x %}in {{ 1 }}{% endset %}[{{ x }}]", "[in 1]"},
      {"{% set x | upper | trim %} in {% endset %}[{{ x }}]", "[IN]"},
      {"{% with a = 1, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}", "1"},
      {"{% filter upper %}a{{ 'b' }}{% endfilter %}", "AB"},
  });
}

TEST(Jinja, macros_take_defaults_names_and_a_caller) {
  expect_all({
      {"{% macro m(a, b='x') %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }} {{ m(1, 2) }} {{ m(b=3, a=4) }}", "1x 12 43"},
      {"{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, k=2) }}", "(1,){'k': 2}"},
      {"{% macro m() %}<{{ caller('z') }}>{% endmacro %}{% call(x) m() %}{{ x }}{% endcall %}", "<z>"},
      {"{% set y = 1 %}{% macro m() %}{{ y }}{% set y = 2 %}{% endmacro %}{{ m() }}{{ y }}", "11"},
      {"{% macro down(n) %}{{ n }}{% if n %}{{ down(n - 1) }}{% endif %}{% endmacro %}{{ down(3) }}", "3210"},
      {"{% macro m(a) %}{{ a is defined }}{% endmacro %}{{ m() }}", "False"},
  });
  EXPECT_EQ(failure("{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}").second,
            "macro 'm' takes not more than 1 argument(s)");
  EXPECT_EQ(failure("{% macro m(a) %}{% endmacro %}{{ m(z=2) }}").second, "macro 'm' takes no keyword argument 'z'");
}

TEST(Jinja, a_macro_kept_in_a_namespace_outlives_its_loop) {
  expect_all(
      {{"{% set ns = namespace() %}{% for i in [7] %}{% macro m() %}{{ i }}{% endmacro %}{% set ns.m = m %}"
        "{% endfor %}{{ ns.m() }}",
        "7"}});
}

TEST(Jinja, tests_tell_types_apart) {
  expect_all({
      {"{{ 'a' is string }}{{ 1 is string }}{{ {} is mapping }}{{ [] is mapping }}", "TrueFalseTrueFalse"},
      {"{{ [] is sequence }}{{ 'a' is iterable }}{{ 1 is iterable }}{{ none is none }}", "TrueTrueFalseTrue"},
      {"{{ 1 is number }}{{ 1.5 is number }}{{ true is number }}{{ true is integer }}{{ 1 is boolean }}",
       "TrueTrueTrueFalseFalse"},
      {"{{ 4 is even }}{{ 3 is odd }}{{ 9 is divisibleby 3 }}{{ 9 is divisibleby(2) }}", "TrueTrueTrueFalse"},
      {"{{ x is not defined }}{{ 1 is eq 1 }}{{ 1 is in [1] }}{{ 'ab' is lower }}", "TrueTrueTrueTrue"},
      {"{{ 1 is defined and x is undefined }}{{ 'y' if 1 is string else 'n' }}", "Truen"},
  });
}

TEST(Jinja, filters_work_as_documented) {
  expect_all(
      {
          {"{{ ' a '|trim }}|{{ 'xxaxx'|trim('x') }}|{{ 'a b'|title }}|{{ 'aB'|capitalize }}", "a|a|A B|Ab"},
          {"{{ [3, 1, 2]|sort }}{{ ['b', 'A']|sort }}{{ [1, 2]|reverse|list }}{{ 'abc'|reverse }}",
           "[1, 2, 3]['A', 'b'][2, 1]cba"},
          {"{{ [1, 2, 3]|join(', ') }} {{ [1, 2]|first }}{{ [1, 2]|last }}{{ 'h\u00e9'|length }} {{ {'a': 1}|length }}",
           "1, 2, 3 122 1"},
          {"{{ l|map(attribute='n')|join }}{{ l|selectattr('n', 'gt', 1)|map(attribute='n')|list }}", "12[2]"},
          {"{{ l|rejectattr('n', 'equalto', 1)|list }}{{ ['a', 'b']|map('upper')|list }}", "[{'n': 2}]['A', 'B']"},
          {"{{ [0, 1, none]|select|list }}{{ [1, 2, 3]|reject('odd')|list }}{{ [1, 1, 2]|unique|list }}",
           "[1][2][1, 2]"},
          {"{{ '12'|int + 1 }} {{ 'x'|int(7) }} {{ '1.5'|float }} {{ 3.7|int }} {{ 2.5|round }} {{ 1.25|round(1) }}",
           "13 7 1.5 3 2.0 1.2"},
          {"{{ [1, 2]|sum }}{{ [1, 5, 2]|max }}{{ [3, 2]|min }}{{ {'b': 1, 'a': 2}|dictsort }}",
           "352[('a', 2), ('b', 1)]"},
          {"{{ 'a\nb\n\nc'|indent(2) }}", "a\n  b\n\n  c"},
          {"{{ 'aXbX'|replace('X', '-') }}{{ 'aXbX'|replace('X', '-', 1) }}{{ {'a': 1}|items|list }}",
           "a-b-a-bX[('a', 1)]"},
      },
      {{"l", {{{"n", 1}}, {{"n", 2}}}}});
}

TEST(Jinja, tojson_is_pythons_json_dumps) {
  const Json value = {{"b", {1, 2.0, nullptr, true}}, {"a", "\u00e9<&'\"\n\u0001"}, {"e", Json::object()}};
  expect_all(
      {
          {"{{ v|tojson }}", "{\"b\": [1, 2.0, null, true], \"a\": \"\u00e9<&'\\\"\\n\\u0001\", \"e\": {}}"},
          {"{{ v.a|tojson(ensure_ascii=True) }}{{ '\U0001F600'|tojson(ensure_ascii=true) }}",
           "\"\\u00e9<&'\\\"\\n\\u0001\"\"\\ud83d\\ude00\""},
          {"{{ {'a': [1, {}]}|tojson(indent=2) }}", "{\n  \"a\": [\n    1,\n    {}\n  ]\n}"},
          {"{{ {'b': 1, 'a': 2}|tojson(separators=(',', ':'), sort_keys=true) }}", "{\"a\":2,\"b\":1}"},
      },
      {{"v", value}});
}

TEST(Jinja, strings_have_pythons_methods) {
  expect_all({
      {"{{ 'a,b,c'.split(',') }}{{ 'a,b,c'.split(',', 1) }}{{ 'a,b,c'.rsplit(',', 1) }}",
       "['a', 'b', 'c']['a', 'b,c']['a,b', 'c']"},
      {"{{ '  a  b '.split() }}{{ ' a b c '.split(None, 1) }}{{ ''.split(',') }}", "['a', 'b']['a', 'b c ']['']"},
      {"{{ '\\n x\\n'.strip('\\n') }}|{{ 'xay'.lstrip('x') }}|{{ 'xay'.rstrip('y') }}", " x|ay|xa"},
      {"{{ 'abc'.startswith('ab') }}{{ 'abc'.endswith(('x', 'c')) }}{{ 'abcb'.find('b') }}{{ 'abcb'.rfind('b') }}",
       "TrueTrue13"},
      {"{{ \"it's a\".title() }}{{ \"it's a\"|title }}{{ ' a  b '.rsplit(None, 1) }}", "It'S AIt's A[' a', 'b']"},
      {"{{ 'a-b'.replace('-', '+') }}{{ ','.join(['a', 'b']) }}{{ 'a\\nb'.splitlines() }}", "a+ba,b['a', 'b']"},
      {"{{ 'ab'.upper() }}{{ 'AB'.lower() }}{{ 'aXa'.count('a') }}{{ 'pre-x'.removeprefix('pre-') }}", "ABab2x"},
      {"{{ {'a': 1}.get('a') }}{{ {'a': 1}.get('b', 2) }}{{ {'a': 1}.keys()|list }}{{ {'a': 1}.values()|list }}",
       "12['a'][1]"},
      {"{% for part in '<a>x<a>y'.split('<a>') %}[{{ part }}]{% endfor %}", "[][x][y]"},
  });
}

TEST(Jinja, keys_keep_their_order) {
  expect_all({{"{{ d|tojson }}{% for k in d %}{{ k }}{% endfor %}", "{\"z\": 1, \"a\": 2, \"m\": 3}zam"}},
             {{"d", {{"z", 1}, {"a", 2}, {"m", 3}}}});
}

TEST(Jinja, generation_blocks_render_their_body) {
  expect_all({{"a{% generation %}b{% endgeneration %}c", "abc"}});
}

TEST(Jinja, strftime_now_shows_the_given_time) {
  const RenderOptions options{.now = 1'000'000'000};
  EXPECT_EQ(rendered("{{ strftime_now('%Y') }}", Json::object(), options), "2001");
}

TEST(Jinja, raise_exception_carries_the_authors_sentence) {
  EXPECT_EQ(failure("{{ raise_exception('roles ' ~ x) }}", {{"x", "must alternate"}}),
            std::pair(RenderError::Kind::Raised, std::string("roles must alternate")));
}

TEST(Jinja, syntax_errors_name_the_line) {
  EXPECT_EQ(syntax_error_line("a\nb\n{% if x %}\nc"), 4);
  EXPECT_EQ(syntax_error_line("a\n{{ x y }}"), 2);
  EXPECT_EQ(syntax_error_line("a\n\n{{ x|nosuchfilter }}"), 3);
  EXPECT_EQ(syntax_error_line("{{ 'open }}"), 1);
  EXPECT_EQ(syntax_error_line("\n{# open"), 2);
  for (const char* source : {"{{", "{%", "{{ }}", "{{ (1 }}", "{% for %}", "{% endif %}", "{% include 'x' %}",
                             "{% break %}", "{{ x is nosuchtest }}", "{% set 1 = 2 %}", "{{ 1 | }}", "{{ 'a\\xzz' }}",
                             "{% macro m(a=1, b) %}{% endmacro %}", "{% raw %}x", "{{ 99999999999999999999 }}"})
    EXPECT_NE(syntax_error_line(source), 0) << source;
}

TEST(Jinja, endless_templates_are_stopped) {
  RenderOptions options;
  options.max_steps = 100'000;
  options.max_bytes = 1'000'000;
  const auto kind = [&](std::string_view source) { return failure(source, Json::object(), options).first; };
  EXPECT_EQ(kind("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"), RenderError::Kind::LimitExceeded);
  EXPECT_EQ(kind("{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}"),
            RenderError::Kind::LimitExceeded);
  EXPECT_EQ(kind("{{ 'x' * 99999999999 }}"), RenderError::Kind::LimitExceeded);
  EXPECT_EQ(kind("{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}"),
            RenderError::Kind::LimitExceeded);
  EXPECT_EQ(kind("{% set ns = namespace(l=[]) %}{% for i in range(9999) %}{% set ns.l = [ns.l] %}{% endfor %}"),
            RenderError::Kind::LimitExceeded);
  EXPECT_NE(syntax_error_line("{{ " + std::string(100'000, '(') + " }}"), 0);
  std::string sum = "{{ 1";
  for (int i = 0; i < 100'000; ++i) sum += "+1";
  EXPECT_NE(syntax_error_line(sum + " }}"), 0);
}

TEST(Jinja, output_says_what_the_template_wrote_and_what_the_context) {
  const Json context = {{"s", "data"}, {"l", {"p", "q"}}, {"d", {{"k", "v"}}}};
  const auto segments = [&](std::string_view source) { return Template::parse(source).render(context); };
  using Segments = std::vector<Segment>;
  EXPECT_EQ(segments("a{{ 'b' }}c"), (Segments{{"abc", true}}));
  EXPECT_EQ(segments("a{{ s }}c"), (Segments{{"a", true}, {"data", false}, {"c", true}}));
  EXPECT_EQ(segments("{{ '<' ~ s + '>' }}"), (Segments{{"<", true}, {"data", false}, {">", true}}));
  EXPECT_EQ(segments("{{ ('<' ~ s ~ '>')[::-1] }}"), (Segments{{">", true}, {"atad", false}, {"<", true}}));
  EXPECT_EQ(segments("{% set x = s.replace('a', '-') %}{{ x|upper }}"),
            (Segments{{"D", false}, {"-", true}, {"T", false}, {"-", true}}));
  EXPECT_EQ(segments("{{ l|join('+') }}"), (Segments{{"p", false}, {"+", true}, {"q", false}}));
  EXPECT_EQ(segments("{{ d|tojson }}"), (Segments{{"{\"k\": \"v\"}", false}}));
  EXPECT_EQ(segments("{% macro m(x) %}[{{ x }}]{% endmacro %}{{ m(s) }}"),
            (Segments{{"[", true}, {"data", false}, {"]", true}}));
  EXPECT_EQ(segments("{% for k, v in d.items() %}{{ k }}={{ v }}{% endfor %}"),
            (Segments{{"k", false}, {"=", true}, {"v", false}}));
}
