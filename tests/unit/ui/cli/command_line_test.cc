#include "ui/cli/command_line.h"

#include <gtest/gtest.h>

#include <sstream>

#include "ui/cli/exit_code.h"

namespace sluice::cli {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

std::expected<Invocation, ParseEnd> parse(const std::string& text) {
  CommandLine line;
  return line.parse(words(text));
}

Invocation good(const std::string& text) {
  const auto result = parse(text);
  EXPECT_TRUE(result) << text << "\n" << (result ? "" : result.error().text);
  return result.value_or(Invocation{});
}

TEST(CommandLine, EveryCommandIsRecognised) {
  const std::pair<const char*, Command> table[] = {
      {"run -f c.yaml", Command::run},
      {"status", Command::status},
      {"flows", Command::flows},
      {"flows --watch", Command::flows},
      {"flows close 7", Command::flows_close},
      {"flows --client phone --min-rate 2K", Command::flows},
      {"top --sort total --host a.test", Command::top},
      {"stats --by rule --since 7d --csv", Command::stats},
      {"memory --json", Command::memory},
      {"explain example.com:443", Command::explain},
      {"select G N", Command::select},
      {"rules list", Command::rules_list},
      {"rules top", Command::rules_top},
      {"rules unused", Command::rules_unused},
      {"rules disable 3", Command::rules_disable},
      {"rules enable 3", Command::rules_enable},
      {"rules providers", Command::rules_providers},
      {"rules update", Command::rules_update},
      {"rules convert a.txt b.mrs", Command::rules_convert},
      {"config check c.yaml --home /h", Command::config_check},
      {"config diff c.yaml", Command::config_diff},
      {"config apply c.yaml", Command::config_apply},
      {"config confirm", Command::config_confirm},
      {"config rollback", Command::config_rollback},
      {"capture open", Command::capture_open},
      {"log", Command::log},
      {"version", Command::version},
      {"completion bash", Command::completion},
      {"man", Command::man},
  };
  for (const auto& [text, command] : table) EXPECT_EQ(good(text).command, command) << text;
}

TEST(CommandLine, RunDirStandsBeforeOrAfterAnyCommand) {
  for (const char* text :
       {"--run-dir /r status", "status --run-dir /r", "--run-dir=/r flows close 1",
        "flows close 1 --run-dir /r", "flows --run-dir /r close 1", "run -f c --run-dir /r",
        "config apply c.yaml --once --run-dir /r", "capture open --run-dir /r",
        "explain --run-dir /r a:1"})
    EXPECT_EQ(good(text).run_dir, "/r") << text;
  EXPECT_EQ(good("status").run_dir, "");
}

TEST(CommandLine, OptionsReachTheirFields) {
  const Invocation run = good("run --file c.yaml --home /h");
  EXPECT_EQ(run.file, "c.yaml");
  EXPECT_EQ(run.home, "/h");
  const Invocation close = good("flows close 7 18446744073709551615");
  EXPECT_EQ(close.ids, (std::vector<std::uint64_t>{7, UINT64_MAX}));
  EXPECT_TRUE(good("flows close --all").all);
  EXPECT_TRUE(good("flows --json --watch").watch);
  EXPECT_TRUE(good("status --json").json);
  EXPECT_EQ(good("config apply c.yaml --confirm 2m").confirm_s, 120u);
  EXPECT_EQ(good("config apply c.yaml").confirm_s, 0u);
  EXPECT_TRUE(good("config apply --once c.yaml").once);
  EXPECT_EQ(good("config rollback").steps, 1u);
  EXPECT_EQ(good("config rollback 5").steps, 5u);
  EXPECT_EQ(good("log --level error --follow").level, "error");
  EXPECT_TRUE(good("log --level error --follow").follow);
  EXPECT_EQ(good("log --level warn").level, "warning");
  EXPECT_EQ(good("explain a:1 --inbound tproxy").inbound, "tproxy");
  EXPECT_EQ(good("explain a:1").inbound, "socks5");
  for (const char* text : {"config apply c.yaml --json", "config rollback --json",
                           "select G N --json", "flows close 7 --json"})
    EXPECT_TRUE(good(text).json) << text;
  EXPECT_EQ(good("completion fish").shell, "fish");
  const Invocation select = good("select G N");
  EXPECT_EQ(select.group, "G");
  EXPECT_EQ(select.name, "N");
}

TEST(CommandLine, RulesTakeLinesNamesAndCounts) {
  const Invocation list = good("rules list --hits --list ads --json");
  EXPECT_TRUE(list.hits);
  EXPECT_TRUE(list.json);
  EXPECT_EQ(list.list, "ads");
  EXPECT_EQ(good("rules list").list, "");
  EXPECT_EQ(good("rules top").count, 10u);
  EXPECT_EQ(good("rules top -n 3").count, 3u);
  EXPECT_EQ(good("rules top --count 4").count, 4u);
  EXPECT_EQ(good("rules disable 3 ads/0 a/b/7").lines,
            (std::vector<LineName>{{"", 3}, {"ads", 0}, {"a/b", 7}}));
  EXPECT_TRUE(good("rules enable 3 --json").json);
  EXPECT_TRUE(good("rules update").names.empty());
  EXPECT_EQ(good("rules update ads geo").names, (std::vector<std::string>{"ads", "geo"}));
  EXPECT_TRUE(good("rules providers --json").json);
}

TEST(CommandLine, ConvertTakesFilesFormatsAndParts) {
  const ConvertWords plain = good("rules convert - out.mrs").convert;
  EXPECT_EQ(plain.in, "-");
  EXPECT_EQ(plain.out, "out.mrs");
  EXPECT_EQ(plain.from + plain.to + plain.behavior + plain.category + plain.country, "");
  EXPECT_EQ(plain.asn, 0u);
  const ConvertWords all =
      good("rules convert g.dat - --from dat --to text --behavior domain --category cn@ads")
          .convert;
  EXPECT_EQ(all.out, "-");
  EXPECT_EQ(all.from, "dat");
  EXPECT_EQ(all.to, "text");
  EXPECT_EQ(all.behavior, "domain");
  EXPECT_EQ(all.category, "cn@ads");
  EXPECT_EQ(good("rules convert a.mmdb o.txt --country CN").convert.country, "CN");
  EXPECT_EQ(good("rules convert a.mmdb o.txt --asn 13335").convert.asn, 13335u);
}

TEST(CommandLine, NamesMayHoldBlanksAndAnyScript) {
  CommandLine line;
  const auto select = line.parse({"select", "香港 group", "--", "-odd name"});
  ASSERT_TRUE(select) << select.error().text;
  EXPECT_EQ(select->group, "香港 group");
  EXPECT_EQ(select->name, "-odd name");
}

TEST(CommandLine, ExplainTakesNamesAndAddresses) {
  const Invocation name = good("explain example.com:443 --network udp --from 192.168.1.20 --json");
  EXPECT_EQ(name.host, "example.com");
  EXPECT_EQ(name.port, 443);
  EXPECT_TRUE(name.udp);
  EXPECT_EQ(name.from, "192.168.1.20");
  EXPECT_TRUE(name.json);
  EXPECT_EQ(name.listener, "");
  EXPECT_EQ(good("explain a:1 --listener guests").listener, "guests");
  const Invocation spoken = good("explain 192.0.2.1:443 --protocol tls --sniffed-host b.test");
  EXPECT_EQ(spoken.protocol, "tls");
  EXPECT_EQ(spoken.sniffed_host, "b.test");
  const Invocation six = good("explain [2001:db8::1]:53");
  EXPECT_EQ(six.host, "2001:db8::1");
  EXPECT_EQ(six.port, 53);
  EXPECT_FALSE(six.udp);
}

TEST(CommandLine, WrongOnesEndWithUsageAndAHint) {
  for (const char* text : {"",
                           "bogus",
                           "status bogus",
                           "status --bogus",
                           "run",
                           "flows close",
                           "flows close x",
                           "flows close 1 --all",
                           "flows close -1",
                           "explain",
                           "explain host",
                           "explain host:0",
                           "explain host:70000",
                           "explain :80",
                           "explain a:1 --network icmp",
                           "explain a:1 --from b",
                           "explain a:1 --inbound vmess",
                           "select G",
                           "rules",
                           "rules top -n 0",
                           "rules top -n x",
                           "rules disable",
                           "rules disable ads",
                           "rules enable ads/x",
                           "rules disable -1",
                           "rules convert",
                           "rules convert a.txt",
                           "rules convert a b c",
                           "rules convert a b --from xml",
                           "rules convert a b --to srs",
                           "rules convert a b --behavior all",
                           "rules convert a b --asn 0",
                           "rules convert a b --asn AS1",
                           "rules convert a b --country CN --asn 1",
                           "rules convert a b --category cn --country CN",
                           "config",
                           "config check",
                           "config apply c --confirm 0s",
                           "config apply c --confirm soon",
                           "config apply c --once --confirm 60s",
                           "config rollback 0",
                           "config rollback 6",
                           "config rollback x",
                           "capture",
                           "log --level loud",
                           "completion",
                           "completion tcsh",
                           "status flows"}) {
    const auto result = parse(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().status, static_cast<int>(ExitCode::usage)) << text;
    EXPECT_TRUE(result.error().to_error);
    EXPECT_TRUE(result.error().text.starts_with("sluice: ")) << result.error().text;
    EXPECT_NE(result.error().text.find("--help`"), std::string::npos);
  }
  const std::pair<const char*, const char*> table[] = {
      {"config chek x", "sluice: there is no command 'chek'\nTry `sluice config --help`.\n"},
      {"--bogus", "sluice: `sluice` has no option --bogus\nTry `sluice --help`.\n"},
      {"status --bogus",
       "sluice: `sluice status` has no option --bogus\nTry `sluice status --help`.\n"},
      {"explain a.test:99999",
       "sluice: HOST:PORT: 'a.test:99999' has no port from 1 to 65535\nTry `sluice explain "
       "--help`.\n"},
      {"", "sluice: `sluice` needs a command after it\nTry `sluice --help`.\n"},
      {"config", "sluice: `sluice config` needs a command after it\nTry `sluice config --help`.\n"},
  };
  for (const auto& [text, said] : table) EXPECT_EQ(parse(text).error().text, said) << text;
}

TEST(CommandLine, HelpEndsWellAndNamesTheExitCodes) {
  for (const char* text :
       {"--help", "-h", "flows --help", "flows close -h", "config apply --help"}) {
    const auto result = parse(text);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, 0);
    EXPECT_FALSE(result.error().to_error);
    EXPECT_NE(result.error().text.find("--help"), std::string::npos);
  }
  const auto help = parse("--help");
  for (const ExitMeaning& meaning : kExitMeanings)
    EXPECT_NE(help.error().text.find(meaning.text), std::string::npos);
  EXPECT_NE(parse("config apply -h").error().text.find("--confirm"), std::string::npos)
      << "help is that of the command it was asked for";
}

TEST(CommandLine, AccountingWordsHaveUnitsAndExcludeEachOther) {
  const Invocation flows = good("flows --min-rate 2K --rule MATCH --outbound DIRECT");
  EXPECT_EQ(flows.flows.min_rate, 2048U);
  EXPECT_EQ(flows.flows.rule, "MATCH");
  const Invocation stats = good("stats --by client --since 2w -n 5");
  EXPECT_EQ(stats.since_s, 14U * 86'400);
  EXPECT_EQ(stats.by, "client");
  EXPECT_EQ(stats.rows, 5U);
  for (const char* bad : {"stats --by colour", "stats --since soon", "stats --csv --json",
                          "stats -n 0", "flows --min-rate fast", "top --sort size"}) {
    const auto result = parse(bad);
    ASSERT_FALSE(result) << bad;
    EXPECT_EQ(result.error().status, static_cast<int>(ExitCode::usage)) << bad;
  }
}

}  // namespace
}  // namespace sluice::cli
