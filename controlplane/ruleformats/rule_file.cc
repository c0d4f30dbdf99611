#include "controlplane/ruleformats/rule_file.h"

#include <array>

#include "controlplane/ruleformats/adguard_list.h"
#include "controlplane/ruleformats/hosts_list.h"
#include "controlplane/ruleformats/mrs.h"
#include "controlplane/ruleformats/sing_json.h"
#include "controlplane/ruleformats/srs.h"
#include "controlplane/ruleformats/text_list.h"
#include "controlplane/ruleformats/yaml_list.h"
#include "proto/common/text.h"

namespace sluice::ruleformats {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"text", "yaml",    "mrs",  "srs",
                                                    "json", "adguard", "hosts"};

struct Ending {
  std::string_view text;
  Format format;
};
constexpr Ending kEndings[] = {{".txt", Format::text},  {".list", Format::text},
                               {".yaml", Format::yaml}, {".yml", Format::yaml},
                               {".mrs", Format::mrs},   {".srs", Format::srs},
                               {".json", Format::json}, {"hosts", Format::hosts}};

}  // namespace

std::string_view to_text(Format format) noexcept {
  return kNames[static_cast<std::size_t>(format)];
}

Result<Format> parse_format(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<Format>(i);
  return fail(Errc::not_found);
}

std::optional<Format> guess_format(std::string_view file_name, ByteView start) noexcept {
  const std::string_view head = as_text(start);
  if (head.starts_with("\x28\xb5\x2f\xfd")) return Format::mrs;
  if (head.starts_with("SRS")) return Format::srs;
  if (head.starts_with('{')) return Format::json;
  if (head.starts_with("[Adblock") || head.starts_with("! ")) return Format::adguard;
  for (const Ending& ending : kEndings) {
    const std::size_t size = ending.text.size();
    if (file_name.size() >= size && iequals(file_name.substr(file_name.size() - size), ending.text))
      return ending.format;
  }
  return std::nullopt;
}

Outcome<Tally> read_rule_file(Format format, Behavior behavior, ByteView file, const Bounds& bounds,
                              Entries& to) {
  const bool only_names = format == Format::adguard || format == Format::hosts;
  if (only_names && behavior != Behavior::domain)
    return refuse(Errc::unsupported, 0, "is of a format that holds names only");
  switch (format) {
    case Format::text:
      return read_text_list(file, behavior, bounds, to);
    case Format::yaml:
      return read_yaml_list(file, behavior, bounds, to);
    case Format::mrs:
      return read_mrs(file, behavior, bounds, to);
    case Format::srs:
      return read_srs(file, bounds, to);
    case Format::json:
      return read_sing_json(file, bounds, to);
    case Format::adguard:
      return read_adguard_list(file, bounds, to);
    case Format::hosts:
      return read_hosts_list(file, bounds, to);
  }
  return refuse(Errc::unsupported, 0, "is of an unknown format");
}

}  // namespace sluice::ruleformats
