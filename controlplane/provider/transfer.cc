#include "controlplane/provider/transfer.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "controlplane/provider/bounds.h"
#include "controlplane/provider/transfer_failure.h"
#include "proto/common/text.h"

namespace sluice::provider {
namespace {

constexpr std::string_view kEncodingHeader = "content-encoding:";
/// Bytes that gzip adds to what it cannot compress: 5 each 16 KiB, and a header with a file name.
constexpr std::size_t kGrowthShare = 1000;
constexpr std::size_t kMaxGzipHeader = 1024;

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) noexcept {
  return std::ranges::any_of(words, [&](std::string_view word) { return iequals(text, word); });
}

/// What Go's client, and so Mihomo, keeps from another origin.
bool is_secret(std::string_view name) noexcept {
  return one_of(name,
                {"Authorization", "Www-Authenticate", "Cookie", "Cookie2", "Proxy-Authorization"});
}

/// Without `%2F` for slashes: the path of a Unix socket inside a proxy's address.
std::string escape(CURL* easy, std::string_view text, bool keep_slash) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = keep_slash ? std::min(text.find('/'), text.size()) : text.size();
    // A length of 0 would mean strlen.
    if (end != 0) {
      char* raw = curl_easy_escape(easy, text.data(), static_cast<int>(end));
      if (raw != nullptr) out += raw;
      curl_free(raw);
    }
    text.remove_prefix(end);
    if (text.empty()) break;
    out += '/';
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<Transfer>> Transfer::start(CurlMulti& multi, Loop& loop,
                                                  TransferOptions options) {
  std::unique_ptr<Transfer> out(new Transfer(multi, loop, std::move(options)));
  out->easy_.reset(curl_easy_init());
  if (!out->easy_ || !out->prepare()) return fail(Errc::no_room);
  if (const Status added = multi.add(out->easy_.get(), *out); !added) return fail(added.error());
  return out;
}

Transfer::~Transfer() {
  if (easy_) multi_.remove(easy_.get());
}

bool Transfer::append(List& list, const std::string& line) {
  curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) return false;
  (void)list.release();
  list.reset(longer);
  return true;
}

bool Transfer::prepare() {
  // What is announced is the encoded size, at worst a little more than the decoded one.
  const std::size_t announced =
      options_.request->most + options_.request->most / kGrowthShare + kMaxGzipHeader;
  return set(CURLOPT_URL, options_.url.text.c_str()) && set(CURLOPT_PROTOCOLS_STR, "http,https") &&
         set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1)) &&
         set(CURLOPT_HTTP_CONTENT_DECODING, 0L) &&
         set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(announced)) &&
         set(CURLOPT_FOLLOWLOCATION, 0L) && set(CURLOPT_NOSIGNAL, 1L) &&
         set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(kSilence.count)) &&
         set(CURLOPT_ERRORBUFFER, text_.data()) && set(CURLOPT_WRITEFUNCTION, &on_body) &&
         set(CURLOPT_WRITEDATA, this) && set(CURLOPT_HEADERFUNCTION, &on_header) &&
         set(CURLOPT_HEADERDATA, this) && prepare_route() && prepare_trust() && prepare_headers();
}

bool Transfer::prepare_route() {
  // NOPROXY too: neither may come from the environment.
  if (!set(CURLOPT_NOPROXY, "")) return false;
  if (!options_.dial_socket.empty()) {
    // facts of libcurl 7.88: the host must be `localhost`, and both texts are percent-decoded.
    const std::string at = "socks5h://localhost" + escape(easy_.get(), options_.dial_socket, true);
    const std::string& proxy = options_.request->proxy;
    if (!set(CURLOPT_PROXY, at.c_str()) ||
        !set(CURLOPT_SOCKS5_AUTH, static_cast<long>(CURLAUTH_BASIC)))
      return false;
    if (proxy.empty()) return true;  // without a user name the rules decide
    const std::string user = escape(easy_.get(), proxy, false);
    return set(CURLOPT_PROXYUSERNAME, user.c_str()) && set(CURLOPT_PROXYPASSWORD, "");
  }
  if (!set(CURLOPT_PROXY, "")) return false;
  if (options_.addresses.empty()) return true;  // the host is an address
  std::string line = options_.url.host + ":" + std::to_string(options_.url.port) + ":";
  for (const IpAddress& address : options_.addresses) {
    if (line.back() != ':') line += ',';
    line += address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
  }
  return append(addresses_, line) && set(CURLOPT_RESOLVE, addresses_.get());
}

bool Transfer::prepare_trust() {
  if (!options_.trust) return true;
  const char* const none = nullptr;
  return set(CURLOPT_CAINFO, none) && set(CURLOPT_CAPATH, none) &&
         set(CURLOPT_SSL_CTX_FUNCTION, &on_tls) && set(CURLOPT_SSL_CTX_DATA, this);
}

CURLcode Transfer::on_tls(CURL*, void* context, void* self) noexcept {
  static_cast<Transfer*>(self)->options_.trust->install(static_cast<SSL_CTX*>(context));
  return CURLE_OK;
}

bool Transfer::add_header(const std::string& name, const std::string& value) {
  // libcurl's form of an empty field is "Name;".
  return append(headers_, value.empty() ? name + ";" : name + ": " + value);
}

bool Transfer::prepare_headers() {
  const FetchRequest& request = *options_.request;
  bool agent = false;
  for (const auto& [name, values] : request.headers) {
    if (options_.foreign && is_secret(name)) continue;
    // Ours to decide: what is decoded, and of which version.
    if (one_of(name, {"Accept-Encoding", "If-None-Match", "If-Modified-Since", "Range"})) continue;
    agent = agent || iequals(name, "User-Agent");
    for (const std::string& value : values)
      if (!add_header(name, value)) return false;
  }
  if (!add_header("Accept-Encoding", "gzip")) return false;
  const Validators& known = request.validators;
  if (!known.etag.empty() && !add_header("If-None-Match", known.etag)) return false;
  if (!known.last_modified.empty() && !add_header("If-Modified-Since", known.last_modified))
    return false;
  if (!agent && !request.user_agent.empty() && !set(CURLOPT_USERAGENT, request.user_agent.c_str()))
    return false;
  return set(CURLOPT_HTTPHEADER, headers_.get());
}

bool Transfer::keep(std::string_view bytes) {
  const std::size_t most = options_.request->most;
  if (unzip_) {
    const Status fed = unzip_->feed(bytes, body_, most);
    if (!fed) stop_ = fed.error().code == Errc::too_large ? Stop::too_large : Stop::damaged;
    return fed.has_value();
  }
  if (bytes.size() > most - body_.size()) {
    stop_ = Stop::too_large;
    return false;
  }
  if (body_.empty()) body_.reserve(std::min<std::uint64_t>(progress().total, most));
  body_ += bytes;
  return true;
}

/// Pages of other statuses are not kept. One that tells of an error has told it with its status and
/// need not end; where a redirect leads, libcurl says at its end.
bool Transfer::pass_over(std::size_t count) noexcept {
  passed_over_ += count;
  if (status() / 100 == 3 || passed_over_ <= kMaxErrorPage) return true;
  stop_ = Stop::enough;
  return false;
}

std::size_t Transfer::on_body(char* bytes, std::size_t, std::size_t count, void* self) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.moved_.set();
  const bool go_on =
      transfer.status() == 200 ? transfer.keep({bytes, count}) : transfer.pass_over(count);
  return go_on ? count : 0;
}

std::size_t Transfer::on_header(char* line, std::size_t, std::size_t count, void* self) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.moved_.set();
  const std::string_view text(line, count);
  if (trim(text).empty()) transfer.head_whole_ = true;
  if (text.size() < kEncodingHeader.size() ||
      !iequals(text.substr(0, kEncodingHeader.size()), kEncodingHeader))
    return count;
  const std::string_view encoding = trim(text.substr(kEncodingHeader.size()));
  if (encoding.empty() || iequals(encoding, "identity")) return count;
  if (transfer.unzip_ || !one_of(encoding, {"gzip", "x-gzip"})) {
    transfer.stop_ = Stop::encoding;
    return 0;
  }
  transfer.unzip_.emplace();
  return count;
}

void Transfer::ended(CURLcode code) noexcept {
  code_ = code;
  moved_.set();
}

FetchProgress Transfer::progress() const noexcept {
  curl_off_t total = 0;
  if (!unzip_) curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &total);
  return {body_.size(), total > 0 ? static_cast<std::uint64_t>(total) : 0};
}

bool Transfer::lacks_data_plane() const noexcept {
  if (options_.dial_socket.empty()) return false;
  if (*code_ == CURLE_COULDNT_CONNECT) return true;
  if (*code_ != CURLE_PROXY) return false;
  long reply = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_PROXY_ERROR, &reply);
  // Not CURLPX_CLOSED: libcurl says so of an end after the wish, too, which the rules have decided.
  return reply == CURLPX_NO_AUTH;
}

std::optional<FetchFailure> Transfer::failure() const {
  if (stop_ == Stop::enough) return std::nullopt;
  const FetchRequest& request = *options_.request;
  const bool cut = *code_ == CURLE_OK && status() == 200 && unzip_ && !unzip_->whole();
  if (stop_ == Stop::damaged || cut)
    return FetchFailure{{Errc::malformed, Side::upstream}, "sent damaged compressed content"};
  if (stop_ == Stop::too_large || *code_ == CURLE_FILESIZE_EXCEEDED)
    return larger_than(request.most);
  if (stop_ == Stop::encoding) {
    return FetchFailure{{Errc::unsupported, Side::upstream},
                        "used a content encoding that was not asked for"};
  }
  if (*code_ != CURLE_OK) {
    if (lacks_data_plane()) return without_data_plane();
    return failure_of(easy_.get(), *code_, text_.data(), request.proxy);
  }
  // libcurl takes an answer that ends among its header lines for one without a body.
  if (!head_whole_) return FetchFailure{{Errc::truncated, Side::upstream}, "ended in its header"};
  return std::nullopt;
}

long Transfer::status() const noexcept {
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  return status;
}

std::string Transfer::redirect() const {
  char* place = nullptr;  // the handle's
  curl_easy_getinfo(easy_.get(), CURLINFO_REDIRECT_URL, &place);
  return place == nullptr ? "" : place;
}

Millis Transfer::retry_after() const noexcept {
  curl_off_t seconds = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RETRY_AFTER, &seconds);
  return std::min(Millis{std::min<curl_off_t>(seconds, 86'400) * 1000}, kRetryAfterMost);
}

std::string Transfer::header(const char* name) const {
  curl_header* found = nullptr;
  const CURLHcode rc = curl_easy_header(easy_.get(), name, 0, CURLH_HEADER, -1, &found);
  if (rc != CURLHE_OK) return {};
  std::string value = found->value;
  return value.size() <= kMaxValidator ? value : std::string();
}

Validators Transfer::validators() const {
  return {header("ETag"), header("Last-Modified")};
}

}  // namespace sluice::provider
