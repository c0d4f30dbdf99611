#include "dataplane/helper/commands.h"

#include <algorithm>
#include <cctype>

namespace sluice::nft {

namespace {

// Flag bits of an apply body. Others must be zero.
constexpr std::uint8_t kFlagDnsHijack = 1U << 0U;
constexpr std::uint8_t kFlagDnsRedirect = 1U << 1U;
constexpr std::uint8_t kFlagRouterTraffic = 1U << 2U;
constexpr std::uint8_t kFlagFailClosed = 1U << 3U;
constexpr std::uint8_t kAllFlags = 0x0f;

bool is_command(std::uint8_t value) noexcept {
  return value >= static_cast<std::uint8_t>(Command::probe) &&
         value <= static_cast<std::uint8_t>(Command::tear_down);
}

/// A name that the kernel takes for a device: no blanks, slashes or control bytes.
bool is_device_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > kMaxDeviceName || name == "." || name == "..") return false;
  return std::ranges::all_of(name, [](char c) {
    return std::isgraph(static_cast<unsigned char>(c)) != 0 && c != '/' && c != ':' && c != '"';
  });
}

bool marks_make_sense(const Marks& marks) noexcept {
  const auto inside = [&](std::uint32_t value) { return value != 0 && (value & ~marks.mask) == 0; };
  return inside(marks.bypass) && inside(marks.tproxy) && inside(marks.dns) &&
         marks.bypass != marks.tproxy && marks.bypass != marks.dns && marks.tproxy != marks.dns;
}

// Prefix: family(1: 0, 4 or 6) length(1) address(0, 4 or 16).
void encode_prefix(const Prefix& prefix, Writer& out) {
  out.u8(static_cast<std::uint8_t>(prefix.base.family()));
  out.u8(prefix.length);
  out.bytes(prefix.base.bytes());
}

/// `malformed` collects what can never become right; the reader keeps what is merely short.
Prefix decode_prefix(Reader& in, bool& malformed) {
  const std::uint8_t family = in.u8();
  const std::uint8_t length = in.u8();
  const unsigned bits = family == 4 ? 32 : family == 6 ? 128 : 0;
  if (bits == 0) {
    malformed = malformed || family != 0 || length != 0;
    return {};
  }
  const IpAddress base = IpAddress::from_bytes(in.take(bits / 8));
  if (in.short_read()) return {};
  // A mapped IPv6 base turns into IPv4 and would silently change its meaning: refused.
  const bool right_family = static_cast<std::uint8_t>(base.family()) == family;
  if (!right_family || length > bits || Prefix::of(base, length).base != base) {
    malformed = true;
    return {};
  }
  return Prefix{base, length};
}

bool is_address(const Prefix& prefix) noexcept {
  return prefix.length == prefix.base.bytes().size() * 8;
}

void encode_prefixes(const std::vector<Prefix>& prefixes, Writer& out) {
  out.u16be(static_cast<std::uint16_t>(prefixes.size()));
  for (const Prefix& prefix : prefixes) encode_prefix(prefix, out);
}

std::vector<Prefix> decode_prefixes(Reader& in, std::size_t max, bool& malformed) {
  std::vector<Prefix> out;
  const std::size_t count = in.u16be();
  malformed = malformed || count > max;
  for (std::size_t i = 0; i < count && !in.short_read() && !malformed; ++i) {
    out.push_back(decode_prefix(in, malformed));
    if (!in.short_read() && !out.back().base.valid()) malformed = true;
  }
  return out;
}

void encode_table(const CaptureTable& table, Writer& out) {
  out.u8(static_cast<std::uint8_t>(table.mode));
  out.u8(static_cast<std::uint8_t>(
      (table.dns_hijack ? kFlagDnsHijack : 0) | (table.dns_redirect ? kFlagDnsRedirect : 0) |
      (table.router_traffic ? kFlagRouterTraffic : 0) | (table.fail_closed ? kFlagFailClosed : 0)));
  for (const std::uint32_t mark :
       {table.marks.mask, table.marks.bypass, table.marks.tproxy, table.marks.dns})
    out.u32be(mark);
  out.u16be(table.tcp_port);
  out.u8(static_cast<std::uint8_t>(table.udp_ports.size()));
  for (const std::uint16_t port : table.udp_ports) out.u16be(port);
  out.u8(static_cast<std::uint8_t>(table.lan.size()));
  for (const LanDevice& device : table.lan) {
    out.u8(static_cast<std::uint8_t>(device.name.size()));
    out.text(device.name);
    out.u16be(device.dns_udp_port);
    out.u16be(device.dns_tcp_port);
  }
  out.u8(static_cast<std::uint8_t>(table.exempt_uids.size()));
  for (const std::uint32_t uid : table.exempt_uids) out.u32be(uid);
  encode_prefixes(table.fakes, out);
  encode_prefixes(table.bypass, out);
}

std::vector<LanDevice> decode_devices(Reader& in, bool& malformed) {
  std::vector<LanDevice> devices;
  const std::size_t count = in.u8();
  malformed = malformed || count > kMaxDevices;
  for (std::size_t i = 0; i < count && !in.short_read() && !malformed; ++i) {
    LanDevice device;
    device.name = std::string(as_text(in.take(in.u8())));
    device.dns_udp_port = in.u16be();
    device.dns_tcp_port = in.u16be();
    if (in.short_read()) break;
    const bool repeated = std::ranges::any_of(
        devices, [&](const LanDevice& other) { return other.name == device.name; });
    malformed = repeated || !is_device_name(device.name);
    devices.push_back(std::move(device));
  }
  return devices;
}

CaptureTable decode_table(Reader& in, bool& malformed) {
  CaptureTable table;
  const std::uint8_t mode = in.u8();
  const std::uint8_t flags = in.u8();
  malformed = mode > static_cast<std::uint8_t>(Mode::redirect) || (flags & ~kAllFlags) != 0;
  table.mode = mode == 0 ? Mode::tproxy : Mode::redirect;
  table.dns_hijack = (flags & kFlagDnsHijack) != 0;
  table.dns_redirect = (flags & kFlagDnsRedirect) != 0;
  table.router_traffic = (flags & kFlagRouterTraffic) != 0;
  table.fail_closed = (flags & kFlagFailClosed) != 0;
  malformed = malformed || (table.dns_redirect && !table.dns_hijack);
  table.marks = Marks{in.u32be(), in.u32be(), in.u32be(), in.u32be()};
  malformed = malformed || (!in.short_read() && !marks_make_sense(table.marks));
  table.tcp_port = in.u16be();
  const std::size_t ports = in.u8();
  malformed = malformed || ports > kMaxUdpPorts;
  for (std::size_t i = 0; i < ports && !in.short_read(); ++i) {
    table.udp_ports.push_back(in.u16be());
    malformed = malformed || (!in.short_read() && table.udp_ports.back() == 0);
  }
  table.lan = decode_devices(in, malformed);
  const std::size_t uids = in.u8();
  malformed = malformed || uids > kMaxExemptUids;
  for (std::size_t i = 0; i < uids && !in.short_read(); ++i)
    table.exempt_uids.push_back(in.u32be());
  table.fakes = decode_prefixes(in, kMaxFakes, malformed);
  table.bypass = decode_prefixes(in, kMaxBypass, malformed);
  return table;
}

SetElements decode_elements(Reader& in, bool& malformed) {
  SetElements elements;
  elements.set = static_cast<SetId>(in.u8());
  const bool single = elements.set == SetId::addresses;
  malformed = !in.short_read() && elements.set != SetId::prefixes && !single;
  elements.prefixes = decode_prefixes(in, kMaxElements, malformed);
  malformed = malformed ||
              (single && !in.short_read() && !std::ranges::all_of(elements.prefixes, is_address));
  malformed = malformed || (!in.short_read() && elements.prefixes.empty());
  return elements;
}

void decode_body(Request& request, Reader& in, bool& malformed) {
  switch (request.command) {
    case Command::apply:
      request.table = decode_table(in, malformed);
      return;
    case Command::dns_redirect: {
      const std::uint8_t on = in.u8();
      malformed = on > 1;
      request.dns_redirect = on == 1;
      return;
    }
    case Command::add_elements:
    case Command::remove_elements:
      request.elements = decode_elements(in, malformed);
      return;
    case Command::probe:
    case Command::remove_guard:
    case Command::cleanup:
    case Command::tear_down:
      return;
  }
}

/// version, command and id; an unknown command is reported as unsupported by the callers.
struct Head {
  std::uint8_t version = 0;
  std::uint8_t command = 0;
  std::uint32_t id = 0;
};

Head read_head(Reader& in) {
  Head head;
  head.version = in.u8();
  head.command = in.u8();
  head.id = in.u32be();
  return head;
}

}  // namespace

void encode_request(const Request& request, Writer& out) {
  out.u8(kVersion);
  out.u8(static_cast<std::uint8_t>(request.command));
  out.u32be(request.id);
  switch (request.command) {
    case Command::apply:
      encode_table(request.table, out);
      return;
    case Command::dns_redirect:
      out.u8(request.dns_redirect ? 1 : 0);
      return;
    case Command::add_elements:
    case Command::remove_elements:
      out.u8(static_cast<std::uint8_t>(request.elements.set));
      encode_prefixes(request.elements.prefixes, out);
      return;
    case Command::probe:
    case Command::remove_guard:
    case Command::cleanup:
    case Command::tear_down:
      return;
  }
}

Result<Request> decode_request(ByteView frame) {
  Reader in{frame};
  const Head head = read_head(in);
  if (in.short_read()) return fail(Errc::truncated);
  if (head.version != kVersion || !is_command(head.command)) return fail(Errc::unsupported);
  Request request;
  request.command = static_cast<Command>(head.command);
  request.id = head.id;
  bool malformed = false;
  decode_body(request, in, malformed);
  if (malformed) return fail(Errc::malformed);
  if (in.short_read()) return fail(Errc::truncated);
  if (in.left() != 0) return fail(Errc::malformed);
  return request;
}

void encode_verdict(const Verdict& verdict, Writer& out) {
  const std::string_view text = std::string_view(verdict.text).substr(0, kMaxVerdictText);
  out.u8(kVersion);
  out.u8(static_cast<std::uint8_t>(verdict.command));
  out.u32be(verdict.id);
  out.u32be(static_cast<std::uint32_t>(verdict.error));
  out.u16be(static_cast<std::uint16_t>(text.size()));
  out.text(text);
}

Result<Verdict> decode_verdict(ByteView frame) {
  Reader in{frame};
  const Head head = read_head(in);
  if (in.short_read()) return fail(Errc::truncated);
  if (head.version != kVersion || !is_command(head.command)) return fail(Errc::unsupported);
  const std::uint32_t error = in.u32be();
  const std::size_t size = in.u16be();
  const std::string_view text = as_text(in.take(size));
  if (size > kMaxVerdictText || error > INT32_MAX) return fail(Errc::malformed);
  if (in.short_read()) return fail(Errc::truncated);
  if (in.left() != 0) return fail(Errc::malformed);
  return Verdict{static_cast<Command>(head.command), head.id, static_cast<std::int32_t>(error),
                 std::string(text)};
}

const char* to_text(Command command) noexcept {
  switch (command) {
    case Command::probe:
      return "probe";
    case Command::apply:
      return "apply";
    case Command::dns_redirect:
      return "dns-redirect";
    case Command::add_elements:
      return "add-elements";
    case Command::remove_elements:
      return "remove-elements";
    case Command::remove_guard:
      return "remove-guard";
    case Command::cleanup:
      return "cleanup";
    case Command::tear_down:
      return "tear-down";
  }
  return "unknown";
}

}  // namespace sluice::nft
