// cli/top_view.h - what `sluice top` shows and what keys do to it.
//
//   keys ──> TopView <── tables         frame(): one screen        table(): once, without a
//   terminal
//
// Pure: no terminal, time is a parameter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ui/cli/flow_filter.h"
#include "ui/cli/screen.h"

namespace sluice::cli {

enum class TopOrder : std::uint8_t { rate, total, age, client, host };
/// Words of `--sort`, in that order.
inline constexpr const char* kTopWords[] = {"rate", "total", "age", "client", "host"};

class TopView {
 public:
  TopView(FlowFilter filter, TopOrder order) noexcept : filter_(std::move(filter)), order_(order) {}

  /// A newer table; not shown while paused.
  void take(pb::FlowTable table, Moment now);
  /// Bytes of the keyboard, whole or in pieces. False when one of them ends it.
  [[nodiscard]] bool keys(std::string_view bytes);
  /// All of the screen from its home position; at most `height` lines, which is not 0.
  [[nodiscard]] std::string frame(const Screen& screen, std::size_t height);
  /// Every flow wanted, sorted, as a table.
  [[nodiscard]] std::string table(const Screen& screen) const;
  [[nodiscard]] const FlowRates& rates() const noexcept { return rates_; }
  /// The table as it is shown: filtered and sorted.
  [[nodiscard]] pb::FlowTable shown() const;

 private:
  void key(char c);
  void type(char c);
  void arrow(char c) noexcept;
  void sort_by(TopOrder order) noexcept;
  [[nodiscard]] bool holds(const pb::Flow& flow) const;
  [[nodiscard]] std::vector<const pb::Flow*> sorted() const;
  [[nodiscard]] std::string rows(const std::vector<const pb::Flow*>& flows,
                                 const Screen& screen) const;
  [[nodiscard]] std::string head(std::size_t count, const Screen& screen) const;
  [[nodiscard]] std::string foot(const Screen& screen) const;

  FlowFilter filter_;
  TopOrder order_;
  bool inverted_ = false;
  bool paused_ = false;
  bool typing_ = false;  ///< keys go into `search_`
  bool ended_ = false;
  std::string search_;     ///< a part of client, host, rule or way; empty = all
  std::string escape_;     ///< the beginning of an escape sequence
  std::size_t first_ = 0;  ///< row on top
  pb::FlowTable table_;
  pb::FlowTable before_;  ///< totals only
  FlowRates rates_;
  Moment at_{};
  Moment before_at_{};
};

}  // namespace sluice::cli
