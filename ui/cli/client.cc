#include "ui/cli/client.h"

#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <utility>

#include "proto/common/error_text.h"
#include "proto/common/unix_socket.h"
#include "sluice/v1/management.grpc.pb.h"
#include "ui/cli/run_dir.h"

namespace sluice::cli {
namespace {

/// A look answers from memory; loading and applying a configuration of 100,000 rules takes seconds.
constexpr std::chrono::seconds kLookTimeout{10};
constexpr std::chrono::seconds kApplyTimeout{120};
/// management.proto, head: the router's own answers carry this in the status details.
constexpr const char* kOwnDetails = "sluice";

Failure not_running(const std::string& run_dir, const std::string& why) {
  return {ExitCode::no_router, "no router is running in " + run_dir + " (cp/manage.sock: " + why +
                                   "); start one with `sluice run -f FILE`, or name its run "
                                   "directory with --run-dir"};
}

Failure not_allowed(const std::string& run_dir) {
  return {ExitCode::no_router,
          "the router in " + run_dir + " does not serve user " + std::to_string(::geteuid()) +
              "; become root, or have root add you to its group with `usermod -aG sluice USER` and "
              "log in again"};
}

Failure connect_failure(const std::string& run_dir, const Error& error) {
  if (error.sys == EACCES || error.sys == EPERM) return not_allowed(run_dir);
  if (error.code == Errc::too_large)
    return {ExitCode::no_router, "the run directory " + run_dir +
                                     " has too long a path for a socket; give a shorter one with "
                                     "--run-dir"};
  return not_running(run_dir, error.sys != 0 ? std::strerror(error.sys) : describe(error));
}

ExitCode exit_code_of(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::NOT_FOUND:
      return ExitCode::not_found;
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return ExitCode::unavailable;
    default:
      return ExitCode::refused;
  }
}

Failure call_failure(const std::string& run_dir, bool answered, const grpc::Status& status) {
  if (status.error_details() == kOwnDetails)
    return {exit_code_of(status.error_code()), status.error_message()};
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      // A connection that is closed before its first answer was refused, or the router just died.
      return answered ? not_running(run_dir, "the connection was closed") : not_allowed(run_dir);
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return {ExitCode::unavailable, "the router in " + run_dir +
                                         " did not answer in time; look at `sluice log`, or "
                                         "restart it"};
    case grpc::StatusCode::UNIMPLEMENTED:
      return {ExitCode::refused,
              "the running router does not know this command; restart it so that "
              "it has this program's version"};
    default:
      return {ExitCode::refused, "the router answered: " + status.error_message()};
  }
}

}  // namespace

class Client::Impl {
 public:
  Impl(std::string run_dir, std::unique_ptr<pb::Management::Stub> stub)
      : run_dir_(std::move(run_dir)), stub_(std::move(stub)) {}

  template <class Request, class Reply>
  Outcome<Reply> call(grpc::Status (pb::Management::Stub::*method)(grpc::ClientContext*,
                                                                   const Request&, Reply*),
                      const Request& request, std::chrono::seconds timeout = kLookTimeout) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + timeout);
    Reply reply;
    const grpc::Status status = (stub_.get()->*method)(&context, request, &reply);
    if (!status.ok()) return std::unexpected(call_failure(run_dir_, answered_, status));
    answered_ = true;
    return reply;
  }

  template <class Request, class Message>
  Outcome<void> stream(std::unique_ptr<grpc::ClientReader<Message>> (pb::Management::Stub::*method)(
                           grpc::ClientContext*, const Request&),
                       const Request& request, const std::function<bool(const Message&)>& take) {
    grpc::ClientContext context;
    const Streaming streaming(*this, context);
    const auto reader = (stub_.get()->*method)(&context, request);
    Message message;
    while (reader->Read(&message)) {
      answered_ = true;
      if (take(message)) continue;
      context.TryCancel();
      (void)reader->Finish();
      return {};
    }
    const grpc::Status status = reader->Finish();
    if (streaming.stopped()) return {};
    if (!status.ok()) return std::unexpected(call_failure(run_dir_, answered_, status));
    return {};
  }

  void stop_stream() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (stream_ != nullptr) stream_->TryCancel();
  }

 private:
  /// What stop_stream() cancels, while it lives.
  class Streaming {
   public:
    Streaming(Impl& impl, grpc::ClientContext& context) : impl_(impl) {
      const std::lock_guard lock(impl_.mutex_);
      impl_.stream_ = &context;
      if (impl_.stopped_) context.TryCancel();
    }
    Streaming(const Streaming&) = delete;
    Streaming& operator=(const Streaming&) = delete;
    ~Streaming() {
      const std::lock_guard lock(impl_.mutex_);
      impl_.stream_ = nullptr;
    }
    [[nodiscard]] bool stopped() const {
      const std::lock_guard lock(impl_.mutex_);
      return impl_.stopped_;
    }

   private:
    Impl& impl_;
  };

  std::string run_dir_;
  std::unique_ptr<pb::Management::Stub> stub_;
  bool answered_ = false;
  std::mutex mutex_;
  grpc::ClientContext* stream_ = nullptr;
  bool stopped_ = false;
};

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Outcome<Client> Client::connect(const std::string& run_dir) {
  Result<UniqueFd> fd = connect_unix(socket_of(run_dir));
  if (!fd) return std::unexpected(connect_failure(run_dir, fd.error()));
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);  // tables of flows and rules are as large as they are
  auto channel = grpc::CreateCustomInsecureChannelFromFd("manage.sock", fd->release(), arguments);
  return Client(std::make_unique<Impl>(run_dir, pb::Management::NewStub(channel)));
}

using Stub = pb::Management::Stub;

Outcome<pb::VersionReply> Client::version() {
  return impl_->call(&Stub::GetVersion, pb::GetVersionRequest());
}
Outcome<pb::StatusReply> Client::status() {
  return impl_->call(&Stub::GetStatus, pb::GetStatusRequest());
}
Outcome<pb::FlowTable> Client::flows() {
  return impl_->call(&Stub::ListFlows, pb::ListFlowsRequest());
}
Outcome<pb::CloseFlowsReply> Client::close_flows(const pb::CloseFlowsRequest& request) {
  return impl_->call(&Stub::CloseFlows, request);
}
Outcome<pb::StatsReply> Client::stats(const pb::GetStatsRequest& request) {
  return impl_->call(&Stub::GetStats, request);
}
Outcome<pb::MemoryReply> Client::memory() {
  return impl_->call(&Stub::GetMemory, pb::GetMemoryRequest());
}
void Client::stop_stream() {
  impl_->stop_stream();
}
Outcome<pb::ExplainReply> Client::explain(const pb::ExplainRequest& request) {
  return impl_->call(&Stub::Explain, request);
}
Outcome<pb::SelectReply> Client::select(const pb::SelectRequest& request) {
  return impl_->call(&Stub::Select, request);
}
Outcome<pb::RuleTable> Client::rules() {
  return impl_->call(&Stub::ListRules, pb::ListRulesRequest());
}
Outcome<pb::SetRulesReply> Client::set_rules(const pb::SetRulesRequest& request) {
  return impl_->call(&Stub::SetRules, request);
}
Outcome<pb::RuleProviderTable> Client::rule_providers() {
  return impl_->call(&Stub::ListRuleProviders, pb::ListRuleProvidersRequest());
}
Outcome<pb::ConfigCheckReply> Client::check(const pb::ConfigCheckRequest& request) {
  return impl_->call(&Stub::ConfigCheck, request, kApplyTimeout);
}
Outcome<pb::ConfigDiffReply> Client::diff(const pb::ConfigDiffRequest& request) {
  return impl_->call(&Stub::ConfigDiff, request, kApplyTimeout);
}
Outcome<pb::ConfigApplyReply> Client::apply(const pb::ConfigApplyRequest& request) {
  return impl_->call(&Stub::ConfigApply, request, kApplyTimeout);
}
Outcome<pb::ConfigConfirmReply> Client::confirm() {
  return impl_->call(&Stub::ConfigConfirm, pb::ConfigConfirmRequest());
}
Outcome<pb::ConfigRollbackReply> Client::rollback(std::uint32_t steps) {
  pb::ConfigRollbackRequest request;
  request.set_steps(steps);
  return impl_->call(&Stub::ConfigRollback, request, kApplyTimeout);
}
Outcome<pb::CaptureOpenReply> Client::capture_open() {
  return impl_->call(&Stub::CaptureOpen, pb::CaptureOpenRequest());
}

Outcome<void> Client::watch_flows(std::uint32_t interval_ms,
                                  const std::function<bool(const pb::FlowTable&)>& take) {
  pb::WatchFlowsRequest request;
  request.set_interval_ms(interval_ms);
  return impl_->stream(&Stub::WatchFlows, request, take);
}
Outcome<void> Client::update_rule_providers(
    const pb::UpdateRuleProvidersRequest& request,
    const std::function<bool(const pb::RuleProviderUpdates&)>& take) {
  return impl_->stream(&Stub::UpdateRuleProviders, request, take);
}
Outcome<void> Client::watch_log(const pb::WatchLogRequest& request,
                                const std::function<bool(const pb::LogBatch&)>& take) {
  return impl_->stream(&Stub::WatchLog, request, take);
}

}  // namespace sluice::cli
