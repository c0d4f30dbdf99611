#include "dataplane/protocol/http/target.h"

#include "proto/common/text.h"

namespace sluice::http {
namespace {

constexpr std::uint16_t kHttpPort = 80;

/// The host may be bracketed; an empty port after the colon means none (RFC 3986 section 3.2.3).
Result<HostPort> split_authority(std::string_view text, std::uint16_t default_port) noexcept {
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  if (has_port && colon + 1 != text.size()) return split_host_port(text);
  std::string_view host = text.substr(0, has_port ? colon : text.size());
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return fail(Errc::malformed);
  return HostPort{host, default_port};
}

}  // namespace

Result<Destination> parse_authority(std::string_view target) {
  const auto parts = split_host_port(target);
  if (!parts || parts->port == 0) return fail(Errc::malformed);
  return Destination::from_host(parts->host, parts->port);
}

Result<AbsoluteTarget> parse_absolute(std::string_view method, std::string_view target) {
  constexpr std::string_view kScheme = "http://";
  if (!iequals(target.substr(0, kScheme.size()), kScheme)) return fail(Errc::unsupported);
  target.remove_prefix(kScheme.size());
  target = target.substr(0, target.find('#'));
  const std::size_t end = target.find_first_of("/?");
  const std::string_view authority = target.substr(0, end);
  // A user in a URI is refused (RFC 9110 section 4.2.4): it hides the host from a reader.
  if (authority.find('@') != std::string_view::npos) return fail(Errc::malformed);
  const auto parts = split_authority(authority, kHttpPort);
  if (!parts || parts->port == 0) return fail(Errc::malformed);
  auto to = Destination::from_host(parts->host, parts->port);
  if (!to) return fail(to.error());
  AbsoluteTarget out;
  out.to = std::move(*to);
  out.host = join_host_port(parts->host, parts->port);
  if (parts->port == kHttpPort) out.host.resize(out.host.rfind(':'));
  const std::string_view path =
      end == std::string_view::npos ? std::string_view() : target.substr(end);
  if (path.empty()) {
    out.path = method == "OPTIONS" ? "*" : "/";
  } else {
    if (path.front() == '?') out.path = "/";
    out.path += path;
  }
  return out;
}

}  // namespace sluice::http
