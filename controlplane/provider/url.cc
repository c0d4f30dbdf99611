#include "controlplane/provider/url.h"

#include <curl/curl.h>
#include <idn2.h>

#include <algorithm>
#include <memory>

#include "proto/common/text.h"

namespace sluice::provider {
namespace {

struct FreeUrl {
  void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
};
using Handle = std::unique_ptr<CURLU, FreeUrl>;

struct FreePart {
  void operator()(char* part) const noexcept { curl_free(part); }
};
struct FreeLabel {
  void operator()(std::uint8_t* label) const noexcept { idn2_free(label); }
};

Handle parse(std::string_view text) {
  Handle url(curl_url());
  const std::string input(text);
  if (!url || curl_url_set(url.get(), CURLUPART_URL, input.c_str(), CURLU_URLENCODE) != CURLUE_OK)
    return nullptr;
  return url;
}

std::string part(const Handle& url, CURLUPart which, unsigned flags = 0) {
  char* raw = nullptr;
  if (curl_url_get(url.get(), which, &raw, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, FreePart> owned(raw);
  return owned.get();
}

bool is_ascii(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// U-labels as A-labels, which libcurl does only under a UTF-8 locale, and a service has none.
Result<std::string> to_ascii(std::string host) {
  if (is_ascii(host)) return host;
  std::uint8_t* raw = nullptr;
  const int rc = idn2_lookup_u8(reinterpret_cast<const std::uint8_t*>(host.c_str()), &raw,
                                IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  const std::unique_ptr<std::uint8_t, FreeLabel> owned(raw);
  if (rc != IDN2_OK) return fail(Errc::malformed);
  return std::string(reinterpret_cast<const char*>(owned.get()));
}

/// The one spelling of the host: lower case, A-labels, no dot at its end.
bool normalize_host(const Handle& url) {
  Result<std::string> host = to_ascii(part(url, CURLUPART_HOST));
  if (!host) return false;
  std::ranges::transform(*host, host->begin(), to_lower);
  if (host->ends_with('.')) host->pop_back();
  return curl_url_set(url.get(), CURLUPART_HOST, host->c_str(), 0) == CURLUE_OK;
}

/// Whether a path's last part names a file of a kind that providers read.
bool is_file_name(std::string_view name) noexcept {
  constexpr std::string_view kExtensions[] = {"yaml", "yml",  "txt",    "list", "conf", "mrs",
                                              "srs",  "json", "metadb", "mmdb", "dat"};
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  return std::ranges::any_of(
      kExtensions, [&](std::string_view known) { return iequals(name.substr(dot + 1), known); });
}

/// `path` begins with a slash.
std::string shown_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (path.size() <= 1 || slash == std::string_view::npos) return std::string(path);
  const std::string_view name = path.substr(slash + 1);
  const std::string_view folders = slash == 0 ? "/" : "/…/";
  return is_file_name(name) ? std::string(folders).append(name) : "/…";
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  // A NUL would end the text early inside libcurl.
  if (text.find('\0') != std::string_view::npos) return fail(Errc::malformed);
  const Handle handle = parse(text);
  if (!handle) return fail(Errc::malformed);
  Url url;
  url.scheme = part(handle, CURLUPART_SCHEME);
  if (url.scheme != "http" && url.scheme != "https") return fail(Errc::unsupported);
  if (!normalize_host(handle)) return fail(Errc::malformed);
  url.host = part(handle, CURLUPART_HOST);
  if (url.host.starts_with('[')) url.host = url.host.substr(1, url.host.size() - 2);
  const auto port = parse_number(part(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT), 65535);
  if (url.host.empty() || !port) return fail(Errc::malformed);
  url.port = static_cast<std::uint16_t>(*port);
  url.text = part(handle, CURLUPART_URL);
  return url;
}

std::string shown(std::string_view text) {
  const Handle url = parse(text);
  if (!url) return "(not a URL)";
  std::string out = part(url, CURLUPART_SCHEME) + "://" + part(url, CURLUPART_HOST);
  if (const std::string port = part(url, CURLUPART_PORT); !port.empty()) out += ":" + port;
  return out + shown_path(part(url, CURLUPART_PATH));
}

bool same_origin(const Url& a, const Url& b) noexcept {
  return a.scheme == b.scheme && a.port == b.port && a.host == b.host;
}

}  // namespace sluice::provider
