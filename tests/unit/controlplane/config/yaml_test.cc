#include "controlplane/config/yaml.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace sluice::config {
namespace {

using model::Document;
using model::Node;

// The tree as one line: {key: "quoted", list: [plain, {…}]}.
std::string print(const Node& node) {
  std::string out;
  switch (node.kind) {
    case Node::Kind::scalar:
      return node.quoted ? "\"" + std::string(node.text) + "\"" : std::string(node.text);
    case Node::Kind::sequence:
      for (const Node* item : node.items) out += (out.empty() ? "" : ", ") + print(*item);
      return "[" + out + "]";
    case Node::Kind::mapping:
      for (const auto& m : node.members)
        out += (out.empty() ? "" : ", ") + std::string(m.key) + ": " + print(*m.value);
      return "{" + out + "}";
  }
  return out;
}

std::string read(std::string_view text) {
  const YamlResult result = read_yaml(text, "f.yaml");
  if (result.document) return result.document->root() ? print(*result.document->root()) : "nothing";
  std::string out;
  for (const auto& d : result.diagnostics) out += (out.empty() ? "" : "\n") + d.to_text();
  return out;
}

TEST(Yaml, KeepsScalarsAsWritten) {
  EXPECT_EQ(read("a: 0983e134\nb: 0x10\nc: yes\nd: '1'\ne: !!str 12\nf: ~\ng:\n"),
            "{a: 0983e134, b: 0x10, c: yes, d: \"1\", e: \"12\", f: ~, g: }");
}

TEST(Yaml, DecodesEscapesAndBlocks) {
  EXPECT_EQ(read("a: \"\\U0001F1ED\\U0001F1F0 HK\"\nb: |\n  x\n  y\nc: >-\n  x\n  y\n"),
            "{a: \"🇭🇰 HK\", b: \"x\ny\n\", c: \"x y\"}");
}

TEST(Yaml, ReadsAByteOrderMarkAndCrLf) {
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "a: 1\r\nb:\r\n  - x\r\n  - y z\r\n"),
            "{a: 1, b: [x, y z]}");
}

TEST(Yaml, EmptyTextsHoldNothing) {
  EXPECT_EQ(read(""), "nothing");
  EXPECT_EQ(read("# only a comment\n"), "nothing");
  EXPECT_EQ(read("\xef\xbb\xbf"), "nothing");
}

TEST(Yaml, GivesPositionsOfKeysAndValues) {
  const YamlResult result = read_yaml("a: 1\nlist:\n  - {🇭🇰: x, k: v}\n", "f.yaml");
  ASSERT_TRUE(result.document);
  const Node& root = *result.document->root();
  EXPECT_EQ(root.find("a")->position(), (model::Position{1, 1}));
  EXPECT_EQ(root.find("a")->value->position(), (model::Position{1, 4}));
  const Node& item = *root.find("list")->value->items[0];
  EXPECT_EQ(item.position(), (model::Position{3, 5}));
  EXPECT_EQ(item.find("k")->position(), (model::Position{3, 13}));  // characters, not bytes
  EXPECT_EQ(item.find("missing"), nullptr);
}

TEST(Yaml, MergesRecursivelyAndOwnKeysWin) {
  EXPECT_EQ(read("p: &p {t: select, i: 300}\nq: &q {<<: *p, i: 60}\nr: {n: x, <<: *q, j: 1}\n"),
            "{p: {t: select, i: 300}, q: {t: select, i: 60}, r: {n: x, t: select, i: 60, j: 1}}");
  // A key that stands before or after `<<` wins all the same.
  EXPECT_EQ(read("p: &p {a: 1, b: 1}\nq: {a: 2, <<: *p, b: 2}\n"),
            "{p: {a: 1, b: 1}, q: {a: 2, b: 2}}");
}

TEST(Yaml, InAListTheEarlierAnchorWins) {
  EXPECT_EQ(read("a: &a {x: 1}\nb: &b {x: 2, y: 2}\nc: {<<: [*a, *b, {z: 3}]}\n"),
            "{a: {x: 1}, b: {x: 2, y: 2}, c: {x: 1, y: 2, z: 3}}");
}

TEST(Yaml, OnlyAPlainMergeKeyMerges) {
  EXPECT_EQ(read("a: {\"<<\": {x: 1}}\n"), "{a: {<<: {x: 1}}}");
}

TEST(Yaml, MergingSomethingElseIsAnError) {
  EXPECT_EQ(
      read("a: {<<: 4}\n"),
      "f.yaml:1:9: a.<<: `<<` needs a map or a list of maps; merge an anchored map: <<: *name");
  EXPECT_NE(read("a: {<<: [{x: 1}, 2]}\n").find("f.yaml:1:9: a.<<: "), std::string::npos);
}

TEST(Yaml, EveryDuplicateKeyIsReported) {
  EXPECT_EQ(read("a: 1\nb:\n  - {x: 1, x: 2}\na: 3\n"),
            "f.yaml:3:12: b[0]: key \"x\" is written twice in one map, first on line 3; keep one "
            "of them\n"
            "f.yaml:4:1: key \"a\" is written twice in one map, first on line 1; keep one of them");
  EXPECT_EQ(read("a: &a {x: 1}\nb:\n  <<: *a\n  <<: *a\n"),
            "f.yaml:4:3: b: key \"<<\" is written twice in one map, first on line 3; "
            "merge several anchors with one list: <<: [*a, *b]");
}

TEST(Yaml, UnknownAnchorsAreAllReported) {
  EXPECT_EQ(
      read("a: *one\nb: {<<: *two}\n"),
      "f.yaml:1:4: a: unknown anchor *one; write &one above this line, or correct the name\n"
      "f.yaml:2:9: b.<<: unknown anchor *two; write &two above this line, or correct the name");
}

TEST(Yaml, AnAliasMeansTheLastAnchorAboveIt) {
  EXPECT_EQ(read("a: &x 1\nb: *x\nc: &x 2\nd: *x\n"), "{a: 1, b: 1, c: 2, d: 2}");
}

TEST(Yaml, AnAnchorCannotContainItself) {
  EXPECT_EQ(
      read("a: &x [1, *x]\n"),
      "f.yaml:1:11: a[1]: alias *x stands inside its own anchor; an anchor cannot contain itself");
}

TEST(Yaml, RefusesKeysThatAreNotText) {
  EXPECT_NE(read("? [a, b]\n: 1\n").find("a key must be plain text"), std::string::npos);
}

TEST(Yaml, RefusesASecondDocument) {
  EXPECT_EQ(read("---\na: 1\n"), "{a: 1}");
  EXPECT_NE(read("a: 1\n---\nb: 2\n").find("f.yaml:2:1: a second document"), std::string::npos);
}

TEST(Yaml, NamesThePlaceOfASyntaxError) {
  EXPECT_EQ(read("a: \"\\q\"\n").substr(0, 11), "f.yaml:1:5:");
  EXPECT_NE(read("a: [1\nb: 2\n").find("without a closing bracket"), std::string::npos);
}

// Tabs look like blanks, and the parser stops at them for several reasons.
TEST(Yaml, NamesATabInTheIndentation) {
  const std::string said =
      "this line is indented with a tab, which YAML does not allow; indent with spaces: replace "
      "every tab at the start of a line";
  EXPECT_EQ(read("a:\n\tb: 1\n"), "f.yaml:2:1: a: " + said);
  EXPECT_EQ(read("a:\n  b: 1\n\tc: 2\n"), "f.yaml:3:1: a.b: " + said);
  EXPECT_EQ(read("a:\n  - b: 1\n  \tc: 2\n"), "f.yaml:3:3: a[0].b: " + said);
  EXPECT_EQ(read("\ta: 1\n"), "f.yaml:1:1: " + said);
  EXPECT_EQ(read("a: 1\n\tb: 2\n"), "f.yaml:2:1: a: " + said);
  // Where YAML allows tabs they are nobody's business.
  EXPECT_EQ(read("a:\t{\n\tb: 1\n}\n"), "{a: {b: 1}}");
  EXPECT_EQ(read("a: 1 : 2\n\t# note\n").find("tab"), std::string::npos);
}

TEST(Yaml, NamesUtf16) {
  EXPECT_EQ(read(std::string_view("\xff\xfe"
                                  "a\0:\0",
                                  6)),
            "f.yaml:1:1: the file is UTF-16, not UTF-8; save it as UTF-8");
}

// Nine lines of nine aliases each stand for 9^9 nodes.
TEST(Yaml, RefusesABillionLaughs) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) text += (k > 0 ? ", " : "") + below;
    text += "]\n";
  }
  EXPECT_NE(read(text).find("more than 1000000 values, aliases counted in full"),
            std::string::npos);
}

TEST(Yaml, RefusesDeepNestingAndLargeTexts) {
  EXPECT_NE(read(std::string(100'000, '[')).find("nested deeper than 64 levels"),
            std::string::npos);
  const YamlResult result =
      read_yaml("a: 1234567\n", "f.yaml", {.bytes = 5, .nodes = 9, .depth = 9});
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_NE(result.diagnostics[0].to_text().find("larger than"), std::string::npos);
}

// Every prefix of a text with all constructs either reads or names a place; none crashes.
TEST(Yaml, EveryPrefixIsReadOrRefusedWithAPlace) {
  const std::string text =
      "a: &a {x: \"\\U0001F1ED\", y: [1, *b]}\nb: &b\n  - |\n    t\n  - 'q'\nc: {<<: [*a], z: "
      "!!str 1}\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const YamlResult result = read_yaml(std::string_view(text).substr(0, cut), "f.yaml");
    EXPECT_EQ(result.document.has_value(), result.diagnostics.empty()) << cut;
    for (const auto& d : result.diagnostics) EXPECT_GE(d.line, 1U) << cut;
  }
}

}  // namespace
}  // namespace sluice::config
