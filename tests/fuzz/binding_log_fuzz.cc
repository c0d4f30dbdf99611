// Fuzz: the binding log's reader. What it accepts must come back from one record of everything.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <string>

#include "dataplane/recovery/binding_log.h"
#include "dataplane/recovery/binding_record.h"
#include "proto/contract/digest.h"

namespace {

std::map<sluice::IpAddress, std::string> names_of(const sluice::recovery::BindingTable& table) {
  std::map<sluice::IpAddress, std::string> out;
  for (const auto& binding : table.as_batch().add) out[binding.address] = binding.name;
  return out;
}

/// The input as a payload under a right checksum: mutations then reach the decoder behind it.
void check_payload(sluice::ByteView payload) {
  const sluice::contract::Digest check = sluice::contract::digest_of(payload);
  std::vector<std::byte> record(12);
  sluice::Writer head{record};
  head.u32be(static_cast<std::uint32_t>(payload.size()));
  head.bytes(sluice::ByteView(check).first(8));
  record.insert(record.end(), payload.begin(), payload.end());
  sluice::ByteView rest = record;
  const auto batch = sluice::recovery::take_record(rest);
  if (!batch) return;
  std::vector<std::byte> again;
  sluice::recovery::append_record(again, *batch);
  sluice::ByteView second = again;
  const auto same = sluice::recovery::take_record(second);
  if (!same || same->add.size() != batch->add.size() || same->remove != batch->remove) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice::recovery;
  const auto bytes = std::as_bytes(std::span(data, size));
  check_payload(bytes);
  BindingTable table;
  if (replay_bindings(bytes, table) > size) std::abort();

  std::vector<std::byte> record;
  append_record(record, table.as_batch());
  sluice::ByteView rest = record;
  auto batch = take_record(rest);
  if (!batch || !rest.empty()) std::abort();
  BindingTable again;
  again.apply(std::move(*batch));
  if (names_of(again) != names_of(table)) std::abort();
  return 0;
}
