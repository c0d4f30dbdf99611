#include "proto/common/result.h"

#include <cerrno>
#include <string>
#include <system_error>

#include "proto/common/error_text.h"

namespace sluice {

Error error_from_errno(int errno_value, Side side) noexcept {
  Errc code = Errc::system;
  switch (errno_value) {
    case ECONNREFUSED:
      code = Errc::refused;
      break;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case EADDRNOTAVAIL:
      code = Errc::unreachable;
      break;
    case ETIMEDOUT:
      code = Errc::timeout;
      break;
    case EPIPE:
    case ENOTCONN:
      code = Errc::closed;
      break;
    case ECONNRESET:
    case ECONNABORTED:
      code = Errc::reset;
      break;
    case EAGAIN:
      code = Errc::again;
      break;
    case EMFILE:
    case ENFILE:
      code = Errc::no_descriptors;
      break;
    case ENOMEM:
    case ENOBUFS:
      code = Errc::no_room;
      break;
    case EACCES:
    case EPERM:
      code = Errc::denied;
      break;
    case ENOENT:
      code = Errc::not_found;
      break;
    case EEXIST:
    case EADDRINUSE:
      code = Errc::exists;
      break;
    case EINVAL:
      code = Errc::invalid;
      break;
    case ECANCELED:
      code = Errc::cancelled;
      break;
    case EMSGSIZE:
      code = Errc::too_large;
      break;
    default:
      break;
  }
  return Error{code, side, 0, errno_value};
}

std::unexpected<Error> fail_errno(int errno_value, Side side) noexcept {
  return std::unexpected<Error>(error_from_errno(errno_value, side));
}

std::string_view describe(Errc code) noexcept {
  switch (code) {
    case Errc::none:
      return "no error";
    case Errc::truncated:
      return "the message ends too early";
    case Errc::malformed:
      return "the message is malformed";
    case Errc::unsupported:
      return "not supported";
    case Errc::too_large:
      return "too large";
    case Errc::refused:
      return "the far side refused";
    case Errc::unreachable:
      return "the destination is unreachable";
    case Errc::timeout:
      return "timed out";
    case Errc::closed:
      return "the far side closed the connection";
    case Errc::reset:
      return "the far side reset the connection";
    case Errc::auth_failed:
      return "authentication failed";
    case Errc::denied:
      return "denied";
    case Errc::loop:
      return "the flow would loop back to this router";
    case Errc::no_address:
      return "the name has no usable address";
    case Errc::bad_tag:
      return "a record failed authentication";
    case Errc::again:
      return "would block";
    case Errc::no_room:
      return "a memory budget is used up";
    case Errc::no_descriptors:
      return "no free file descriptors";
    case Errc::not_found:
      return "not found";
    case Errc::exists:
      return "already exists";
    case Errc::invalid:
      return "invalid argument";
    case Errc::cancelled:
      return "cancelled";
    case Errc::not_built:
      return "this type is known but not built yet";
    case Errc::system:
      return "the system refused";
  }
  return "unknown error";
}

std::string describe(const Error& error) {
  std::string text(describe(error.code));
  if (error.sys != 0) {
    text += ": ";
    text += std::generic_category().message(error.sys);
  }
  return text;
}

}  // namespace sluice
