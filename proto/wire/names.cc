#include "proto/wire/names.h"

#include <algorithm>
#include <utility>

#include "proto/wire/address.h"
#include "proto/wire/bounds.h"
#include "proto/wire/enums.h"

namespace sluice::wire {
namespace {

contract::NameQuery decode_query(const Scope& at, const v1::NameQuery& in) {
  contract::NameQuery out;
  out.id = in.id();
  out.name = at.name(in.name(), "name");
  if (in.name().empty()) at.refuse("name", "is empty");
  from_wire(at, "purpose", in.purpose(), out.purpose);
  out.depth = static_cast<std::uint8_t>(at.number(in.depth(), "depth", 255));
  out.v4 = in.v4();
  out.v6 = in.v6();
  return out;
}

contract::NameAnswer decode_answer(const Scope& at, const v1::NameAnswer& in) {
  contract::NameAnswer out;
  out.id = in.id();
  if (at.fits(static_cast<std::size_t>(in.addresses_size()), "addresses", kMaxAddresses)) {
    for (const std::string& address : in.addresses())
      out.addresses.push_back(at.address_item(address, "addresses", out.addresses.size()));
  }
  out.ttl_s = in.ttl_s();
  out.error = name_error_from_wire(in.error());
  if (out.error == Errc::none && out.addresses.empty())
    at.refuse("addresses", "is empty and no error says why");
  return out;
}

contract::Binding decode_binding(const Scope& at, const v1::Binding& in) {
  contract::Binding out;
  out.address = at.address(in.address(), "address");
  out.name = at.name(in.name(), "name");
  if (in.name().empty()) at.refuse("name", "is empty");
  out.fake = in.fake();
  if (at.fits(static_cast<std::size_t>(in.last_good_size()), "last_good", kMaxLastGood)) {
    for (const std::string& address : in.last_good())
      out.last_good.push_back(at.address_item(address, "last_good", out.last_good.size()));
  }
  return out;
}

}  // namespace

void encode(const contract::NameQuery& in, v1::NameQuery* out) {
  out->set_id(in.id);
  out->set_name(in.name);
  out->set_purpose(to_wire(in.purpose));
  out->set_depth(in.depth);
  out->set_v4(in.v4);
  out->set_v6(in.v6);
}

void encode(const contract::NameAnswer& in, v1::NameAnswer* out) {
  out->set_id(in.id);
  const std::size_t count = std::min(in.addresses.size(), kMaxAddresses);
  for (std::size_t i = 0; i < count; ++i) out->add_addresses(to_bytes(in.addresses[i]));
  out->set_ttl_s(in.ttl_s);
  const bool silent = in.error == Errc::none && in.addresses.empty();
  out->set_error(silent ? v1::NAME_ERROR_NO_ADDRESS : name_error_to_wire(in.error));
}

Decoded<std::vector<contract::NameQuery>> decode(const v1::NamesDown& in) {
  Finding found;
  const Scope root(found);
  std::vector<contract::NameQuery> out;
  if (root.fits(static_cast<std::size_t>(in.queries_size()), "queries", kMaxAnswers)) {
    for (const v1::NameQuery& query : in.queries())
      out.push_back(decode_query(Scope(root, "queries", out.size()), query));
  }
  return found.take(std::move(out));
}

Decoded<std::vector<contract::NameAnswer>> decode(const v1::NamesUp& in) {
  Finding found;
  const Scope root(found);
  std::vector<contract::NameAnswer> out;
  if (root.fits(static_cast<std::size_t>(in.answers_size()), "answers", kMaxAnswers)) {
    for (const v1::NameAnswer& answer : in.answers())
      out.push_back(decode_answer(Scope(root, "answers", out.size()), answer));
  }
  return found.take(std::move(out));
}

void encode(const contract::Binding& in, v1::Binding* out) {
  out->set_address(to_bytes(in.address));
  out->set_name(in.name);
  out->set_fake(in.fake);
  const std::size_t count = std::min(in.last_good.size(), kMaxLastGood);
  for (std::size_t i = 0; i < count; ++i) out->add_last_good(to_bytes(in.last_good[i]));
}

std::vector<v1::BindingPart> encode_parts(const contract::BindingBatch& in) {
  // 256 KiB of names at most: half of a message, whatever the addresses add.
  std::vector<v1::BindingPart> parts;
  std::size_t added = 0;
  std::size_t removed = 0;
  do {
    v1::BindingPart& part = parts.emplace_back();
    part.set_number(in.number);
    part.set_replace(in.replace);
    std::size_t size = 0;
    while (removed < in.remove.size() &&
           static_cast<std::size_t>(part.remove_size()) < kMaxPartBindings)
      part.add_remove(to_bytes(in.remove[removed++]));
    while (added < in.add.size() && static_cast<std::size_t>(part.add_size()) < kMaxPartBindings &&
           size < kMaxPiece) {
      size += in.add[added].name.size() + 18 * (2 + in.add[added].last_good.size());
      encode(in.add[added++], part.add_add());
    }
    part.set_more(added < in.add.size() || removed < in.remove.size());
  } while (parts.back().more());
  return parts;
}

Decoded<bool> BatchAssembly::add(const v1::BindingPart& part) {
  Finding found;
  const Scope root(found);
  if (!open_) {
    batch_ = contract::BindingBatch{};
    batch_.number = part.number();
    batch_.replace = part.replace();
    open_ = true;
  }
  if (part.number() != batch_.number) root.refuse("number", "changes within a batch");
  if (part.replace() != batch_.replace) root.refuse("replace", "changes within a batch");
  const auto adds = static_cast<std::size_t>(part.add_size());
  const auto removes = static_cast<std::size_t>(part.remove_size());
  if (root.fits(adds, "add", kMaxPartBindings) &&
      root.fits(batch_.add.size() + adds, "add", kMaxBatchBindings)) {
    for (const v1::Binding& binding : part.add())
      batch_.add.push_back(decode_binding(Scope(root, "add", batch_.add.size()), binding));
  }
  if (root.fits(removes, "remove", kMaxPartBindings) &&
      root.fits(batch_.remove.size() + removes, "remove", kMaxBatchBindings)) {
    for (const std::string& address : part.remove())
      batch_.remove.push_back(root.address_item(address, "remove", batch_.remove.size()));
  }
  return found.take(!part.more());
}

contract::BindingBatch BatchAssembly::take() {
  open_ = false;
  return std::exchange(batch_, {});
}

}  // namespace sluice::wire
