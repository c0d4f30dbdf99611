#include "controlplane/ruleformats/name_text.h"

#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::ruleformats {
namespace {

using Wildcards = NameText::Wildcards;

std::string_view reason(std::string_view text, Wildcards wildcards = Wildcards::labels) {
  NameText name;
  return name.assign(text, wildcards);
}

TEST(NameText, TakesOverWhatIsANameInLowerCase) {
  NameText name;
  for (const auto& [text, view] :
       {std::pair{"A.Test", "a.test"}, std::pair{"a.test.", "a.test"},
        std::pair{"_x-1.t", "_x-1.t"}, std::pair{"b\xc3\x9c.t", "b\xc3\x9c.t"}}) {
    EXPECT_EQ(name.assign(text, Wildcards::refused), "");
    EXPECT_EQ(name.view(), view);
    EXPECT_FALSE(name.wild());
  }
  EXPECT_EQ(name.assign("*.a.*", Wildcards::labels), "");
  EXPECT_TRUE(name.wild());
}

TEST(NameText, KeepsTheLengthsOfNamesAndLabels) {
  const std::string label(63, 'a');
  const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'b');
  EXPECT_EQ(longest.size(), kMaxName);
  EXPECT_EQ(reason(longest), "");
  EXPECT_EQ(reason(longest + "."), "");
  EXPECT_EQ(reason(longest + "b"), "is longer than a name can be");
  EXPECT_EQ(reason(label + "a.t"), "has a label of more than 63 characters");
}

TEST(NameText, SaysWhyATextIsNoName) {
  for (const char* text : {"", "."}) EXPECT_EQ(reason(text), "is empty") << text;
  for (const char* text : {".a", "a..b", "a.."})
    EXPECT_EQ(reason(text), "has an empty label") << text;
  for (const char* text : {"*a", "a*", "**", "a.*b"})
    EXPECT_EQ(reason(text), "has a `*` that is not a whole label") << text;
  for (const char* text : {"a b", "a/b", "a:1", "a\x7f", "a\n", "a@b",
                           "\xef\xbb\xbf"
                           "a"})
    EXPECT_EQ(reason(text), "has a character that no name has") << text;
  for (const char* text : {"\xff", "\xc3", "a\x80", "\xed\xa0\x80"})
    EXPECT_EQ(reason(text), "is not UTF-8") << text;
  EXPECT_EQ(reason("*.a", Wildcards::refused), "has a character that no name has");
}

}  // namespace
}  // namespace sluice::ruleformats
