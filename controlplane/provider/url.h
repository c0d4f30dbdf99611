// provider/url.h - http and https addresses: taken apart for the download, and shown without
// secrets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/common/result.h"

namespace sluice::provider {

struct Url {
  std::string text;    ///< ASCII: `host` as below, blanks and other bytes percent-encoded
  std::string scheme;  ///< "http" or "https"
  std::string host;  ///< name (lower case, A-labels, no dot at its end) or address without brackets
  std::uint16_t port = 0;
};

/// Errors: malformed; unsupported (another scheme).
[[nodiscard]] Result<Url> parse_url(std::string_view text);

/// "https://host:port/…/list.yaml": no user, password, query or fragment, and of the path only the
/// name of a file. Many services put the token that opens a list among its folders, or instead of
/// a name: without an extension that such files have it is "https://host:port/…". Something that is
/// no URL at all is "(not a URL)".
[[nodiscard]] std::string shown(std::string_view text);

/// Whether what was meant for the one (passwords, cookies) may go to the other.
[[nodiscard]] bool same_origin(const Url& a, const Url& b) noexcept;

}  // namespace sluice::provider
