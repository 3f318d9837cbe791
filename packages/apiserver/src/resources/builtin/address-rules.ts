// Rules for addresses that Services and endpoints share (k/k: IsValidIPForLegacyField, ValidateEndpointIP).
import {
  cidrContains,
  invalid,
  parseCidr,
  parseIp,
  type Cidr,
  type FieldError,
  type IpAddress,
} from "@fairlead/apimachinery";

/** An address of a field that has always been read leniently; what it held before stays valid. */
export function legacyIpErrors(ip: string, path: string, existing: readonly string[] = []): readonly FieldError[] {
  if (existing.includes(ip) || parseIp(ip) !== undefined) return [];
  return [invalid(path, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
}

/** A network of a field that has always been read leniently. */
export function legacyCidrErrors(cidr: string, path: string, existing: readonly string[] = []): readonly FieldError[] {
  if (existing.includes(cidr) || parseCidr(cidr) !== undefined) return [];
  return [invalid(path, cidr, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")];
}

const LOOPBACK = networks("127.0.0.0/8", "::1/128");
const LINK_LOCAL = networks("169.254.0.0/16", "fe80::/10");
const LINK_LOCAL_MULTICAST = networks("224.0.0.0/24", "ff02::/16");

function networks(...texts: readonly string[]): readonly Cidr[] {
  return texts.flatMap((text) => parseCidr(text) ?? []);
}

function within(ranges: readonly Cidr[], address: IpAddress): boolean {
  return ranges.some((range) => cidrContains(range, address));
}

/** An address that others can reach an endpoint at. */
export function endpointIpErrors(ip: string, path: string): readonly FieldError[] {
  const address = parseIp(ip);
  if (address === undefined) return [invalid(path, ip, "must be a valid IP address")];
  const mapped = address.bits === 128 && address.value >> 32n === 0xffffn;
  const real: IpAddress = mapped ? { bits: 32, value: address.value & 0xffffffffn } : address;
  const errors: FieldError[] = [];
  if (real.value === 0n) errors.push(invalid(path, ip, `may not be unspecified (${ip})`));
  if (within(LOOPBACK, real)) errors.push(invalid(path, ip, "may not be in the loopback range (127.0.0.0/8, ::1/128)"));
  if (within(LINK_LOCAL, real))
    errors.push(invalid(path, ip, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"));
  if (within(LINK_LOCAL_MULTICAST, real))
    errors.push(invalid(path, ip, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"));
  return errors;
}
