// flow/use_order.h - members in the order of their last use, oldest first.
//
//   oldest_ ─> a ─> b ─> c <─ newest_        touch(a): b ─> c ─> a
//
// Links lie in the members: entering, touching and leaving cost a few writes and never allocate.
// Owner: a table of the members. Thread: the table's.
#pragma once

namespace sluice::flow {

class UseOrder {
 public:
  /// Base of what is ordered. Leaves when it dies.
  class Member {
   public:
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

   protected:
    Member() noexcept = default;
    ~Member() {
      if (order_ != nullptr) order_->leave(*this);
    }

   private:
    friend class UseOrder;
    UseOrder* order_ = nullptr;
    Member* older_ = nullptr;
    Member* newer_ = nullptr;
  };

  UseOrder() noexcept = default;
  UseOrder(const UseOrder&) = delete;
  UseOrder& operator=(const UseOrder&) = delete;
  /// Members must be gone.
  ~UseOrder() = default;

  /// `member` is the newest from now on; enters when it is not a member yet, from another order
  /// too.
  void touch(Member& member) noexcept {
    if (newest_ == &member) return;
    if (member.order_ != nullptr) member.order_->leave(member);
    member.order_ = this;
    member.older_ = newest_;
    (newest_ != nullptr ? newest_->newer_ : oldest_) = &member;
    newest_ = &member;
  }
  /// nullptr without members.
  [[nodiscard]] Member* oldest() const noexcept { return oldest_; }
  /// Does nothing for whoever is no member.
  void remove(Member& member) noexcept {
    if (member.order_ == this) leave(member);
  }

 private:
  void leave(Member& member) noexcept {
    (member.older_ != nullptr ? member.older_->newer_ : oldest_) = member.newer_;
    (member.newer_ != nullptr ? member.newer_->older_ : newest_) = member.older_;
    member.order_ = nullptr;
    member.older_ = member.newer_ = nullptr;
  }

  Member* oldest_ = nullptr;
  Member* newest_ = nullptr;
};

}  // namespace sluice::flow
