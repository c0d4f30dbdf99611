#include "controlplane/provider/downloader.h"

#include <utility>

#include "controlplane/provider/transfer_failure.h"
#include "proto/common/error_text.h"

namespace sluice::provider {
namespace {

std::unexpected<FetchFailure> give_up(Error error, std::string reason) {
  return std::unexpected(FetchFailure{error, std::move(reason)});
}

std::string in_seconds(Millis span) {
  return std::to_string(span.count / 1000) + " s";
}

std::unexpected<FetchFailure> too_slow(const Patience& patience, bool silent) {
  return give_up({Errc::timeout, Side::upstream},
                 silent ? "was silent for " + in_seconds(patience.silence)
                        : "was not complete after " + in_seconds(patience.whole));
}

/// What an answer means that came whole.
FetchOutcome judge(Transfer& transfer, bool conditional) {
  const long status = transfer.status();
  if (status == 304 && conditional) return FetchReply{true, {}, {}};
  if (status != 200) return std::unexpected(answered_with(status, transfer.retry_after()));
  return FetchReply{false, transfer.take_body(), transfer.validators()};
}

}  // namespace

class Downloader::Lease {
 public:
  explicit Lease(Downloader& owner) noexcept : owner_(owner) { ++owner_.leases_; }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    if (--owner_.leases_ != 0) return;
    owner_.multi_.reset();
    owner_.trust_.reset();
  }

 private:
  Downloader& owner_;
};

/// One fetch on its way through redirects.
struct Downloader::Hop {
  const FetchRequest& request;
  Url first;
  Url url;  ///< where it is now
  Moment until;
  std::unique_ptr<Transfer> transfer;
  bool own = false;  ///< by our own sockets from now on
};

Task<FetchOutcome> Downloader::fetch(FetchRequest request, FetchSink& sink) {
  Task<Turns::Turn> asking = turns_.take();
  const Turns::Turn turn = co_await asking;
  const Lease lease(*this);
  if (!multi_) {
    auto made = CurlMulti::make(loop_);
    if (!made) co_return give_up(made.error(), describe(made.error()));
    multi_ = std::move(*made);
  }
  Task<FetchOutcome> following = follow(request, sink);
  co_return co_await following;
}

Task<FetchOutcome> Downloader::follow(const FetchRequest& request, FetchSink& sink) {
  Result<Url> first = parse_url(request.url);
  if (!first) co_return give_up(first.error(), "is no http or https address");
  Hop hop{request, *first,
          *first,  loop_.now() + options_.patience.whole,
          nullptr, options_.dial_socket.empty()};
  for (unsigned hops = 0; hops <= kMaxRedirects; ++hops) {
    Task<std::expected<std::string, FetchFailure>> exchanging = exchange(hop, sink);
    const std::expected<std::string, FetchFailure> next = co_await exchanging;
    if (!next) co_return std::unexpected(next.error());
    if (next->empty()) co_return judge(*hop.transfer, !request.validators.empty());
    Result<Url> url = parse_url(*next);
    if (!url) co_return give_up(url.error(), "redirects to something that is no http address");
    hop.url = std::move(*url);
  }
  co_return give_up({Errc::loop, Side::upstream},
                    "redirects more than " + std::to_string(kMaxRedirects) + " times");
}

Task<Status> Downloader::load_trust() {
  Task<Turns::Turn> asking = trust_turns_.take();
  const Turns::Turn turn = co_await asking;
  if (trust_) co_return Status();
  using Loaded = Result<std::shared_ptr<const Trust>>;
  std::function<Loaded()> job = [file = options_.certificates] { return Trust::load(file); };
  Task<Loaded> working = do_work<Loaded>(loop_, work_, std::move(job));
  Loaded loaded = co_await working;
  if (!loaded) co_return fail(loaded.error());
  trust_ = std::move(*loaded);
  co_return Status();
}

/// Addresses, certificates and route of the hop's request.
Task<std::expected<TransferOptions, FetchFailure>> Downloader::plan(const Hop& hop) {
  TransferOptions options;
  options.url = hop.url;
  options.request = &hop.request;
  if (!hop.own) options.dial_socket = options_.dial_socket;
  options.foreign = !same_origin(hop.first, hop.url);
  if (hop.url.scheme == "https") {
    Task<Status> loading = load_trust();
    if (const Status loaded = co_await loading; !loaded) {
      co_return give_up(loaded.error(), "needs certificates, and there are none in \"" +
                                            options_.certificates + "\" (ca-certificates)");
    }
    options.trust = trust_;
  }
  if (!hop.own || IpAddress::parse(hop.url.host)) co_return options;
  const Until until = Until(hop.until).earlier(loop_.now() + options_.patience.silence);
  Task<Result<std::vector<IpAddress>>> asking = names_.lookup(hop.url.host, until);
  Result<std::vector<IpAddress>> found = co_await asking;
  const Error error = found ? Error{Errc::no_address, Side::upstream} : found.error();
  if (!found || found->empty())
    co_return give_up(error, "has a name that does not resolve: " + describe(error));
  options.addresses = std::move(*found);
  co_return options;
}

/// One request to hop.url; afterwards hop.transfer holds a whole answer. The value: where that
/// redirects to, or empty. Without a data plane, or rules that would decide, it goes by our
/// own sockets; one that names a proxy never does.
Task<std::expected<std::string, FetchFailure>> Downloader::exchange(Hop& hop, FetchSink& sink) {
  Task<std::expected<std::string, FetchFailure>> trying = attempt(hop, sink);
  std::expected<std::string, FetchFailure> next = co_await trying;
  const bool away = !next && hop.transfer && hop.transfer->lacks_data_plane();
  if (!away || !hop.request.proxy.empty()) co_return next;
  hop.own = true;
  Task<std::expected<std::string, FetchFailure>> again = attempt(hop, sink);
  next = co_await again;
  co_return next;
}

Task<std::expected<std::string, FetchFailure>> Downloader::attempt(Hop& hop, FetchSink& sink) {
  hop.transfer.reset();
  Task<std::expected<TransferOptions, FetchFailure>> planning = plan(hop);
  std::expected<TransferOptions, FetchFailure> options = co_await planning;
  if (!options) co_return std::unexpected(options.error());
  Result<std::unique_ptr<Transfer>> started = Transfer::start(*multi_, loop_, std::move(*options));
  if (!started) co_return give_up(started.error(), describe(started.error()));
  hop.transfer = std::move(*started);
  Transfer& transfer = *hop.transfer;
  while (!transfer.ended()) {
    const Until until = Until(hop.until).earlier(loop_.now() + options_.patience.silence);
    const Status moved = co_await transfer.moved().wait(until);
    if (!moved) co_return too_slow(options_.patience, until.deadline < hop.until);
    transfer.moved().reset();
    if (const FetchProgress progress = transfer.progress(); progress.size != 0)
      sink.fetched(progress);
  }
  if (std::optional<FetchFailure> failure = transfer.failure())
    co_return std::unexpected(std::move(*failure));
  co_return transfer.redirect();
}

}  // namespace sluice::provider
