// Addresses and networks (apiserver: pkg/cel/library/ip.go, cidr.go; Go: net/netip, which takes no leading zeros).
import { goQuote } from "../../validation/go-quote.js";
import {
  cidrContains,
  formatIp,
  maskedAddress,
  parseCidr,
  parseIp,
  type Cidr,
  type IpAddress,
} from "../../validation/ip.js";
import { declare, global, member, type Library } from "../check/declarations.js";
import { BOOL, INT, opaque, STRING } from "../check/types.js";
import { CelError, type Opaque, type Result } from "../value/value.js";

const IP_NAME = "net.IP";
const CIDR_NAME = "net.CIDR";
export const IP_TYPE: ReturnType<typeof opaque> = opaque(IP_NAME);
export const CIDR_TYPE: ReturnType<typeof opaque> = opaque(CIDR_NAME);

class IpValue implements Opaque {
  readonly celType = IP_NAME;
  readonly address: IpAddress;

  constructor(address: IpAddress) {
    this.address = address;
  }

  get size(): number {
    return this.address.bits / 8;
  }

  equals(other: Opaque): boolean {
    return (
      other instanceof IpValue && this.address.bits === other.address.bits && this.address.value === other.address.value
    );
  }
}

class CidrValue implements Opaque {
  readonly celType = CIDR_NAME;
  readonly cidr: Cidr;

  constructor(cidr: Cidr) {
    this.cidr = cidr;
  }

  get size(): number {
    return Math.ceil(this.cidr.prefix / 8);
  }

  equals(other: Opaque): boolean {
    return (
      other instanceof CidrValue &&
      this.cidr.prefix === other.cidr.prefix &&
      new IpValue(this.cidr.address).equals(new IpValue(other.cidr.address))
    );
  }
}

/** A part of an address with a zero in front that says nothing. */
const LEADING_ZERO = /(?:^|[:.])0\d+(?:\.|$)/;

function readIp(text: string): IpValue | CelError {
  if (text.includes("%") && parseIp(text.replace(/%.+$/, ""))?.bits === 128)
    return new CelError(`IP address ${goQuote(text)} with zone value is not allowed`);
  const address = LEADING_ZERO.test(text) && text.includes(".") ? undefined : parseIp(text);
  if (address === undefined) {
    const problem = `ParseAddr(${goQuote(text)}): ${addressProblem(text)}`;
    return new CelError(`IP Address ${goQuote(text)} parse error during conversion from string: ${problem}`);
  }
  return isMapped(address)
    ? new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`)
    : new IpValue(address);
}

function addressProblem(text: string): string {
  const first = /[.:%]/.exec(text)?.[0];
  if (first === undefined || first === "%") return "unable to parse IP";
  if (first === ":") return "unable to parse IP";
  const parts = text.split(".");
  if (parts.some((part) => /[^0-9]/.test(part)))
    return "unexpected character (at " + goQuote(/[^0-9.][^]*/.exec(text)?.[0] ?? "") + ")";
  if (parts.includes("")) return "IPv4 field must have at least one digit";
  if (parts.some((part) => part.length > 1 && part.startsWith("0"))) return "IPv4 field has octet with leading zero";
  if (parts.some((part) => Number(part) > 255)) return "IPv4 field has value >255";
  return parts.length > 4 ? "IPv4 address too long" : "IPv4 address too short";
}

function isMapped({ bits, value }: IpAddress): boolean {
  return bits === 128 && value >> 32n === 0xffffn;
}

function readCidr(text: string): CidrValue | CelError {
  const cidr = LEADING_ZERO.test(text.replace(/\/.*$/, "")) && text.includes(".") ? undefined : parseCidr(text);
  const prefix = text.slice(text.lastIndexOf("/") + 1);
  const error = (problem: string): CelError =>
    new CelError(`network address parse error during conversion from string: ${problem}`);
  if (cidr !== undefined && /^0\d/.test(prefix))
    return error(
      `network address parse error during conversion from string: netip.ParsePrefix(${goQuote(text)}): bad bits after slash: ${goQuote(prefix)}`,
    );
  if (cidr === undefined)
    return error(`network address parse error during conversion from string: ${cidrProblem(text)}`);
  return isMapped(cidr.address)
    ? error(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`)
    : new CidrValue(cidr);
}

function cidrProblem(text: string): string {
  const what = `netip.ParsePrefix(${goQuote(text)}): `;
  const slash = text.lastIndexOf("/");
  if (slash < 0) return `${what}no '/'`;
  const [address, prefix] = [text.slice(0, slash), text.slice(slash + 1)];
  const ip = readIp(address);
  if (ip instanceof CelError) return `${what}ParseAddr(${goQuote(address)}): ${addressProblem(address)}`;
  return /^\d+$/.test(prefix) ? `${what}prefix length out of range` : `${what}bad bits after slash: ${goQuote(prefix)}`;
}

/** The bits of an address from one on, as a number. */
function bitsOf({ bits, value }: IpAddress, from: number, count: number): bigint {
  return (value >> BigInt(bits - from - count)) & ((1n << BigInt(count)) - 1n);
}

function isLoopback(address: IpAddress): boolean {
  return address.bits === 32 ? bitsOf(address, 0, 8) === 127n : address.value === 1n;
}

function isLinkLocalUnicast(address: IpAddress): boolean {
  return address.bits === 32 ? bitsOf(address, 0, 16) === 0xa9fen : bitsOf(address, 0, 10) === 0x3fan;
}

function isLinkLocalMulticast(address: IpAddress): boolean {
  return address.bits === 32 ? bitsOf(address, 0, 24) === 0xe00000n : bitsOf(address, 0, 16) === 0xff02n;
}

function isGlobalUnicast(address: IpAddress): boolean {
  const multicast = address.bits === 32 ? bitsOf(address, 0, 4) === 0xen : bitsOf(address, 0, 8) === 0xffn;
  const broadcast = address.bits === 32 && address.value === 0xffffffffn;
  return address.value !== 0n && !broadcast && !multicast && !isLoopback(address) && !isLinkLocalUnicast(address);
}

function containsIp({ cidr }: CidrValue, ip: IpValue | CelError): Result {
  return ip instanceof CelError ? ip : cidrContains(cidr, ip.address);
}

function containsCidr({ cidr }: CidrValue, other: CidrValue | CelError): Result {
  if (other instanceof CelError) return other;
  return cidr.prefix <= other.cidr.prefix && cidrContains(cidr, other.cidr.address);
}

const I = IP_TYPE;
const C = CIDR_TYPE;
const asked =
  (test: (address: IpAddress) => boolean) =>
  ({ address }: IpValue): Result =>
    test(address);

export const ADDRESSES_LIBRARY: Library = [
  declare(
    "ip",
    global("string_to_ip", [STRING], I, readIp),
    member("cidr_ip", [C], I, ({ cidr }: CidrValue) => new IpValue(cidr.address)),
  ),
  declare(
    "family",
    member("ip_family", [I], INT, ({ address }: IpValue) => (address.bits === 32 ? 4n : 6n)),
  ),
  declare(
    "ip.isCanonical",
    global("ip_is_canonical", [STRING], BOOL, (text: string) => {
      const ip = readIp(text);
      return ip instanceof CelError ? ip : formatIp(ip.address) === text;
    }),
  ),
  declare(
    "isUnspecified",
    member(
      "ip_is_unspecified",
      [I],
      BOOL,
      asked(({ value }) => value === 0n),
    ),
  ),
  declare("isLoopback", member("ip_is_loopback", [I], BOOL, asked(isLoopback))),
  declare("isLinkLocalMulticast", member("ip_is_link_local_multicast", [I], BOOL, asked(isLinkLocalMulticast))),
  declare("isLinkLocalUnicast", member("ip_is_link_local_unicast", [I], BOOL, asked(isLinkLocalUnicast))),
  declare("isGlobalUnicast", member("ip_is_global_unicast", [I], BOOL, asked(isGlobalUnicast))),
  declare(
    "isIP",
    global("is_ip", [STRING], BOOL, (text: string) => !(readIp(text) instanceof CelError)),
  ),
  declare(
    "string",
    global("ip_to_string", [I], STRING, ({ address }: IpValue) => formatIp(address)),
    global("cidr_to_string", [C], STRING, ({ cidr }: CidrValue) => `${formatIp(cidr.address)}/${cidr.prefix}`),
  ),
  declare("cidr", global("string_to_cidr", [STRING], C, readCidr)),
  declare(
    "containsIP",
    member("cidr_contains_ip_string", [C, STRING], BOOL, (cidr: CidrValue, text: string) =>
      containsIp(cidr, readIp(text)),
    ),
    member("cidr_contains_ip_ip", [C, I], BOOL, containsIp),
  ),
  declare(
    "containsCIDR",
    member("cidr_contains_cidr_string", [C, STRING], BOOL, (cidr: CidrValue, text: string) =>
      containsCidr(cidr, readCidr(text)),
    ),
    member("cidr_contains_cidr", [C, C], BOOL, containsCidr),
  ),
  declare(
    "prefixLength",
    member("cidr_prefix_length", [C], INT, ({ cidr }: CidrValue) => BigInt(cidr.prefix)),
  ),
  declare(
    "masked",
    member("cidr_masked", [C], C, ({ cidr }: CidrValue) => new CidrValue({ ...cidr, address: maskedAddress(cidr) })),
  ),
  declare(
    "isCIDR",
    global("is_cidr", [STRING], BOOL, (text: string) => !(readCidr(text) instanceof CelError)),
  ),
];
