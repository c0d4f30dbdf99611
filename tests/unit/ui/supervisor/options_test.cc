#include "ui/supervisor/options.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>
#include <vector>

#include "ui/supervisor/layout.h"

namespace sluice::supervisor {
namespace {

struct Parsed {
  Result<Options> options;
  std::string why;
};

Parsed parse(std::initializer_list<const char*> words, uid_t uid = 0) {
  std::vector<char*> argv;
  for (const char* word : words) argv.push_back(const_cast<char*>(word));
  Parsed out{fail(Errc::none), {}};
  out.options = parse_options(argv, uid, out.why);
  return out;
}

TEST(Options, DefaultsAreThoseOfTheUserAndPathsBecomeAbsolute) {
  ASSERT_EQ(::chdir("/etc"), 0);
  const Parsed parsed = parse({"-f", "passwd", "--run-dir", "run"});
  ASSERT_TRUE(parsed.options) << parsed.why;
  EXPECT_EQ(parsed.options->config, "/etc/passwd");
  EXPECT_EQ(parsed.options->home, "/var/lib/sluice");
  EXPECT_EQ(parsed.options->run_dir, "/etc/run");
}

TEST(Options, MistakesAreNamed) {
  EXPECT_EQ(parse({}).why, "-f FILE is missing");
  EXPECT_EQ(parse({"-f"}).why, "-f needs a value");
  EXPECT_EQ(parse({"-f", ""}).why, "-f needs a value");
  EXPECT_EQ(parse({"--hom", "/x"}).why, "--hom: unknown option");
  const Parsed missing = parse({"-f", "/nonexistent.yaml"});
  EXPECT_EQ(missing.options.error().code, Errc::not_found);
  EXPECT_EQ(
      missing.why,
      "cannot read the configuration /nonexistent.yaml (No such file or directory); check the path "
      "behind -f");
}

TEST(Reachable, EveryDirectoryAboveMustLetTheUserIn) {
  std::string root = "/tmp/sluice-reach-XXXXXX";
  ASSERT_NE(::mkdtemp(root.data()), nullptr);
  const std::string inner = root + "/inner";
  ASSERT_EQ(::mkdir(inner.c_str(), 0755), 0);
  const UserIds self{::geteuid(), ::getegid()};
  const UserIds other{54321, 54322};
  EXPECT_TRUE(is_reachable(inner, self));
  EXPECT_FALSE(is_reachable(inner, other)) << "0700 above";
  ASSERT_EQ(::chmod(root.c_str(), 0711), 0);
  EXPECT_TRUE(is_reachable(inner, other));
  EXPECT_FALSE(is_reachable(inner + "/absent", self));
  ::rmdir(inner.c_str());
  ::rmdir(root.c_str());
}

}  // namespace
}  // namespace sluice::supervisor
