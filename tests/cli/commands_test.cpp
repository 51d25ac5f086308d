// The verbs as a user meets them: help, exit codes, suggestions, streams. In process, through the real
// parser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/model/calculator.h"
#include "analysis/report/glyphs.h"
#include "cli/command_line.h"
#include "cli/command_table.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace perfscope::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct Outcome {
  int code = 0;
  std::string out, err;
};

Outcome call(const std::vector<std::string>& words, bool terminal = false, bool no_color = false) {
  std::ostringstream out, err;
  Console console{out, err};
  console.out_is_terminal = terminal;
  console.no_color = no_color;
  const int code = runCommandLine(words, console);
  return {code, out.str(), err.str()};
}

// Two kernels on one stream with a gap, launched in time.
class WithProfile : public testing::Test {
 protected:
  void SetUp() override {
    m_builder.kernel({.name = "alpha", .start_ns = 10'000, .duration_ns = 30'000, .launch_ns = 1'000});
    m_builder.kernel({.name = "beta", .start_ns = 100'000, .duration_ns = 10'000, .launch_ns = 90'000});
    m_path = m_builder.write();
  }
  test::TraceBuilder m_builder;
  std::string m_path;
};

TEST(CommandLine, EveryVerbHasHelpWithAnExample) {
  for (const auto& command : commandTable()) {
    const auto result = call({command.name, "--help"});
    EXPECT_EQ(result.code, 0) << command.name;
    EXPECT_THAT(result.out, StartsWith("perfscope " + command.name + ": "));
    EXPECT_THAT(result.out, HasSubstr("\nusage: perfscope " + command.name + " "));
    EXPECT_THAT(result.out, HasSubstr("\nexamples\n  perfscope " + command.name));
    EXPECT_THAT(result.err, IsEmpty());
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(glyphs::width(line), 100U) << line;
  }
}

TEST(CommandLine, MainHelpListsExactlyTheVerbsThatExist) {
  const auto result = call({"--help"});
  EXPECT_EQ(result.code, 0);
  for (const auto& command : commandTable()) EXPECT_THAT(result.out, HasSubstr("\n  " + command.name + " "));
  for (const char* later : {"import", "diagnose", "compare", "whatif"}) {
    EXPECT_THAT(result.out, Not(HasSubstr(std::string("\n  ") + later + " ")));
  }
  EXPECT_EQ(call({"help"}).out, result.out);
  EXPECT_EQ(call({"help", "help"}).out, result.out);
  EXPECT_EQ(call({"help", "report"}).out, call({"report", "--help"}).out);
}

TEST(CommandLine, WithoutWordsItIsAUsageErrorOnStderr) {
  const auto result = call({});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("usage: perfscope VERB"));
}

TEST(CommandLine, Version) {
  EXPECT_THAT(call({"--version"}).out, testing::MatchesRegex("perfscope [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

// Laid out for 60 columns everything fits but what is there to be copied: usage, examples, JSON.
TEST_F(WithProfile, NarrowTerminals) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"--help"},
                                                                 {"hardware", "list"},
                                                                 {"hardware", "show", "H200"},
                                                                 {"calc"},
                                                                 {"calc", "ridge", "gpu=H200"},
                                                                 {"doctor"},
                                                                 {"schema", "losses"},
                                                                 {"schema", "metrics"},
                                                                 {"report", m_path}}) {
    std::ostringstream out, err;
    Console console{out, err};
    console.columns = 60;
    runCommandLine(words, console);
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(glyphs::width(line), 60U) << words.back() << ": " << line;
    EXPECT_GT(out.str().size(), 200U) << words.back();
  }
}

TEST(CommandLine, UnknownVerbsSuggestTheNearest) {
  auto result = call({"repotr", "x"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("unknown verb \"repotr\", did you mean \"report\"?"));
  result = call({"import", "x"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("unknown verb \"import\""), Not(HasSubstr("did you mean"))));
}

struct UsageCase {
  std::vector<std::string> words;
  std::string message;
};

// Everything a hand can mistype ends with 2 and a sentence.
TEST(CommandLine, UsageErrors) {
  const UsageCase cases[] = {
      {{"report"}, "FILE"},
      {{"report", "x", "--formt", "json"}, "did you mean --format?"},
      {{"report", "x", "--format", "html"}, "html"},
      {{"report", "x", "--top", "none"}, "--top"},
      {{"report", "x", "--by", "range"}, "--by"},
      {{"report", "x", "--section", "kernel"}, "no section is called"},
      {{"report", "x", "y", "--format", "json"}, "takes one file"},
      {{"query"}, "no profile and no SQL"},
      {{"query", "x"}, "no SQL"},
      {{"run"}, "put it behind --"},
      {{"run", "--"}, "put it behind --"},
      {{"run", "./train"}, "put -- before the program"},
      {{"run", "--delay", "5", "--", "true"}, "--delay"},
      {{"run", "--delay", "-5s", "--", "true"}, "--delay"},
      {{"run", "--duration", "0s", "--", "true"}, "would record nothing"},
      {{"run", "--steps", "1:2", "--", "true"}, "wait:warmup:active"},
      {{"run", "--steps", "1:2:0", "--", "true"}, "at least one active step"},
      {{"run", "--step-marker", "(", "--", "true"}, "no regular expression"},
      {{"run", "--capture", "nvtx:", "--", "true"}, "--capture"},
      {{"run", "--nvml", "1000Hz", "--", "true"}, "--nvml"},
      {{"run", "--label", "batch", "--", "true"}, "key=value"},
      {{"run", "--ranks", "0,x", "--", "true"}, "--ranks"},
      {{"run", "--repeat", "2", "--measure-overhead", "2", "--", "true"}, "exclude each other"},
      {{"hardware"}, "ACTION"},
      {{"hardware", "show"}, "which product"},
      {{"hardware", "list", "extra"}, "too many arguments: \"extra\""},
      {{"report", "x", "--section", ""}, "--section has an empty value"},
      {{"report", "x", "--section="}, "--section"},
      {{"report", "x", "--section", ","}, "no section is called \"\""},
      {{"report", "x", "--hw", " "}, "--hw has an empty value"},
      {{"report", "x", "--step-marker", ""}, "--step-marker has an empty value"},
      {{"run", "-o", "", "--", "true"}, "--output has an empty value"},
      {{"run", "--steps", "", "--", "true"}, "--steps has an empty value"},
      {{"recover", "x", "-o", ""}, "--output has an empty value"},
      {{"hardware", "show", "no-such-gpu-99"}, "no-such-gpu-99"},
      {{"calc", "no-such-formula"}, "no-such-formula"},
      {{"calc", "ridge", "nonsense"}, "nonsense"},
      {{"hardware", "show", ""}, "SPEC has an empty value"},
      {{"report", ""}, "FILE has an empty value"},
      {{"report", "-x"}, "unknown option \"-x\""},
      {{"report", "x", "--format", "JSON"},
       "\"JSON\" is none of text, json, markdown, csv; did you mean json?"},
      {{"report", "x", "--top", "0"}, "\"0\" is no whole number from 1 to 1000000"},
      {{"report", "x", "--top", "1e9"}, "\"1e9\" is no whole number"},
      {{"report", "x", "--top"}, "--top needs a value"},
      {{"--nope"}, "unknown option \"--nope\""},
      {{"--versoin"}, "did you mean --version?"},
      {{"--color"}, "--color needs a value"},
      {{"--color", "always"}, "no verb given"},
      {{"calc", "rigde", "gpu=H200"}, "did you mean ridge?"},
      {{"run", "--delay", "99999999999h", "--", "true"}, "below 31 years"},
      {{"schema", "nothing"}, "WHAT"},
      {{"completions"}, "SHELL"},
      {{"recover"}, "DIR"},
      {{"report", "x", "--color", "sometimes"}, "--color"},
  };
  for (const auto& one : cases) {
    const auto result = call(one.words);
    std::string line;
    for (const auto& word : one.words) line += word + " ";
    EXPECT_EQ(result.code, 2) << line << result.err;
    EXPECT_THAT(result.err,
                AllOf(StartsWith("perfscope: error: "), HasSubstr(one.message), HasSubstr(" (remedy: ")))
        << line;
    EXPECT_THAT(result.out, IsEmpty()) << line;
  }
}

TEST(CommandLine, ExitCodesOfInputs) {
  const test::TempDir dir;
  std::ofstream(dir.file("text.perfscope"))
      << "this is no database at all, only some text that is long enough";
  EXPECT_EQ(call({"report", dir.file("missing.perfscope")}).code, 66);
  EXPECT_EQ(call({"report", dir.file("text.perfscope")}).code, 65);
  EXPECT_EQ(call({"report", dir.path().string()}).code, 65);
  EXPECT_EQ(call({"query", dir.file("missing.perfscope"), "select 1"}).code, 66);
  EXPECT_EQ(call({"recover", dir.file("missing.session")}).code, 66);
  EXPECT_EQ(call({"recover", dir.path().string()}).code, 65);
}

TEST(CommandLine, CountersAreNotInThisVersion) {
  EXPECT_EQ(call({"run", "--counters", "sample", "--", "true"}).code, 69);
}

TEST(CommandLine, WordsBehindTheDashesBelongToTheProgram) {
  const auto result = call({"run", "--", "/no/such/program", "--help", "--color", "bad"});
  EXPECT_THAT(result.out, Not(HasSubstr("usage")));
  EXPECT_NE(result.code, 0);
  EXPECT_NE(result.code, 2) << result.err;
}

TEST_F(WithProfile, ReportInEveryFormat) {
  const auto text = call({"report", m_path});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("VERDICT"), HasSubstr("alpha"), HasSubstr("CONVENTIONS")));
  const auto json = call({"report", m_path, "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["devices"][0]["kernel_sum_ns"], 40'000);
  EXPECT_THAT(call({"report", m_path, "--format", "csv"}).out, StartsWith("device,name,"));
  EXPECT_THAT(call({"report", m_path, "--format=markdown"}).out, StartsWith("### "));
}

// The readable ones come out whole, every unreadable one is named, and the first error is the exit code.
TEST_F(WithProfile, OneBrokenProfileDoesNotHoldUpTheOthers) {
  const test::TempDir dir;
  const std::string text_file = dir.file("text.perfscope"), missing = dir.file("missing.perfscope");
  std::ofstream(text_file) << "this is no database at all, only some text that is long enough";
  const auto alone = call({"report", m_path});
  const auto all = call({"report", m_path, text_file, missing, m_path});
  EXPECT_EQ(all.code, 65);
  EXPECT_EQ(all.out, alone.out + "\n" + alone.out + "\n");
  EXPECT_THAT(all.err, AllOf(HasSubstr(text_file), HasSubstr(missing)));
  EXPECT_EQ(call({"report", missing, m_path, text_file}).code, 66);
  const auto wrong = call({"report", m_path, m_path, "--hw", "no-such-gpu-99"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.err.find("no-such-gpu-99"), wrong.err.rfind("no-such-gpu-99")) << "said twice";
}

TEST_F(WithProfile, ReportGroupsSectionsAndTop) {
  const auto streams = call({"report", m_path, "--by", "stream", "--section", "kernels"});
  EXPECT_THAT(streams.out, AllOf(HasSubstr("stream 7"), HasSubstr("100.0 %"), Not(HasSubstr("VERDICT"))));
  EXPECT_THAT(call({"report", m_path, "--by", "rank", "--section", "kernels"}).out,
              HasSubstr("process 1000"));
  EXPECT_THAT(call({"report", m_path, "--top", "1", "--section", "kernels"}).out,
              AllOf(HasSubstr("alpha"), Not(HasSubstr("beta"))));
}

TEST_F(WithProfile, ColoursFollowTerminalFlagAndNoColor) {
  EXPECT_THAT(call({"report", m_path}).out, Not(HasSubstr("\033")));
  EXPECT_THAT(call({"report", m_path}, true).out, HasSubstr("\033[1m"));
  EXPECT_THAT(call({"report", m_path}, true, true).out, Not(HasSubstr("\033")));
  EXPECT_THAT(call({"report", m_path, "--color", "never"}, true).out, Not(HasSubstr("\033")));
  EXPECT_THAT(call({"report", m_path, "--color", "always"}).out, HasSubstr("\033[1m"));
  EXPECT_THAT(call({"--color", "always", "report", m_path}).out, HasSubstr("\033[1m"));
}

TEST_F(WithProfile, QueryInEveryFormat) {
  const std::string sql = "select short_name, duration_ns, NULL as absent from v_kernel order by start_ns";
  EXPECT_EQ(call({"query", m_path, sql}).out,
            "short_name  duration_ns  absent\n"
            "----------  -----------  ------\n"
            "alpha             30000  NULL\n"
            "beta              10000  NULL\n");
  EXPECT_EQ(call({"query", m_path, sql, "--format", "csv"}).out,
            "short_name,duration_ns,absent\r\nalpha,30000,\r\nbeta,10000,\r\n");
  EXPECT_EQ(nlohmann::json::parse(call({"query", m_path, sql, "--format", "json"}).out),
            nlohmann::json::parse(R"([{"short_name": "alpha", "duration_ns": 30000, "absent": null},
                                      {"short_name": "beta", "duration_ns": 10000, "absent": null}])"));
  EXPECT_EQ(call({"query", m_path, "select 1 where 0", "--format", "json"}).out, "[]\n");
}

TEST_F(WithProfile, ColumnsOfOneNameAreToldApartInJson) {
  const auto keys = [&](const std::string& columns) {
    const auto result = call({"query", m_path, "select " + columns, "--format", "json"});
    const auto parsed = nlohmann::ordered_json::parse(result.out, nullptr, false);
    std::string names;
    for (const auto& [key, value] : parsed.at(0).items()) names += key + "=" + value.dump() + " ";
    return names;
  };
  EXPECT_EQ(keys("1 a, 2 b, 3 a, 4 a"), "a=1 b=2 a_2=3 a_3=4 ");
  EXPECT_EQ(keys("1 a, 2 a, 3 a_2"), "a=1 a_3=2 a_2=3 ");  // a name of the SELECT is not taken
  EXPECT_THAT(call({"query", "--help"}).out, HasSubstr("name_2"));
}

TEST_F(WithProfile, QueryRefusesWhatIsNoQuestion) {
  for (const char* sql :
       {"delete from kernel", "update meta set value = 1", "insert into meta values ('a', 'b')",
        "drop table kernel", "create table t (x)", "attach 'x.db' as x", "vacuum into 'copy.db'",
        "pragma user_version = 7; select 1", "select 1; delete from kernel", "",
        "with x as (select 1) delete from kernel", "-- only a comment"}) {
    const auto result = call({"query", m_path, sql});
    EXPECT_EQ(result.code, 2) << sql << ": " << result.err;
    EXPECT_THAT(result.out, IsEmpty()) << sql;
  }
  EXPECT_THAT(call({"query", m_path, "select count(*) n from kernel"}).out, HasSubstr("2"));
  EXPECT_FALSE(std::ifstream("copy.db").good());
}

TEST_F(WithProfile, QueryShowsSqlitesOwnWords) {
  const auto result = call({"query", m_path, "select no_such_thing from kernel"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("no such column: no_such_thing"), HasSubstr("--schema")));
  EXPECT_THAT(call({"query", m_path, "select 'open"}).err,
              AllOf(HasSubstr("quoted"), Not(HasSubstr("--schema"))));
  EXPECT_THAT(call({"query", m_path, "select abs(-9223372036854775808)"}).err,
              AllOf(HasSubstr("integer overflow"), HasSubstr("(remedy: ")));
  const auto swapped = call({"query", "select 1", m_path});
  EXPECT_EQ(swapped.code, 66);
  EXPECT_THAT(swapped.err, HasSubstr("the profile stands before the SQL"));
}

TEST(CommandLine, SchemasAreLive) {
  EXPECT_EQ(nlohmann::json::parse(call({"schema", "report"}).out)["title"], "PerfScope report");
  EXPECT_THAT(call({"schema", "tables"}).out, HasSubstr("launch_start_ns"));
  EXPECT_EQ(call({"query", "--schema"}).out, call({"schema", "tables"}).out);
  EXPECT_THAT(call({"schema", "losses"}).out, HasSubstr("ring_overflow"));
  EXPECT_THAT(call({"schema", "csv"}).out, AllOf(HasSubstr("ceiling_flops_at_clock"), HasSubstr("FLOP/s")));
  EXPECT_THAT(call({"schema", "config"}).out, HasSubstr("flush_ms=250"));
  EXPECT_THAT(call({"schema"}).out, HasSubstr("sections"));
}

TEST(CommandLine, HardwareAndCalc) {
  EXPECT_THAT(call({"hardware", "list"}).out, HasSubstr("h200-sxm-141gb"));
  EXPECT_THAT(call({"hardware", "show", "H200"}).out,
              AllOf(HasSubstr("4.80 TB/s"), HasSubstr("bf16_tensor"), HasSubstr("source")));
  EXPECT_EQ(call({"hardware", "match", "NVIDIA", "H200"}).out, "h200-sxm-141gb\n");
  EXPECT_EQ(call({"hardware", "match", "nvidia h200"}).out, "h200-sxm-141gb\n");
  EXPECT_EQ(call({"hardware", "match", "NVIDIA H200 NVL"}).out, "h200-nvl-141gb\n");
  EXPECT_EQ(call({"hardware", "match", "NVIDIA Imaginary 9000"}).code, 69);
  EXPECT_THAT(call({"calc"}).out, HasSubstr("ridge"));
  EXPECT_THAT(call({"calc", "ridge"}).out, HasSubstr("\nexample\n  perfscope calc ridge"));
  EXPECT_EQ(call({"calc", "ridge", "--help"}).out, call({"calc", "ridge"}).out);
  EXPECT_THAT(call({"calc", "decode", "--help"}).out,
              AllOf(HasSubstr("fp16_tensor (default)"), HasSubstr("fp8_tensor")));
  EXPECT_THAT(call({"calc", "kv", "--help"}).out, Not(HasSubstr("fp8_tensor")));  // takes no peak
  EXPECT_THAT(call({"calc", "no-such-formula", "--help"}).out, StartsWith("perfscope calc: "));
  EXPECT_EQ(call({"calc", "ridge", "peak=1e308", "bandwidth=1e-300"}).code, 2);
  // H200, dense bf16 tensor: 989.4 TFLOP/s over 4.8 TB/s is 206 FLOP/byte.
  EXPECT_THAT(call({"calc", "ridge", "gpu=H200", "precision=bf16_tensor"}).out, HasSubstr("206 FLOP/byte"));
}

TEST(CommandLine, EveryCalculatorsExampleWorks) {
  for (const auto& calculator : model::calculators()) {
    std::istringstream words{std::string(calculator.example)};
    std::vector<std::string> command{"calc", std::string(calculator.name)};
    command.insert(command.end(), std::istream_iterator<std::string>(words), {});
    const auto result = call(command);
    EXPECT_EQ(result.code, 0) << calculator.name << ": " << result.err;
    EXPECT_THAT(result.out, HasSubstr("\nwith\n")) << calculator.name;
    const auto described = call({"calc", std::string(calculator.name)});
    EXPECT_THAT(described.out, HasSubstr(std::string(calculator.example) + "\n"));
    std::istringstream lines(described.out + result.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(glyphs::width(line), 100U) << line;
  }
}

TEST(CommandLine, DoctorExplainsAndSpeaksJson) {
  const auto text = call({"doctor"});
  const auto json = nlohmann::json::parse(call({"doctor", "--json"}).out);
  EXPECT_TRUE(text.code == 0 || text.code == 69);
  EXPECT_EQ(json["ready"], text.code == 0);
  ASSERT_GT(json["checks"].size(), 3U);
  for (const auto& check : json["checks"]) {
    EXPECT_FALSE(check["found"].get<std::string>().empty()) << check;
    const bool needs_remedy = check["status"] == "fatal" || check["status"] == "warning";
    EXPECT_TRUE(!needs_remedy || check["remedy"].is_string()) << check;
  }
}

TEST(CommandLine, CompletionsKnowVerbsAndOptions) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = call({"completions", shell});
    EXPECT_EQ(script.code, 0);
    for (const auto& command : commandTable()) EXPECT_THAT(script.out, HasSubstr(command.name));
    EXPECT_THAT(script.out, HasSubstr("measure-overhead"));
  }
  EXPECT_EQ(call({"completions", "tcsh"}).code, 2);
}

}  // namespace
}  // namespace perfscope::cli
