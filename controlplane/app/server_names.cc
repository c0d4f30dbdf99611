#include "controlplane/app/server_names.h"

#include <memory>
#include <utility>

#include "controlplane/app/later.h"

namespace sluice::control_plane {

Task<Result<std::vector<IpAddress>>> ServerNames::lookup(std::string host, Until until) {
  contract::NameQuery query;
  query.name = std::move(host);
  query.purpose = contract::NamePurpose::direct;
  auto later = std::make_shared<Later<contract::NameAnswer>>(home_);
  names_.resolve(query, [later](contract::NameAnswer answer) { later->fill(std::move(answer)); });
  const Status answered = co_await later->filled(until);
  if (!answered) co_return fail(answered.error());
  contract::NameAnswer answer = later->take();
  if (answer.error != Errc::none) co_return fail(answer.error, Side::upstream);
  if (answer.addresses.empty()) co_return fail(Errc::no_address, Side::upstream);
  co_return std::move(answer.addresses);
}

}  // namespace sluice::control_plane
