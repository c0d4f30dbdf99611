// wire/names.h - name questions, answers and bindings, to and from protobuf.
#pragma once

#include <vector>

#include "proto/contract/names.h"
#include "proto/wire/refusal.h"
#include "sluice/v1/dataplane.pb.h"

namespace sluice::wire {

void encode(const contract::NameQuery& in, v1::NameQuery* out);
void encode(const contract::NameAnswer& in, v1::NameAnswer* out);
[[nodiscard]] Decoded<std::vector<contract::NameQuery>> decode(const v1::NamesDown& in);
[[nodiscard]] Decoded<std::vector<contract::NameAnswer>> decode(const v1::NamesUp& in);

void encode(const contract::Binding& in, v1::Binding* out);
/// The messages that carry one batch, each below the bound of a part; at least one.
[[nodiscard]] std::vector<v1::BindingPart> encode_parts(const contract::BindingBatch& in);

/// Puts a batch together from its parts.
class BatchAssembly {
 public:
  /// True when `part` completed the batch: take it with take(). After a refusal the assembly is
  /// unusable. Errors: parts of different batches, more than the bound, anything malformed.
  [[nodiscard]] Decoded<bool> add(const v1::BindingPart& part);
  [[nodiscard]] contract::BindingBatch take();

 private:
  contract::BindingBatch batch_;
  bool open_ = false;
};

}  // namespace sluice::wire
